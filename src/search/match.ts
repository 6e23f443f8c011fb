/**
 * Finds every record that a query matches, and how well each does.
 *
 * Words are looked up one after the other, the rarest first, and each walks its postings once. So
 * the work is bounded by the postings of the query's words, and the set is whole: totals are exact.
 */
import { FIELD } from '../../index-build/options.ts'
import { fieldsOf, type Posting, slotOf, type TermIndex } from '../../index-build/term-index.ts'
import { isUnspaced } from '../../index-build/tokenize.ts'
import { type Reading, repairedReadings, type SearchQuery } from './query.ts'

/** Matching records, in no order: slots, and of each its score at the same position. Lower is better. */
export interface Matches {
  slots: number[]
  scores: number[]
}

/** Scores are below this. */
export const SCORES = 512

/** Words from this length on may have a typo; shorter ones only where nothing else is found. */
const TYPO_LETTERS = 4
const TYPO_LETTERS_REPAIR = 3
/** Words of one query that may have a typo: more have never been meant, and each costs a walk. */
const TYPO_WORDS_MAX = 8

/**
 * How a word matches, in one number so that the lower of two is the better and the sum over all
 * words says how the record matches: cost, then words outside the name, then letters left over.
 */
const COST = 1 << 19
const OUTSIDE = 1 << 12
const LETTERS_MASK = OUTSIDE - 1

const WHOLE = 1 * COST
const PREFIX = 2 * COST
const TYPO = 5 * COST
/** On top: a word that stands in a part of a handle, or in a title or summary only. */
const IN_PART = 1 * COST + OUTSIDE
const IN_TEXT = 6 * COST + OUTSIDE

interface Word {
  text: string
  isLast: boolean
}

export class Matcher {
  readonly #index: TermIndex
  /** Per slot: how many of the reading's words have matched. All zero between calls, like the others. */
  #stage = new Uint8Array(0)
  /** Per slot: the best match of the word being looked up. */
  #best = new Uint32Array(0)
  /** Per slot: the sum over the words before. */
  #sum = new Uint32Array(0)
  /** Postings walked since the start: what tests hold bounded. */
  work = 0

  constructor(index: TermIndex) {
    this.#index = index
  }

  /** @param slots how many slots are in use. */
  match(query: SearchQuery, slots: number): Matches {
    if (this.#stage.length < slots) {
      this.#stage = new Uint8Array(slots * 2)
      this.#best = new Uint32Array(slots * 2)
      this.#sum = new Uint32Array(slots * 2)
    }
    const found = this.#union(query, query.readings, TYPO_LETTERS)
    if (found.slots.length > 0) return found
    const isKnown = (word: string) => this.#index.postings(this.#index.term(word)).length > 0
    const repaired = query.readings.flatMap((reading) => repairedReadings(reading, isKnown))
    return this.#union(query, [...query.readings, ...repaired], TYPO_LETTERS_REPAIR)
  }

  #union(query: SearchQuery, readings: readonly Reading[], typoLetters: number): Matches {
    const [first, ...others] = readings.map((reading) => this.#match(query, reading, typoLetters))
    if (!first || others.every(({ slots }) => slots.length === 0)) return first ?? EMPTY
    const best = new Map<number, number>()
    for (const { slots, scores } of [first, ...others]) {
      slots.forEach((slot, i) => {
        const score = scores[i] ?? SCORES
        if (score < (best.get(slot) ?? SCORES)) best.set(slot, score)
      })
    }
    return { slots: [...best.keys()], scores: [...best.values()] }
  }

  #match(query: SearchQuery, reading: Reading, typoLetters: number): Matches {
    let typoWords = 0
    const words = this.#rarestFirst(reading)
    let touched: number[] = []
    let candidates: number[] = []
    for (const [position, word] of words.entries()) {
      const mayHaveTypo =
        word.text.length >= typoLetters && !isUnspaced(word.text) && typoWords++ < TYPO_WORDS_MAX
      candidates = this.#lookUp(word, position, reading.length, mayHaveTypo)
      if (position === 0) touched = candidates
      for (const slot of candidates) {
        this.#sum[slot] = (this.#sum[slot] ?? 0) + (this.#best[slot] ?? 0)
      }
      if (candidates.length === 0) break
    }
    const scores = candidates.map((slot) => this.#score(query, slot, reading.length))
    for (const slot of touched) {
      this.#stage[slot] = 0
      this.#sum[slot] = 0
    }
    return { slots: candidates, scores }
  }

  /** An order of lookups in which the sets shrink early; the result doesn't depend on it. */
  #rarestFirst(reading: Reading): Word[] {
    const words = reading.map((text, position) => {
      const isLast = position === reading.length - 1
      const { length } = this.#index.postings(this.#index.term(text))
      return { text, isLast, size: isLast ? length + this.#index.range(text).length : length }
    })
    return words.sort((a, b) => a.size - b.size)
  }

  /** @returns the slots that match this word and, as `stage` counts, all words before it. */
  #lookUp(word: Word, stage: number, words: number, mayHaveTypo: boolean): number[] {
    const index = this.#index
    const found: number[] = []
    const whole = index.term(word.text)
    this.#walk(index.postings(whole), WHOLE, 0, stage, words === 1, found)
    if (word.isLast) {
      for (const term of index.range(word.text)) {
        if (term === whole) continue
        const left = index.text(term).length - word.text.length
        this.#walk(index.postings(term), PREFIX, left, stage, false, found)
      }
    }
    if (mayHaveTypo) {
      for (const term of index.typos(word.text)) {
        this.#walk(index.postings(term), TYPO, 0, stage, false, found)
      }
    }
    return found
  }

  /**
   * Takes one term's postings into account.
   * @param left letters that the term has beyond the word.
   * @param isWholeQuery whether the term is all that was asked, so that a ticker or handle is exact.
   */
  #walk(
    postings: readonly Posting[],
    quality: number,
    left: number,
    stage: number,
    isWholeQuery: boolean,
    found: number[],
  ) {
    this.work += postings.length
    for (const posting of postings) {
      const slot = slotOf(posting)
      const reached = this.#stage[slot]
      if (reached !== stage && reached !== stage + 1) continue
      const match = matchOf(fieldsOf(posting), quality, left, isWholeQuery)
      if (reached === stage) {
        this.#stage[slot] = stage + 1
        this.#best[slot] = match
        found.push(slot)
      } else if (match < (this.#best[slot] ?? 0)) {
        this.#best[slot] = match
      }
    }
  }

  #score({ nameHash, letters }: SearchQuery, slot: number, words: number): number {
    const sum = this.#sum[slot] ?? 0
    if (sum < COST || this.#index.nameHash(slot) === nameHash) return 0
    const cost = Math.min(Math.floor(sum / COST) - words, 60)
    const isInName = sum % COST < OUTSIDE
    const left = isInName ? this.#index.nameLetters(slot) - letters : sum & LETTERS_MASK
    return 1 + cost * 8 + (left <= 0 ? 0 : Math.min(7, Math.ceil(left / 2)))
  }
}

const EMPTY: Matches = { slots: [], scores: [] }

/** The best that the fields of one posting make of it. */
function matchOf(fields: number, quality: number, left: number, isWholeQuery: boolean): number {
  if (isWholeQuery && fields & FIELD.key) return 0
  if (fields & FIELD.name) return quality
  if (fields & (FIELD.key | FIELD.domain)) return quality + OUTSIDE + left
  if (fields & FIELD.part) return quality + IN_PART + left
  return quality + IN_TEXT
}
