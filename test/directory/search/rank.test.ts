/** Ordering matches: all of them, and the best of many. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Ranking, ranked } from '../../../src/directory/search/rank.ts'
import { nearnessOf, rankOf, WORST } from '../../../src/directory/search/score.ts'
import { Chance } from '../../../src/server/demo/random.ts'
import { followersOf } from './followers.ts'

const RECORDS = 300
const followers = fc.array(fc.oneof(fc.constant(0), fc.nat(9), fc.nat(1e6)), {
  minLength: RECORDS,
  maxLength: RECORDS,
})
const scores = fc.oneof(fc.nat(WORST - 1), fc.nat(40))
const matches = fc.dictionary(fc.nat(RECORDS - 1).map(String), scores, { maxKeys: RECORDS })

/** The slots of the matches in the order of search. @param scores by slot */
function inOrder(
  slots: Uint32Array,
  scores: Readonly<Record<number, number>>,
  followed: Float64Array,
): number[] {
  const rank = (slot: number) => rankOf(scores[slot] ?? 0)
  const nearness = (slot: number) => nearnessOf(scores[slot] ?? 0)
  return [...slots].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (followed[b] ?? 0) - (followed[a] ?? 0) ||
      nearness(a) - nearness(b) ||
      a - b,
  )
}

test('matches come by rank, followers, nearness and id', () => {
  fc.assert(
    fc.property(followers, matches, (counts, found) => {
      const followed = Float64Array.from(counts)
      const slots = Uint32Array.from(Object.keys(found), Number)
      const list = { slots, scores: Uint16Array.from(Object.values(found)) }
      const order = ranked(list, followersOf(followed))
      expect([...order]).toEqual(inOrder(slots, found, followed))
    }),
  )
})

describe('the best of many matches', () => {
  const many = 20_000
  const chance = new Chance(5)
  const kinds: Record<string, (slot: number) => [followers: number, score: number]> = {
    'of every kind': () => [
      chance.happens(0.5) ? 0 : chance.between(1, 1_000),
      chance.between(0, 120),
    ],
    'that all are alike': () => [0, 34],
    'each better than those before it': (slot) => [slot, 34],
  }
  for (const [kind, make] of Object.entries(kinds)) {
    test(`(${kind}) are the first of all, on whatever page`, () => {
      const made = Array.from({ length: many }, (_, slot) => make(slot))
      const followed = Float64Array.from(made, ([count]) => count)
      const followers = followersOf(followed)
      const matches = {
        slots: Uint32Array.from(made.keys()),
        scores: Uint16Array.from(made, ([, score]) => score),
      }
      const all = ranked(matches, followers)
      expect([...all]).toEqual(inOrder(matches.slots, matches.scores, followed))
      const ranking = new Ranking(matches, followers)
      for (const count of [1, 12, 700, 9_000, many - 1, many, many + 1]) {
        expect(ranked(matches, followers, count)).toEqual(all.subarray(0, count))
        expect(ranking.first(count)).toEqual(all.subarray(0, count))
      }
      expect(ranking.first(12)).toEqual(all.subarray(0, 12))
    })
  }
})
