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

/** In `#state` how well a record matches stands below the stage, so that the state of a later stage is the larger. */
const STAGE = 2 ** 23
const MATCH_MASK = STAGE - 1
const STAGES_MAX = 2 ** 31 / STAGE - 1

/** A list of entries that are a slot above some bits, and by these bits how well a record matches. */
interface Walk {
  entries: Uint32Array
  matches: Uint32Array
}

interface LookedUp extends Word {
  /** Where it stands without a typo. */
  walks: Walk[]
  /** How much that is. */
  size: number
}

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

  /** What matches all words, in arrays of its own. */
  #scored({ letters, whole }: SearchQuery, words: number, missing: number): Matches {
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
    const words = reading.map((text, position) => {
      const word = { text, isFirst: position === 0, isAlone: text === whole }
      const walks = this.#walksOf(word, position === reading.length - 1)
      const size = walks.reduce((sum, { entries }) => sum + entries.length, 0)
      return { ...word, walks, size }
    })
    return words.sort((a, b) => a.size - b.size)
  }

  /** Where the word stands whole, and where words stand that begin with it if it may be unfinished. */
  #walksOf(word: Word, mayBeUnfinished: boolean): Walk[] {
    const index = this.#index
    const term = index.term(word.text)
    const walks: Walk[] = []
    const walk = (entries: Uint32Array, matches: Uint32Array) => walks.push({ entries, matches })
    if (term !== undefined) walk(index.postings(term), matchTable(word, WHOLE))
    if (mayBeUnfinished && word.text.length <= SHORT) {
      const matches = beginningTable(word)
      for (const list of index.beginnings.lists(word.text))
        walk(index.beginnings.entries.numbers(list), matches)
    } else if (mayBeUnfinished) {
      for (const longer of index.range(word.text)) {
        if (longer === term) continue
        const left = index.letters(longer) - word.text.length
        walk(index.postings(longer), matchTable(word, PREFIX, left))
      }
    }
    return walks
  }

  /** Finds the slots that match this word and all that were looked up before it. */
  #lookUp(word: LookedUp, position: number, mayHaveTypo: boolean) {
    this.#foundCount = 0
    this.#stage++
    for (const walk of word.walks) this.#walk(walk, position)
    if (!mayHaveTypo) return
    const [likely, unlikely] = [matchTable(word, TYPO), matchTable(word, UNLIKELY_TYPO)]
    for (const [term, isLikely] of this.#index.typos(word.text)) {
      const entries = this.#index.postings(term)
      this.#walk({ entries, matches: isLikely ? likely : unlikely }, position)
    }
  }

  /**
   * Takes one list into account. The innermost loop of every search: all in one function.
   * @param position how many words were looked up before.
   */
  #walk({ entries, matches }: Walk, position: number) {
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
