/**
 * Finds every record that one reading of a query matches, and how well each does.
 *
 * Words are looked up one after the other, the rarest first, and each walks its postings once. So
 * the work is bounded by the postings of the query's words, and the set is whole: totals are exact.
 */
import { SHORT } from '../../index-build/beginnings.ts'
import { withPlace } from '../../index-build/growing.ts'
import type { TermIndex } from '../../index-build/term-index.ts'
import { isUnspaced } from '../../index-build/tokenize.ts'
import { type Matches, noMatches } from './matches.ts'
import type { Reading, SearchQuery } from './query.ts'
import {
  beginningTable,
  COST,
  matchTable,
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

/** In `#state` how well a record matches stands below the stage, so that the state of a later stage is the larger. */
const STAGE = 2 ** 23
const MATCH_MASK = STAGE - 1
const STAGES_MAX = 2 ** 31 / STAGE - 1

interface LookedUp extends Word {
  /** The term that it is; undefined where it is none. */
  term: number | undefined
  /** Where it may be unfinished: the lists of the words that it is a short beginning of, or their terms. */
  lists: Uint32Array
  longer: readonly number[]
  /** How much it matches, roughly. */
  size: number
}

const NO_LISTS = new Uint32Array(0)

export class ReadingMatcher {
  readonly #index: TermIndex
  // A common word stands in a hundred thousand records. So what is known of a slot during a search is in
  // typed arrays that stay, of as many numbers as there are slots.
  /**
   * The last stage in which a record matched, and how well. Each word of each reading is another stage, so that
   * nothing has to be cleared between them until the stages are used up.
   */
  #state = new Uint32Array(0)
  #stage = 0
  /** The sum over the words of the reading before the last. */
  #sum = new Uint32Array(0)
  /** The slots that match all words so far, and how many those are. */
  #found = new Uint32Array(0)
  #foundCount = 0
  /** Postings walked since the start: what tests hold bounded. */
  work = 0

  constructor(index: TermIndex) {
    this.#index = index
  }

  /**
   * @param typoLetters words from this length on may have a typo.
   * @param missing what the words cost that the query has beyond the reading.
   */
  match(query: SearchQuery, reading: Reading, typoLetters: number, missing = 0): Matches {
    const { slotCount } = this.#index
    this.#state = withPlace(this.#state, slotCount)
    this.#sum = withPlace(this.#sum, slotCount)
    this.#found = withPlace(this.#found, slotCount)
    if (this.#stage + reading.length > STAGES_MAX) {
      this.#state.fill(0)
      this.#stage = 0
    }
    let typoWords = 0
    for (const [position, word] of this.#rarestFirst(reading, query.whole).entries()) {
      const { length } = [...word.text]
      const hasLetters = length >= typoLetters && length <= TYPO_LETTERS_MAX
      const mayHaveTypo = hasLetters && !isUnspaced(word.text) && typoWords++ < TYPO_WORDS_MAX
      this.#lookUp(word, position, mayHaveTypo)
      if (this.#foundCount === 0) return noMatches()
    }
    return this.#scored(query, reading.length, missing * COST)
  }

  /** Puts what was found into the order of its slots: what is read for each then follows each other in memory. */
  #sortFound() {
    const [states, found, reached] = [this.#state, this.#found, this.#stage * STAGE]
    let count = 0
    for (let slot = 0; slot < this.#index.slotCount; slot++) {
      // Without a branch: a processor guesses one in two of these wrong.
      found[count] = slot
      count += Number((states[slot] ?? 0) >= reached)
    }
  }

  /** What matches all words, in arrays of its own. */
  #scored({ letters, whole }: SearchQuery, words: number, missing: number): Matches {
    if (this.#foundCount >= this.#index.slotCount * MANY) this.#sortFound()
    const slots = this.#found.slice(0, this.#foundCount)
    const scores = new Uint16Array(slots.length)
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0
      const before = words > 1 ? (this.#sum[slot] ?? 0) : 0
      const sum = missing + before + ((this.#state[slot] ?? 0) & MATCH_MASK)
      // Where a name is the query every word stands in it whole: cheaper to tell than to compare.
      const isNamed = sum < (words + 1) * COST && this.#index.name(slot) === whole
      scores[i] = scoreOf(sum, words, letters, this.#index.nameLetters(slot), isNamed)
    }
    return { slots, scores }
  }

  /** The words in the order in which the sets shrink early; the result doesn't depend on it. */
  #rarestFirst(reading: Reading, whole: string): LookedUp[] {
    const { beginnings } = this.#index
    const words = reading.map((text, position) => {
      const isLast = position === reading.length - 1
      const term = this.#index.term(text)
      const isShort = text.length <= SHORT
      const lists = isLast && isShort ? beginnings.lists(text) : NO_LISTS
      const longer = isLast && !isShort ? this.#index.range(text) : []
      const known = this.#index.count(term) + longer.length
      const size = lists.reduce((sum, list) => sum + beginnings.count(list), known)
      return { text, isFirst: position === 0, isAlone: text === whole, term, lists, longer, size }
    })
    return words.sort((a, b) => a.size - b.size)
  }

  /** Finds the slots that match this word and all that were looked up before it. */
  #lookUp(word: LookedUp, position: number, mayHaveTypo: boolean) {
    const index = this.#index
    this.#foundCount = 0
    this.#stage++
    const { term, lists, longer, text } = word
    if (term !== undefined) this.#walk(index.postings(term), matchTable(word, WHOLE), position)
    if (lists.length > 0) {
      const table = beginningTable(word)
      for (const list of lists) this.#walk(index.beginnings.entries(list), table, position)
    }
    const byLeft: Uint32Array[] = []
    for (const other of longer) {
      if (other === term) continue
      const left = index.letters(other) - text.length
      byLeft[left] ??= matchTable(word, PREFIX, left)
      this.#walk(index.postings(other), byLeft[left], position)
    }
    if (mayHaveTypo) {
      const [likely, unlikely] = [matchTable(word, TYPO), matchTable(word, UNLIKELY_TYPO)]
      for (const [other, isLikely] of index.typos(text)) {
        this.#walk(index.postings(other), isLikely ? likely : unlikely, position)
      }
    }
  }

  /**
   * Takes one list into account, of entries that are a slot above the bits that the table knows. The innermost
   * loop of every search: all in one function.
   * @param matches by those bits, how well the word matches. @param position how many words were looked up before.
   */
  #walk(entries: Uint32Array, matches: Uint32Array, position: number) {
    const [states, sums, found] = [this.#state, this.#sum, this.#found]
    const [mask, reached] = [matches.length - 1, this.#stage * STAGE]
    // The state of a record that matches all words before.
    const least = position === 0 ? 0 : reached - STAGE
    const bits = Math.clz32(0) - Math.clz32(mask)
    let foundCount = this.#foundCount
    this.work += entries.length
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] ?? 0
      const slot = entry >>> bits
      const state = states[slot] ?? 0
      if (state < least) continue
      const match = matches[entry & mask] ?? NO_MATCH
      if (match === NO_MATCH) continue
      const next = reached + match
      if (state < reached) {
        found[foundCount++] = slot
        if (position > 0) {
          sums[slot] = (position > 1 ? (sums[slot] ?? 0) : 0) + (state & MATCH_MASK)
        }
      } else if (next >= state) continue
      states[slot] = next
    }
    this.#foundCount = foundCount
  }
}
