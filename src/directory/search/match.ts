/**
 * Finds every record that a query matches, and how well each does: those with every word, and
 * where these are none or poor, the best partial matches and the nearest names.
 */
import type { TermIndex } from '../../../index-build/term-index.ts'
import type { FollowersRank } from './followers-rank.ts'
import { bestOf, isEnough, type Matches, only, union } from './matches.ts'
import { nearest } from './nearest.ts'
import { partialReadings, type Reading, type SearchQuery } from './query.ts'
import { matchReading } from './reading-matcher.ts'
import { missingCost, nearScore, PARTIAL_MAX, rarityOf, SLIPPED } from './score.ts'

/** Words from this length on may have a typo; shorter ones only where nothing else is found. */
const TYPO_LETTERS = 4
const TYPO_LETTERS_POOR = 2
const isShort = (word: string) => word.length < TYPO_LETTERS

/** Postings that further readings of one query may walk before no other one is tried. */
const FURTHER_WORK_MAX = 30_000

/** @param followers of all records that the index holds. */
export function match(index: TermIndex, query: SearchQuery, followers: FollowersRank): Matches {
  const read = (reading: Reading, typoLetters: number, missing = 0) =>
    matchReading(index, query, reading, typoLetters, missing)
  /** Matches of further readings, until they have cost as much as a common query. */
  const tried = <R>(readings: readonly R[], readOne: (reading: R) => Matches) => {
    const end = index.work + FURTHER_WORK_MAX
    return readings.flatMap((reading) => (index.work < end ? readOne(reading) : []))
  }

  let found = union(query.readings.map((reading) => read(reading, TYPO_LETTERS)))
  if (bestOf(found) < SLIPPED) return found
  // Names of the query's letters are looked for first: few share even the rarest of its pieces.
  const respaced = nearest(index, query.whole, SLIPPED, followers)
  if (respaced.slots.length > 0) return union([found, respaced])
  if (!isEnough(query, found)) {
    const withShort = query.readings.filter((reading) => reading.some(isShort))
    found = union([found, ...tried(withShort, (reading) => read(reading, TYPO_LETTERS_POOR))])
  }
  if (!isEnough(query, found)) {
    const rarity = (word: string) => rarityOf(index.count(word), followers.length)
    const partial = query.readings.flatMap((reading) => partialReadings(reading, rarity))
    const matches = tried(partial, ({ reading, share }) =>
      read(reading, TYPO_LETTERS, missingCost(share)),
    )
    const bound = Math.min(bestOf(found), PARTIAL_MAX)
    found = union([found, only(union(matches), (_, score) => score < bound)])
  }
  const best = bestOf(found)
  if (best <= nearScore(1)) return found
  return union([found, nearest(index, query.whole, best, followers)])
}
