/**
 * Finds every record that a query matches, and how well each does.
 *
 * Words are looked up one after the other, the rarest first, and each walks its postings once. So
 * the work is bounded by the postings of the query's words, and the set is whole: totals are exact.
 */
import {
  fieldsOf,
  GONE,
  type Posting,
  slotOf,
  type TermIndex,
} from '../../index-build/term-index.ts'
import { isUnspaced } from '../../index-build/tokenize.ts'
import { type Reading, repairedReadings, type SearchQuery } from './query.ts'
import {
  matchOf,
  POOR,
  PREFIX,
  scoreOf,
  TYPO,
  UNLIKELY_TYPO,
  WHOLE,
  WORST,
  type Word,
} from './score.ts'

/** Matching records, in no order: slots, and of each at the same position its score. */
export interface Matches {
  slots: number[]
  scores: number[]
}

/** Words from this length on may have a typo; shorter ones only where nothing else is found. */
const TYPO_LETTERS = 4
const TYPO_LETTERS_REPAIR = 2
/** Longer ones aren't names, and each letter costs some seventy lookups. */
const TYPO_LETTERS_MAX = 40
/** Words of one reading that may have a typo: more have never been meant. */
const TYPO_WORDS_MAX = 8

/** Postings that repairs of one query may walk before no further one is tried. */
const REPAIR_WORK_MAX = 30_000

export class Matcher {
  readonly #index: TermIndex
  /** Per slot: how many of the reading's words have matched. All zero between calls, like the others. */
  #stage = new Uint8Array(0)
  /** Per slot: the best match of the word being looked up. */
  #best = new Uint32Array(0)
  /** Per slot: the sum over the words before. */
  #sum = new Uint32Array(0)
  /** The typos of the query's words, which most of its readings share. */
  readonly #typos = new Map<string, ReadonlyMap<number, boolean>>()
  /** Postings walked, and words whose typos were looked up, since the start: what tests hold bounded. */
  work = 0
  typoWords = 0

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
    this.#typos.clear()
    const found = query.readings.map((reading) => this.#match(query, reading, TYPO_LETTERS))
    const matches = union(found)
    return isEnough(query, matches) ? matches : union([...found, ...this.#repaired(query)])
  }

  /** Matches of what may have been meant instead, as long as that costs no more than a common query. */
  #repaired(query: SearchQuery): Matches[] {
    const isKnown = (word: string) => this.#index.count(this.#index.term(word)) > 0
    const repaired = query.readings.flatMap((reading) => repairedReadings(reading, isKnown))
    const end = this.work + REPAIR_WORK_MAX
    const found: Matches[] = []
    for (const reading of [...query.readings, ...repaired]) {
      if (this.work < end) found.push(this.#match(query, reading, TYPO_LETTERS_REPAIR))
    }
    return found
  }

  #match(query: SearchQuery, reading: Reading, typoLetters: number): Matches {
    let typoWords = 0
    const words = this.#rarestFirst(reading, query.whole)
    let touched: number[] = []
    let candidates: number[] = []
    for (const [position, word] of words.entries()) {
      const { length } = word.text
      const hasLetters = length >= typoLetters && length <= TYPO_LETTERS_MAX
      const mayHaveTypo = hasLetters && !isUnspaced(word.text) && typoWords++ < TYPO_WORDS_MAX
      candidates = this.#lookUp(word, position, mayHaveTypo)
      if (position === 0) touched = candidates
      for (const slot of candidates) {
        this.#sum[slot] = (this.#sum[slot] ?? 0) + (this.#best[slot] ?? 0)
      }
      if (candidates.length === 0) break
    }
    const { length } = reading
    const scores = candidates.map((slot) =>
      scoreOf(
        this.#sum[slot] ?? 0,
        length,
        query.letters,
        this.#index.nameLetters(slot),
        this.#index.nameHash(slot) === query.nameHash,
      ),
    )
    for (const slot of touched) {
      this.#stage[slot] = 0
      this.#sum[slot] = 0
    }
    return { slots: candidates, scores }
  }

  #typosOf(word: string): ReadonlyMap<number, boolean> {
    const known = this.#typos.get(word)
    if (known) return known
    this.typoWords++
    const typos = this.#index.typos(word)
    this.#typos.set(word, typos)
    return typos
  }

  /** An order of lookups in which the sets shrink early; the result doesn't depend on it. */
  #rarestFirst(reading: Reading, whole: string): Word[] {
    const words = reading.map((text, position) => {
      const isLast = position === reading.length - 1
      const word = { text, isFirst: position === 0, isLast, isAlone: text === whole }
      const count = this.#index.count(this.#index.term(text))
      return { ...word, size: isLast ? count + this.#index.range(text).length : count }
    })
    return words.sort((a, b) => a.size - b.size)
  }

  /** @returns the slots that match this word and, as `stage` counts, all words before it. */
  #lookUp(word: Word, stage: number, mayHaveTypo: boolean): number[] {
    const index = this.#index
    const found: number[] = []
    const whole = index.term(word.text)
    this.#walk(index.postings(whole), word, WHOLE, 0, stage, found)
    if (word.isLast) {
      for (const term of index.range(word.text)) {
        if (term === whole) continue
        const left = index.lengthOf(term) - word.text.length
        this.#walk(index.postings(term), word, PREFIX, left, stage, found)
      }
    }
    if (mayHaveTypo) {
      for (const [term, isLikely] of this.#typosOf(word.text)) {
        this.#walk(index.postings(term), word, isLikely ? TYPO : UNLIKELY_TYPO, 0, stage, found)
      }
    }
    return found
  }

  /**
   * Takes one term's postings into account.
   * @param left letters that the term has beyond the word.
   */
  #walk(
    postings: Posting | readonly Posting[],
    word: Word,
    quality: number,
    left: number,
    stage: number,
    found: number[],
  ) {
    if (typeof postings === 'number') {
      if (postings !== GONE) this.#take(postings, word, quality, left, stage, found)
      return
    }
    for (const posting of postings) this.#take(posting, word, quality, left, stage, found)
  }

  #take(
    posting: Posting,
    word: Word,
    quality: number,
    left: number,
    stage: number,
    found: number[],
  ) {
    this.work++
    const slot = slotOf(posting)
    const reached = this.#stage[slot]
    if (reached !== stage && reached !== stage + 1) return
    const match = matchOf(fieldsOf(posting), word, quality, left)
    if (reached === stage) {
      this.#stage[slot] = stage + 1
      this.#best[slot] = match
      found.push(slot)
    } else if (match < (this.#best[slot] ?? 0)) {
      this.#best[slot] = match
    }
  }
}

/** What any of the lists matches, each with its best score. */
function union(lists: readonly Matches[]): Matches {
  const [only, ...others] = lists.filter(({ slots }) => slots.length > 0)
  if (!only || others.length === 0) return only ?? { slots: [], scores: [] }
  const best = new Map<number, number>()
  for (const { slots, scores } of [only, ...others]) {
    slots.forEach((slot, i) => {
      const score = scores[i] ?? WORST
      if (score < (best.get(slot) ?? WORST)) best.set(slot, score)
    })
  }
  return { slots: [...best.keys()], scores: [...best.values()] }
}

/** Whether what was found as it stands may have been meant. One word that is found is not doubted. */
function isEnough({ readings }: SearchQuery, { slots, scores }: Matches): boolean {
  if (slots.length === 0) return false
  const hasOneWord = readings.every((reading) => reading.length === 1)
  return hasOneWord || slots.length > DOUBTED_MAX || scores.some((score) => score < POOR)
}

/** So many records are an answer, however poorly they match. */
const DOUBTED_MAX = 50
