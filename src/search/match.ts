/**
 * Finds every record that a query matches, and how well each does: those with every word (D36), and
 * where these are none or doubtful, the best partial matches (D51).
 */
import { lettersOf } from '../../index-build/name-pieces.ts'
import type { TermIndex } from '../../index-build/term-index.ts'
import { bestOf, hasSlips, isDoubtful, isEnough, type Matches, only, union } from './matches.ts'
import { nearest } from './nearest.ts'
import { partialReadings, type Reading, repairedReadings, type SearchQuery } from './query.ts'
import { ReadingMatcher } from './reading-matcher.ts'
import { PARTIAL_MAX } from './score.ts'

/** Words from this length on may have a typo; shorter ones only where nothing else is found. */
const TYPO_LETTERS = 4
const TYPO_LETTERS_REPAIR = 2
const NO_TYPOS = Number.POSITIVE_INFINITY

/** Postings that repairs of one query may walk before no further one is tried. */
const REPAIR_WORK_MAX = 30_000

export class Matcher {
  readonly #index: TermIndex
  readonly #readings: ReadingMatcher
  /** One number per slot for a step's use, all zero between steps. */
  #scratch = new Uint32Array(0)
  #nearWork = 0

  constructor(index: TermIndex) {
    this.#index = index
    this.#readings = new ReadingMatcher(index)
  }

  /** Postings walked, and words whose typos were looked up, since the start: what tests hold bounded. */
  get work(): number {
    return this.#readings.work + this.#nearWork
  }

  get typoWords(): number {
    return this.#readings.typoWords
  }

  /** @param slots how many slots are in use. */
  match(query: SearchQuery, slots: number): Matches {
    if (this.#scratch.length < slots) this.#scratch = new Uint32Array(slots * 2)
    this.#readings.begin(slots)
    const found = this.#all(query.readings, query, TYPO_LETTERS)
    if (!hasSlips(found)) return found
    const isKnown = (word: string) => this.#index.count(this.#index.term(word)) > 0
    const repaired = query.readings.flatMap((reading) => repairedReadings(reading, isKnown))
    const spaced = this.#all(repaired, query, NO_TYPOS)
    if (isEnough(query, found)) return this.#joined(found, this.#sameLetters(query, spaced))
    const short = this.#all(query.readings, query, TYPO_LETTERS_REPAIR)
    const matches = union([this.#joined(found, spaced), short], this.#scratch)
    return this.#withPartial(query, matches, slots)
  }

  /** Those whose name differs from the query by spaces and marks alone. */
  #sameLetters({ whole }: SearchQuery, matches: Matches): Matches {
    const letters = lettersOf(whole)
    return only(matches, (slot) => lettersOf(this.#index.name(slot)) === letters)
  }

  /** Matches of these readings, until they have cost as much as a common query. */
  #all(readings: readonly Reading[], query: SearchQuery, typoLetters: number): Matches {
    const match = (reading: Reading) => this.#readings.match(query, reading, typoLetters)
    return union(this.#tried(readings, match), this.#scratch)
  }

  #tried<T>(readings: readonly T[], match: (reading: T) => Matches): Matches[] {
    const end = this.work + REPAIR_WORK_MAX
    return readings.flatMap((reading) => (this.work < end ? match(reading) : []))
  }

  /** With the records that lack a word or are near by name, where they match better than those of `all`. */
  #withPartial(query: SearchQuery, all: Matches, slots: number): Matches {
    if (isEnough(query, all) || !isDoubtful(all)) return all
    const rarity = (word: string) =>
      Math.log(1 + slots / (1 + this.#index.count(this.#index.term(word))))
    const readings = query.readings.flatMap((reading) => partialReadings(reading, rarity))
    const some = this.#tried(readings, ({ reading, missing }) =>
      this.#readings.match(query, reading, TYPO_LETTERS, missing),
    )
    const close = only(union(some, this.#scratch), (_, score) => score < PARTIAL_MAX)
    const partial = this.#joined(all, close)
    if (!isDoubtful(partial)) return partial
    const { work, ...near } = nearest(query.whole, this.#index, slots, this.#scratch)
    this.#nearWork += work
    return this.#joined(partial, near)
  }

  /** The matches, and of the others those that are better than all of them. */
  #joined(matches: Matches, others: Matches): Matches {
    const best = bestOf(matches)
    return union([matches, only(others, (_, score) => score < best)], this.#scratch)
  }
}
