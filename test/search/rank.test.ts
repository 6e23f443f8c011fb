/** Ordering matches: two ways to the same order, for few matches and for many. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { followersRank } from '../../src/search/followers-rank.ts'
import { countingSorted, ranked, sorted } from '../../src/search/rank.ts'
import { WORST } from '../../src/search/score.ts'

const RECORDS = 300
const followers = fc.array(fc.oneof(fc.constant(0), fc.nat(9), fc.nat(1e6)), {
  minLength: RECORDS,
  maxLength: RECORDS,
})
const scores = fc.oneof(fc.nat(WORST - 1), fc.nat(40))
const matches = fc.dictionary(fc.nat(RECORDS - 1).map(String), scores, { maxKeys: RECORDS })

test('D36: many matches come in the order of few: by rank, followers, nearness and id', () => {
  fc.assert(
    fc.property(followers, matches, (counts, found) => {
      const followed = Float64Array.from(counts)
      const mostFirst = (a: number, b: number) => (followed[b] ?? 0) - (followed[a] ?? 0) || a - b
      const byFollowersRank = followersRank(
        Uint32Array.from(followed.keys()).sort(mostFirst),
        followed,
      )
      const slots = Uint32Array.from(Object.keys(found), Number)
      const list = { slots, scores: Uint16Array.from(Object.values(found)) }
      const order = sorted(list, byFollowersRank)
      expect(countingSorted(list, byFollowersRank)).toEqual(order)
      expect(ranked(list, byFollowersRank)).toEqual(order)
      const key = (slot: number) => found[slot] ?? 0
      const rank = (slot: number) => Math.floor(key(slot) / 16)
      const expected = [...slots].sort(
        (a, b) =>
          rank(a) - rank(b) ||
          (followed[b] ?? 0) - (followed[a] ?? 0) ||
          (key(a) % 16) - (key(b) % 16) ||
          a - b,
      )
      expect([...order]).toEqual(expected)
    }),
  )
})
