/**
 * Finds every record that one reading of a query matches, and how well each does.
 *
 * Words are looked up one after the other, the rarest first, and each walks its postings once. So
 * the work is bounded by the postings of the query's words, and the set is whole: totals are exact.
 */
import { SHORT } from '../../index-build/beginnings.ts'
import type { TermIndex } from '../../index-build/term-index.ts'
import { isUnspaced } from '../../index-build/tokenize.ts'
import type { Matches } from './matches.ts'
import type { Reading, SearchQuery } from './query.ts'
import {
  beginningTable,
  COST,
  type MatchTable,
  matchTable,
  mayBeNamed,
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

/** From this share of all slots on, a pass over all of them is quicker than jumping between some. */
const MANY = 1 / 16

/**
 * In `#state` the best match of a word stands below the number of words matched, so that the state of
 * a record that matches one word more is always the larger.
 */
const MATCH_BITS = 23
const MATCH_MASK = (1 << MATCH_BITS) - 1

interface LookedUp extends Word {
  /** The term that it is; undefined where it is none. */
  term: number | undefined
  /** Where it may be unfinished: the lists of the words that it is a short beginning of, or their terms. */
  lists: readonly number[]
  longer: readonly number[]
  /** How much it matches, roughly. */
  size: number
}

export class ReadingMatcher {
  readonly #index: TermIndex
  // A common word stands in a hundred thousand records. So what is known of a slot during a search is in
  // typed arrays that stay, of as many numbers as there are slots.
  /** How many of the reading's words a record matches, and how well the last. All zero between calls. */
  #state = new Uint32Array(0)
  /** The sum over the words before the last. All zero between calls. */
  #sum = new Uint32Array(0)
  /** The slots that match the word looked up last, and how many those are. */
  #found = new Uint32Array(0)
  #foundCount = 0
  /** Those of one list. */
  #entries = new Uint32Array(1024)
  #slots = 0
  /** Postings walked since the start: what tests hold bounded. */
  work = 0

  constructor(index: TermIndex) {
    this.#index = index
  }

  /** Begins another query. @param slots all slots are below it. */
  begin(slots: number) {
    if (this.#state.length < slots) {
      this.#state = new Uint32Array(slots)
      this.#sum = new Uint32Array(slots)
      this.#found = new Uint32Array(slots)
    }
    this.#slots = slots
  }

  /**
   * @param typoLetters words from this length on may have a typo.
   * @param missing what the words cost that the query has beyond the reading.
   */
  match(query: SearchQuery, reading: Reading, typoLetters: number, missing = 0): Matches {
    let typoWords = 0
    const words = this.#rarestFirst(reading, query.whole)
    let touched = new Uint32Array(0)
    for (const [position, word] of words.entries()) {
      if (position > 0) this.#addUp()
      const { length } = [...word.text]
      const hasLetters = length >= typoLetters && length <= TYPO_LETTERS_MAX
      const mayHaveTypo = hasLetters && !isUnspaced(word.text) && typoWords++ < TYPO_WORDS_MAX
      this.#lookUp(word, position, mayHaveTypo)
      if (position === 0 && words.length > 1) touched = this.#found.slice(0, this.#foundCount)
      if (this.#foundCount === 0) break
    }
    const matches = this.#scored(query, reading.length, missing * COST)
    this.#clear(touched)
    return matches
  }

  #clear(touched: Uint32Array) {
    if (touched.length >= this.#slots * MANY) {
      this.#state.fill(0, 0, this.#slots)
      this.#sum.fill(0, 0, this.#slots)
      return
    }
    for (let i = 0; i < touched.length; i++) {
      const slot = touched[i] ?? 0
      this.#state[slot] = 0
      this.#sum[slot] = 0
    }
  }

  /** Before the next word: the matches of the last go into the sum. */
  #addUp() {
    for (let i = 0; i < this.#foundCount; i++) {
      const slot = this.#found[i] ?? 0
      this.#sum[slot] = (this.#sum[slot] ?? 0) + ((this.#state[slot] ?? 0) & MATCH_MASK)
    }
  }

  /** Puts what was found into the order of its slots: what is read for each then follows each other in memory. */
  #sortFound(stage: number) {
    const [states, found] = [this.#state, this.#found]
    let count = 0
    for (let slot = 0; slot < this.#slots; slot++) {
      if ((states[slot] ?? 0) >>> MATCH_BITS === stage) found[count++] = slot
    }
  }

  /** What was found last, in arrays of its own. Its state is zero again. */
  #scored({ letters, whole }: SearchQuery, words: number, missing: number): Matches {
    if (this.#foundCount >= this.#slots * MANY) this.#sortFound(words)
    const slots = this.#found.slice(0, this.#foundCount)
    const scores = new Uint16Array(slots.length)
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0
      const before = words > 1 ? (this.#sum[slot] ?? 0) : 0
      const sum = missing + before + ((this.#state[slot] ?? 0) & MATCH_MASK)
      this.#state[slot] = 0
      const isNamed = mayBeNamed(sum, words) && this.#index.name(slot) === whole
      scores[i] = scoreOf(sum, words, letters, this.#index.nameLetters(slot), isNamed)
    }
    return { slots, scores }
  }

  /** The words in the order in which the sets shrink early; the result doesn't depend on it. */
  #rarestFirst(reading: Reading, whole: string): LookedUp[] {
    const words = reading.map((text, position) => {
      const isLast = position === reading.length - 1
      const term = this.#index.term(text)
      const isShort = text.length <= SHORT
      const lists = isLast && isShort ? this.#index.beginnings.lists(text) : []
      const longer = isLast && !isShort ? this.#index.range(text) : []
      const size = lists.reduce(
        (sum, list) => sum + this.#index.beginnings.count(list),
        this.#index.count(term) + longer.length,
      )
      return { text, isFirst: position === 0, isAlone: text === whole, term, lists, longer, size }
    })
    return words.sort((a, b) => a.size - b.size)
  }

  /** Finds the slots that match this word and, as `stage` counts, all words before it. */
  #lookUp(word: LookedUp, stage: number, mayHaveTypo: boolean) {
    const index = this.#index
    const { beginnings } = index
    this.#foundCount = 0
    if (word.term !== undefined) this.#walk(index, word.term, matchTable(word, WHOLE), 0, stage)
    if (word.lists.length > 0) {
      const table = beginningTable(word)
      for (const list of word.lists) this.#walk(beginnings, list, table, 0, stage)
    }
    const beginning = matchTable(word, PREFIX)
    for (const term of word.longer) {
      if (term === word.term) continue
      this.#walk(index, term, beginning, beginnings.letters(term) - word.text.length, stage)
    }
    if (mayHaveTypo) {
      const [likely, unlikely] = [matchTable(word, TYPO), matchTable(word, UNLIKELY_TYPO)]
      for (const [term, isLikely] of index.typos(word.text)) {
        this.#walk(index, term, isLikely ? likely : unlikely, 0, stage)
      }
    }
  }

  /**
   * Takes one list into account, of entries that are a slot above the bits that the table knows. The innermost
   * loop of every search: all in one function.
   * @param left letters that the term has beyond the word.
   */
  #walk(
    lists: Pick<TermIndex, 'count' | 'read'>,
    list: number,
    { matches, countsLeft }: MatchTable,
    left: number,
    stage: number,
  ) {
    const count = lists.count(list)
    if (count > this.#entries.length) this.#entries = new Uint32Array(2 * count)
    const [states, entries, mask] = [this.#state, this.#entries, matches.length - 1]
    const bits = Math.clz32(0) - Math.clz32(mask)
    lists.read(list, entries)
    this.work += count
    for (let i = 0; i < count; i++) {
      const entry = entries[i] ?? 0
      const slot = entry >>> bits
      const state = states[slot] ?? 0
      const reached = state >>> MATCH_BITS
      if (reached !== stage && reached !== stage + 1) continue
      const code = entry & mask
      const match = (matches[code] ?? NO_MATCH) + (countsLeft[code] === 1 ? left : 0)
      if (match >= NO_MATCH) continue
      const next = ((stage + 1) << MATCH_BITS) | match
      if (reached === stage) this.#found[this.#foundCount++] = slot
      else if (next >= state) continue
      states[slot] = next
    }
  }
}
