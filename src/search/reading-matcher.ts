/**
 * Finds every record that one reading of a query matches, and how well each does.
 *
 * Words are looked up one after the other, and each walks its postings once. So the work is bounded by the
 * postings of the query's words, and the set is whole: totals are exact.
 */
import { withPlace } from '../../index-build/growing.ts'
import { FIELD_BITS, FIELD_MASK } from '../../index-build/options.ts'
import type { TermIndex } from '../../index-build/term-index.ts'
import { isUnspaced } from '../../index-build/tokenize.ts'
import { type Matches, zerosFor } from './matches.ts'
import type { Reading, SearchQuery } from './query.ts'
import {
  COST,
  matchOf,
  NO_MATCH,
  PREFIX,
  scoreOf,
  TYPO,
  UNLIKELY_TYPO,
  WHOLE,
  type Word,
} from './score.ts'

/** Longer ones aren't names, and each letter costs some seventy lookups. */
const TYPO_LETTERS_MAX = 40
/** Words of one reading that may have a typo: more have never been meant. */
const TYPO_WORDS_MAX = 8

export class ReadingMatcher {
  readonly #index: TermIndex
  // A common word stands in a hundred thousand records. So what is known of them is in typed arrays that stay.
  /** By slot: how well the record matches the words so far, plus 1 for each; 0 where it lacks one. */
  #sums: Uint32Array = new Uint32Array(0)
  /** By slot: how well the record matches the word that is looked up, plus 1; 0 where it doesn't. */
  #best = new Uint32Array(0)
  /** The slots that match the word that is looked up and all before it, and how many those are. */
  #found = new Uint32Array(0)
  #count = 0

  constructor(index: TermIndex) {
    this.#index = index
  }

  /**
   * @param typoLetters words from this length on may have a typo.
   * @param missing what the words cost that the query has beyond the reading.
   */
  match(query: SearchQuery, reading: Reading, typoLetters: number, missing = 0): Matches {
    const { slotCount } = this.#index
    this.#sums = zerosFor(slotCount)
    this.#best = withPlace(this.#best, slotCount)
    this.#found = withPlace(this.#found, slotCount)
    let slots: Uint32Array = new Uint32Array(0)
    let typoWords = 0
    for (const [place, text] of reading.entries()) {
      const word = { text, isFirst: place === 0, isAlone: text === query.whole }
      const { length } = [...text]
      const hasLetters = length >= typoLetters && length <= TYPO_LETTERS_MAX
      const mayHaveTypo = hasLetters && !isUnspaced(text) && typoWords++ < TYPO_WORDS_MAX
      this.#lookUp(word, place === reading.length - 1, mayHaveTypo)
      slots = this.#narrowed(slots)
      if (slots.length === 0) break
    }
    return { slots, scores: this.#scores(slots, query, reading.length, missing * COST) }
  }

  /** Finds the slots that match this word and all that were looked up before it. */
  #lookUp(word: Word, mayBeUnfinished: boolean, mayHaveTypo: boolean) {
    const index = this.#index
    const whole = index.term(word.text)
    this.#count = 0
    if (mayBeUnfinished) this.#walk(index.beginningWith(word.text), word, PREFIX)
    else if (whole !== undefined) this.#walk([whole], word, WHOLE)
    for (const [other, isLikely] of mayHaveTypo ? index.typos(word.text) : []) {
      this.#walk([other], word, isLikely ? TYPO : UNLIKELY_TYPO)
    }
  }

  /** Takes the terms' postings into account: the innermost loop of every search. @param quality of all but the word itself. */
  #walk(terms: ArrayLike<number>, { text, isFirst, isAlone }: Word, quality: number) {
    const [index, sums, best, found] = [this.#index, this.#sums, this.#best, this.#found]
    let foundCount = this.#count
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i] ?? 0
      const left = quality === PREFIX ? index.letters(term) - text.length : 0
      const count = index.count(term)
      index.work += count
      for (let place = 0; place < count; place++) {
        const posting = index.posting(term, place)
        const slot = posting >>> FIELD_BITS
        if (!isFirst && sums[slot] === 0) continue
        const isWhole = quality === PREFIX && left === 0
        const match =
          matchOf(posting & FIELD_MASK, isFirst, isAlone, isWhole ? WHOLE : quality, left) + 1
        const known = best[slot] ?? 0
        if (match > NO_MATCH || (known > 0 && known <= match)) continue
        if (known === 0) found[foundCount++] = slot
        best[slot] = match
      }
    }
    this.#count = foundCount
  }

  /** Adds what the word gives to the sums. @param before the slots that matched before. @returns those that match still */
  #narrowed(before: Uint32Array) {
    const [sums, best] = [this.#sums, this.#best]
    const slots = this.#found.slice(0, this.#count)
    for (let i = 0; i < before.length; i++) {
      const slot = before[i] ?? 0
      if (best[slot] === 0) sums[slot] = 0
    }
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0
      sums[slot] = (sums[slot] ?? 0) + (best[slot] ?? 0)
      best[slot] = 0
    }
    return slots
  }

  /** The scores of what matches all words. The sums are zero from then on. */
  #scores(slots: Uint32Array, { letters, whole }: SearchQuery, words: number, missing: number) {
    const [index, sums] = [this.#index, this.#sums]
    const scores = new Uint16Array(slots.length)
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0
      const sum = missing + (sums[slot] ?? 0) - words
      sums[slot] = 0
      // Where a name is the query every word stands in it whole: cheaper to tell than to compare.
      const isNamed = sum < (words + 1) * COST && index.name(slot) === whole
      scores[i] = scoreOf(sum, words, letters, index.nameLetters(slot), isNamed)
    }
    return scores
  }
}
