/**
 * Finds every record that one reading of a query matches, and how well each does.
 *
 * Words are looked up one after the other, and each walks its postings once. So the work is bounded by the
 * postings of the query's words, and the set is whole: totals are exact.
 */
import { withPlace } from '../../../index-build/growing.ts'
import { FIELD_BITS, FIELD_MASK } from '../../../index-build/options.ts'
import type { TermIndex } from '../../../index-build/term-index.ts'
import { isUnspaced } from '../../../index-build/tokenize.ts'
import { type Matches, zerosFor } from './matches.ts'
import type { Reading, SearchQuery } from './query.ts'
import {
  COST,
  LEFT_COUNTS,
  matchesOf,
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

/**
 * @param typoLetters words from this length on may have a typo.
 * @param missing what the words cost that the query has beyond the reading.
 */
export function matchReading(
  index: TermIndex,
  query: SearchQuery,
  reading: Reading,
  typoLetters: number,
  missing = 0,
): Matches {
  const zeros = zerosFor(2 * index.slotCount)
  // By slot: how well the record matches the words so far, plus 1 for each; 0 where it lacks one. And the same with the next.
  let [sums, next] = [zeros.subarray(0, index.slotCount), zeros.subarray(index.slotCount)]
  let slots = new Uint32Array(0)
  let typoWords = 0
  for (const [place, text] of reading.entries()) {
    const { length } = [...text]
    const hasLetters = length >= typoLetters && length <= TYPO_LETTERS_MAX
    const found = lookedUp(index, sums, next, {
      text,
      isFirst: place === 0,
      isLast: place === reading.length - 1,
      isAlone: text === query.whole,
      mayHaveTypo: hasLetters && !isUnspaced(text) && typoWords++ < TYPO_WORDS_MAX,
    })
    slots.forEach((slot) => {
      sums[slot] = 0
    })
    ;[sums, next, slots] = [next, sums, found]
    if (slots.length === 0) break
  }
  return { slots, scores: scoresOf(index, query, reading.length, missing, slots, sums) }
}

/** The slots that match this word and all before it. */
function lookedUp(index: TermIndex, sums: Uint32Array, next: Uint32Array, word: Word) {
  const whole = index.term(word.text)
  const [likely = [], others = []] = word.mayHaveTypo ? index.typos(word.text) : []
  const meanings: [terms: ArrayLike<number>, quality: number][] = [
    [word.isLast ? index.beginningWith(word.text) : [whole ?? []].flat(), PREFIX],
    [likely, TYPO],
    [others, UNLIKELY_TYPO],
  ]
  const found = withPlace(slotsFound, index.slotCount)
  slotsFound = found
  let count = 0
  for (const [terms, quality] of meanings) {
    const [matches, wholeMatches] = [matchesOf(word, quality), matchesOf(word, WHOLE)]
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i] ?? 0
      const reached = term === whole ? wholeMatches : matches
      const left = quality === PREFIX ? index.letters(term) - word.text.length : 0
      count = walk(index, term, reached, left, word.isFirst, sums, next, found, count)
    }
  }
  return found.slice(0, count)
}
/** Kept, because a common word stands in a hundred thousand records. */
let slotsFound = new Uint32Array(0)

/**
 * Walks a term's postings: the innermost loop of every search, compiled best where it stands alone.
 * @param reached by the fields of a posting: how well the word matches. @param left letters of the term beyond the word.
 * @param found takes the slots that no other term of the word had. @param count how many it has. @returns how many then.
 */
function walk(
  index: TermIndex,
  term: number,
  reached: Uint32Array,
  left: number,
  isFirst: boolean,
  sums: Uint32Array,
  next: Uint32Array,
  found: Uint32Array,
  count: number,
): number {
  const page = index.postings.page(term)
  const begin = index.postings.begin(term)
  const end = begin + index.postings.length(term)
  index.work += end - begin
  for (let place = begin; place < end; place++) {
    const posting = page[place] ?? 0
    const slot = posting >>> FIELD_BITS
    const before = isFirst ? 0 : (sums[slot] ?? 0)
    if (!isFirst && before === 0) continue
    const fields = posting & FIELD_MASK
    const match = (reached[fields] ?? 0) + left * (LEFT_COUNTS[fields] ?? 0) + 1
    const known = next[slot] ?? 0
    if (match > NO_MATCH || (known > 0 && known <= before + match)) continue
    if (known === 0) found[count++] = slot
    next[slot] = before + match
  }
  return count
}

/** The scores of slots that match all words, so many. Their sums are 0 then. */
function scoresOf(
  index: TermIndex,
  { whole, letters }: SearchQuery,
  words: number,
  missing: number,
  slots: Uint32Array,
  sums: Uint32Array,
): Uint16Array {
  const scores = new Uint16Array(slots.length)
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i] ?? 0
    const sum = missing * COST + (sums[slot] ?? 0) - words
    sums[slot] = 0
    // Where a name is the query every word stands in it whole: cheaper to tell than to compare.
    const isNamed = sum < (words + 1) * COST && index.names[slot] === whole
    scores[i] = scoreOf(sum, words, letters, index.nameLetters(slot), isNamed)
  }
  return scores
}
