/**
 * Finds every record that a query matches, and how well each does: those with every word (D36), and
 * where these are none or poor, the best partial matches and the nearest names (D51).
 */
import type { TermIndex } from '../../index-build/term-index.ts'
import { bestOf, better, isEnough, type Matches, noMatches, union } from './matches.ts'
import { nearest } from './nearest.ts'
import { partialReadings, type Reading, type SearchQuery } from './query.ts'
import type { FollowersRank } from './rank.ts'
import { ReadingMatcher } from './reading-matcher.ts'
import { missingCost, nearScore, PARTIAL_MAX, rarityOf, SLIPPED } from './score.ts'

/** Words from this length on may have a typo; shorter ones only where nothing else is found. */
const TYPO_LETTERS = 4
const TYPO_LETTERS_POOR = 2
const isShort = (word: string) => word.length < TYPO_LETTERS

/** Postings that further readings of one query may walk before no other one is tried. */
const FURTHER_WORK_MAX = 30_000

export class Matcher {
  readonly #index: TermIndex
  readonly #readings: ReadingMatcher

  constructor(index: TermIndex) {
    this.#index = index
    this.#readings = new ReadingMatcher(index)
  }

  /** @param followers of all records that the index holds. */
  match(query: SearchQuery, followers: FollowersRank): Matches {
    const read = (reading: Reading, typoLetters: number, missing = 0) =>
      this.#readings.match(query, reading, typoLetters, missing)

    let found = this.#union(query.readings.map((reading) => read(reading, TYPO_LETTERS)))
    if (bestOf(found) < SLIPPED) return found
    // Names of the query's letters are looked for first: few share even the rarest of its pieces.
    const respaced = nearest(this.#index, query.whole, SLIPPED, followers)
    if (respaced.slots.length > 0) return this.#union([found, respaced])
    if (!isEnough(query, found)) {
      const withShort = query.readings.filter((reading) => reading.some(isShort))
      const short = this.#tried(withShort, (reading) => read(reading, TYPO_LETTERS_POOR))
      found = this.#union([found, short])
    }
    if (!isEnough(query, found)) {
      const partial = this.#tried(this.#partial(query, followers), ({ reading, share }) =>
        read(reading, TYPO_LETTERS, missingCost(share)),
      )
      found = this.#union([found, better(partial, Math.min(bestOf(found), PARTIAL_MAX))])
    }
    const best = bestOf(found)
    if (best <= nearScore(1)) return found
    return this.#union([found, nearest(this.#index, query.whole, best, followers)])
  }

  #partial({ readings }: SearchQuery, { order }: FollowersRank) {
    const rarity = (word: string) =>
      rarityOf(this.#index.count(this.#index.term(word)), order.length)
    return readings.flatMap((reading) => partialReadings(reading, rarity))
  }

  /** Matches of further readings, until they have cost as much as a common query. */
  #tried<R>(readings: readonly R[], read: (reading: R) => Matches): Matches {
    const end = this.#index.work + FURTHER_WORK_MAX
    return this.#union(readings.flatMap((reading) => (this.#index.work < end ? read(reading) : [])))
  }

  #union(lists: readonly Matches[]): Matches {
    return lists.reduce((a, b) => union(a, b, this.#index.slotCount), noMatches())
  }
}
