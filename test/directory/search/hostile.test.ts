/** Queries made to hurt: the answer stays right, and the work stays that of an ordinary query. */
import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { personDocument } from '../../../index-build/documents.ts'
import { TermIndex } from '../../../index-build/term-index.ts'
import { match } from '../../../src/directory/search/match.ts'
import { parseQuery } from '../../../src/directory/search/query.ts'
import { Chance } from '../../../src/server/demo/random.ts'
import { personRow, storeOf } from '../records/fixtures.ts'
import { unfollowed } from './followers.ts'

const PEOPLE = 20_000
const index = new TermIndex()
const followers = unfollowed(PEOPLE)

beforeAll(() => {
  const chance = new Chance(3)
  const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'ka', 'le', 'mi', 'no', 'pu', 'ra', 'se']
  const word = () =>
    Array.from({ length: chance.between(2, 4) }, () => chance.pick(syllables)).join('')
  for (let slot = 0; slot < PEOPLE; slot++) {
    const handle = `${word()}${word()}`
    index.replace(
      slot,
      null,
      personDocument(
        personRow(`${word()} ${word()}`, { twitterHandle: handle, jobTitle: 'a b c d e f' }),
      ),
    )
  }
})

/** How many postings the query walks, of how many words it looks up typos, and what it finds. */
function ask(q: string) {
  const before = { work: index.work, typos: index.typoWords }
  const { slots } = match(index, parseQuery(q), followers)
  expect(new Set(slots).size).toBe(slots.length)
  return {
    work: index.work - before.work,
    typos: index.typoWords - before.typos,
    found: slots.length,
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const hostile: Record<string, string> = {
  'one-letter words': Array.from({ length: 100 }, (_, i) => letters[i % 26]).join(' '),
  'the same letter': 'a '.repeat(100),
  '40 words with typos': Array.from({ length: 40 }, (_, i) => `ba${letters[i % 26]}d`).join(' '),
  '60 words': 'abc '.repeat(60).slice(0, 200),
  'one word of 200 letters': 'ab'.repeat(100),
  'initials with dots': 'a.b.c.'.repeat(33),
  'combining marks': `e${'\u0301'.repeat(199)}`,
  'right to left': '\u202e\u200f مرحبا '.repeat(10),
  emoji: '🦄👩‍👩‍👧‍👦'.repeat(15),
  'a handle of 200 signs': 'a_b-'.repeat(50),
  'words that exist': 'bace difo guka lemi nopu rase '.repeat(6),
  nul: 'a\u0000b\u0000'.repeat(50),
  __proto__: '__proto__ constructor toString hasOwnProperty',
  'half a surrogate': '\ud83e'.repeat(200),
  unspaced: '比特币'.repeat(66),
  spaces: ' \t\n\u3000'.repeat(50),
  nothing: '$ @ - . //',
}

describe('a hostile query', () => {
  // Five words of an ordinary query, each on every record, would be this much.
  const ORDINARY = 5 * PEOPLE
  /** Each is some hundred lookups, a tenth of a millisecond. */
  const TYPO_WORDS = 24

  for (const [name, q] of Object.entries(hostile)) {
    test(`(${name}) walks no more postings than an ordinary one`, () => {
      const { work, typos } = ask(q.slice(0, 200))
      expect(work).toBeLessThanOrEqual(ORDINARY)
      expect(typos).toBeLessThanOrEqual(TYPO_WORDS)
    })
  }

  test('one or two letters walk a list for each length of words, not for each word', () => {
    const words = (slot: number) => [
      ...(index.names[slot] ?? '').split(' '),
      index.handles[slot] ?? '',
    ]
    for (const letters of ['g', 'm', 'gu', 'mi']) {
      expect(index.beginningWith(letters).length).toBeLessThan(200)
      const expected = [...Array(PEOPLE).keys()].filter((slot) =>
        words(slot).some((word) => word.startsWith(letters)),
      )
      expect(ask(letters).found).toBe(expected.length)
    }
  })

  test('a name written together is found by half as many pieces as any near name', () => {
    for (let slot = 0; slot < 20; slot++) {
      const { work, found } = ask((index.names[slot] ?? '').replaceAll(' ', ''))
      expect(found).toBeGreaterThan(0)
      expect(work).toBeLessThanOrEqual(30_000)
    }
  })

  test('near names are looked for among so many pieces at most', () => {
    const syllables = 'ba di gu le no ra ce fo ka mi pu se'.split(' ')
    const pairs = syllables.flatMap((first) => syllables.slice(0, 4).map((next) => first + next))
    const { work } = ask(pairs.join('').slice(0, 190))
    expect(work).toBeLessThanOrEqual(60_000)
  })

  test('of any text leaves nothing behind that changes the next answer', () => {
    const { found } = ask('ba')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (q) => {
        ask(q)
        expect(ask('ba').found).toBe(found)
      }),
      { numRuns: 200 },
    )
  })

  test('takes as much of the room for answers as it is long', () => {
    const { people } = storeOf({ people: [personRow('Ann')] })
    const query = (i: number) =>
      `ann${'\u0001'.repeat(180)}${i.toString(2).replaceAll('0', '\u0001').replaceAll('1', '\u0002')}ann`
    const walked = (i: number) => {
      const before = people.work
      people.list({ q: query(i), wanted: {}, order: null, page: 1, limit: 1 })
      return people.work - before
    }
    for (let i = 0; i < 4_000; i++) walked(i)
    expect(walked(3_999)).toBe(0)
    expect(walked(0)).toBeGreaterThan(0)
  })

  test('finds what it says: names of objects are words like any other', () => {
    const names = new TermIndex()
    names.replace(0, null, personDocument(personRow('constructor __proto__')))
    const find = (q: string) => [...match(names, parseQuery(q), unfollowed(1)).slots]
    expect(find('constructor')).toEqual([0])
    expect(find('__proto__')).toEqual([0])
    expect(find('toString')).toEqual([])
    expect(find('hasOwnProperty')).toEqual([])
  })
})
