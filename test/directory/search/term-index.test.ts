/** The index after any sequence of changes answers as one built anew from what is left. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { personDocument } from '../../../index-build/documents.ts'
import { fold } from '../../../index-build/fold.ts'
import { TermIndex } from '../../../index-build/term-index.ts'
import { tokenize } from '../../../index-build/tokenize.ts'
import { match } from '../../../src/directory/search/match.ts'
import { parseQuery } from '../../../src/directory/search/query.ts'
import { personRow } from '../records/fixtures.ts'
import { followersOf } from './followers.ts'

const name = fc.constantFrom(
  'Ann Lee',
  'Anna Lee',
  'Bob Stone',
  'Bobstone',
  'Bo Stones',
  'Ann',
  '王伟 Wei',
  'J.P. Lee',
)
const change = fc.record({ slot: fc.nat(5), name: fc.option(name) })
const QUERIES = [
  'a',
  'an',
  'ann',
  'ann lee',
  'bobs',
  'bobstnoe',
  'stone',
  'lee j',
  'jp',
  '王伟',
  'lee',
]

const documentOf = (name: string | null | undefined) =>
  name ? personDocument(personRow(name, { twitterHandle: name.replaceAll(' ', '') })) : null

describe('the index follows changes', () => {
  test('as if it had been built anew', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const index = new TermIndex()
        const now = new Map<number, string>()
        for (const { slot, name } of changes) {
          const before = now.get(slot)
          index.replace(slot, documentOf(before), documentOf(name))
          if (name === null) now.delete(slot)
          else now.set(slot, name)
        }
        const fresh = new TermIndex()
        for (const [slot, name] of now) fresh.replace(slot, null, documentOf(name))
        const followers = followersOf(new Float64Array(6), now.keys())
        for (const q of QUERIES) {
          const scores = (built: TermIndex) => {
            const { slots, scores } = match(built, parseQuery(q), followers)
            return Array.from(slots, (slot, i) => `${slot} ${scores[i]}`).sort()
          }
          expect(scores(index)).toEqual(scores(fresh))
        }
      }),
    )
  })
})

describe('words', () => {
  test('are cut the same in names and queries', () => {
    expect(tokenize("J.P. O'Neil, Web3-Labs")).toEqual({
      pieces: ['j', 'p', 'o', 'neil', 'web3', 'labs'],
      joined: ['jp', 'oneil', 'web3labs'],
    })
    expect(tokenize('比特币 ABC中').pieces).toEqual(['比特', '特币', 'abc', '中'])
  })

  test('of any text are what patterns find in it', () => {
    const sign = fc.constantFrom(...'ab1 .-_@\u0000\t\u007f\u00a0\u3000éßжक्षि🦄😀™\u200b\ud83d٣𝓛𐐀')
    const text = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 20 }),
      fc.string({ unit: sign, maxLength: 20 }),
    )
    const found = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? []
    fc.assert(
      fc.property(text, (text) => {
        const chunks = found(fold(text), /[^\s\p{Z}\p{Cc}]+/gu).map((chunk) =>
          found(chunk, /[\p{L}\p{N}\p{M}]+|\p{So}/gu),
        )
        // Single letters in a row, whatever gap is between them, are one word.
        const joined = chunks
          .map((pieces) => pieces.join(''))
          .map((whole) => (whole.length === 1 ? whole : ` ${whole} `))
        expect(tokenize(text)).toEqual({
          pieces: chunks.flat(),
          joined: found(joined.join(''), /[^ ]+/g),
        })
      }),
      { numRuns: 1_000 },
    )
  })
})
