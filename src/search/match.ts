/**
 * Finds every record that a query matches, and how well each does: those with every word (D36), and
 * where these are none or poor, the best partial matches and the nearest names (D51).
 */
import type { TermIndex } from '../../index-build/term-index.ts'
import type { FollowersRank } from './followers-rank.ts'
import { bestOf, better, hasSlips, isEnough, type Matches, only, union } from './matches.ts'
import { type NearestSpace, nearest } from './nearest.ts'
import { partialReadings, type Reading, type SearchQuery } from './query.ts'
import { ReadingMatcher } from './reading-matcher.ts'
import { PARTIAL_MAX, rarityOf } from './score.ts'

/** Words from this length on may have a typo; shorter ones only where nothing else is found. */
const TYPO_LETTERS = 4
const TYPO_LETTERS_POOR = 2
const isShort = (word: string) => word.length < TYPO_LETTERS

/** Postings that further readings of one query may walk before no other one is tried. */
const FURTHER_WORK_MAX = 30_000

export class Matcher {
  readonly #index: TermIndex
  readonly #readings: ReadingMatcher
  /** For a step's use: one number per slot each. */
  #space = spaceFor(0)
  #nearWork = 0

  constructor(index: TermIndex) {
    this.#index = index
    this.#readings = new ReadingMatcher(index)
  }

  /** Postings and name pieces walked since the start: what tests hold bounded. */
  get work(): number {
    return this.#readings.work + this.#nearWork
  }

  get typoWords(): number {
    return this.#index.typoWords
  }

  /** @param followers of all records that the index holds. */
  match(query: SearchQuery, followers: FollowersRank): Matches {
    const slots = followers.places.length
    if (this.#space.slots.length < slots) this.#space = spaceFor(slots)
    this.#readings.begin(slots)
    const read = (reading: Reading, typoLetters: number, missing = 0) =>
      this.#readings.match(query, reading, typoLetters, missing)

    const every = this.#union(query.readings.map((reading) => read(reading, TYPO_LETTERS)))
    if (!hasSlips(every)) return every
    const near = this.#nearest(query, bestOf(every), followers)
    if (isEnough(query, every)) return this.#joined(every, near)
    const withShort = query.readings.filter((reading) => reading.some(isShort))
    const short = this.#tried(withShort, (reading) => read(reading, TYPO_LETTERS_POOR))
    const all = this.#union([every, short])
    if (isEnough(query, all)) return this.#joined(all, near)
    const partial = this.#tried(this.#partial(query, followers), ({ reading, missing }) =>
      read(reading, TYPO_LETTERS, missing),
    )
    const most = this.#joined(
      all,
      only(partial, (_, score) => score < PARTIAL_MAX),
    )
    return this.#joined(most, near)
  }

  #partial({ readings }: SearchQuery, { order }: FollowersRank) {
    const rarity = (word: string) =>
      rarityOf(this.#index.count(this.#index.term(word)), order.length)
    return readings.flatMap((reading) => partialReadings(reading, rarity))
  }

  #nearest({ whole }: SearchQuery, bound: number, followers: FollowersRank): Matches {
    const { work, ...matches } = nearest(whole, bound, this.#index, followers, this.#space)
    this.#nearWork += work
    return matches
  }

  /** Matches of further readings, until they have cost as much as a common query. */
  #tried<R>(readings: readonly R[], read: (reading: R) => Matches): Matches {
    const end = this.work + FURTHER_WORK_MAX
    return this.#union(readings.flatMap((reading) => (this.work < end ? read(reading) : [])))
  }

  #union(lists: readonly Matches[]): Matches {
    return union(lists, this.#space.sums)
  }

  /** The matches, and of the others those that are better than all of them. */
  #joined(matches: Matches, others: Matches): Matches {
    return this.#union([matches, better(matches, others)])
  }
}

const spaceFor = (slots: number): NearestSpace => ({
  sums: new Uint32Array(slots),
  slots: new Uint32Array(slots),
  touched: new Uint32Array(slots),
})
