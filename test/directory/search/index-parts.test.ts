/** An index that was taken over in parts, from the thread that made it, is the one that gave them. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { companyDocument, personDocument } from '../../../index-build/documents.ts'
import { TermIndex } from '../../../index-build/term-index.ts'
import { match } from '../../../src/directory/search/match.ts'
import { parseQuery } from '../../../src/directory/search/query.ts'
import { companyRow, personRow } from '../records/fixtures.ts'
import { unfollowed } from './followers.ts'

const SLOTS = 40
const name = fc.constantFrom(
  ...['Ann Lee', 'Anna Lee', 'Bob Stone', 'Bobstone', 'Ann', '王伟 Wei', 'J.P. Lee', 'Zoë \ud800'],
)
const changes = fc.array(fc.record({ slot: fc.nat(SLOTS - 1), name: fc.option(name) }), {
  maxLength: 120,
})
const QUERIES = [
  'a',
  'an',
  'ann lee',
  'bobs',
  'bobstnoe',
  'anna lee x',
  'lee j',
  'jp',
  '王伟',
  'zoe',
]

const documentOf = (name: string | null | undefined) =>
  name ? personDocument(personRow(name, { twitterHandle: name.replaceAll(' ', '') })) : null

function taken(index: TermIndex): TermIndex {
  const copy = new TermIndex()
  // Copied: the index that gave them keeps its own.
  for (const part of index.parts()) copy.take(structuredClone(part))
  return copy
}

function matches(index: TermIndex) {
  const followers = unfollowed(SLOTS)
  return QUERIES.map((q) => {
    const { slots, scores } = match(index, parseQuery(q), followers)
    return Array.from(slots, (slot, place) => [slot, scores[place]])
  })
}

test('finds the same, before and after further changes', () => {
  let found = 0
  fc.assert(
    fc.property(changes, changes, (before, after) => {
      const index = new TermIndex()
      const names = new Map<number, string | null>()
      const change = (
        indexes: TermIndex[],
        { slot, name }: { slot: number; name: string | null },
      ) => {
        for (const it of indexes) it.replace(slot, documentOf(names.get(slot)), documentOf(name))
        names.set(slot, name)
      }
      for (const it of before) change([index], it)
      const copy = taken(index)
      expect(copy.slotCount).toBe(index.slotCount)
      expect(matches(copy)).toEqual(matches(index))
      for (const it of after) change([index, copy], it)
      expect(matches(copy)).toEqual(matches(index))
      found += matches(copy).flat().length
    }),
    { numRuns: 50 },
  )
  expect(found).toBeGreaterThan(100)
})

test('has the same weak words, before and after further changes', () => {
  const index = new TermIndex()
  const document = (n: number) => companyDocument(companyRow({ name: `Name${n} Orbit` }))
  for (let n = 0; n < 5; n++) index.replace(n, null, document(n))
  const copy = taken(index)
  expect(copy.weakWords).toEqual(index.weakWords)
  expect(copy.weakWords.has('orbit')).toBe(true)
  copy.replace(0, document(0), null)
  expect(copy.weakWords.has('orbit')).toBe(false)
})
