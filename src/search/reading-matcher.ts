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
 * By slot two numbers, both 0 between searches. At `SUM`: how well the record matches the words so far, plus 1 for each; 0
 * where it lacks one. At `BEST`: how well it matches the word that is looked up, plus 1; 0 where it doesn't.
 */
type Marks = Uint32Array
const [SUM, BEST] = [0, 1]

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
  const words = reading.length
  const marks = zerosFor(2 * index.slotCount)
  let slots = new Uint32Array(0)
  let typoWords = 0
  for (const [place, text] of reading.entries()) {
    const { length } = [...text]
    const hasLetters = length >= typoLetters && length <= TYPO_LETTERS_MAX
    const found = lookedUp(index, marks, {
      text,
      isFirst: place === 0,
      isLast: place === words - 1,
      isAlone: text === query.whole,
      mayHaveTypo: hasLetters && !isUnspaced(text) && typoWords++ < TYPO_WORDS_MAX,
    })
    narrow(marks, place === 0 ? found : slots)
    slots = found
    if (slots.length === 0) break
  }
  const scores = new Uint16Array(slots.length)
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i] ?? 0
    const sum = missing * COST + (marks[2 * slot + SUM] ?? 0) - words
    marks[2 * slot + SUM] = 0
    // Where a name is the query every word stands in it whole: cheaper to tell than to compare.
    const isNamed = sum < (words + 1) * COST && index.name(slot) === query.whole
    scores[i] = scoreOf(sum, words, query.letters, index.nameLetters(slot), isNamed)
  }
  return { slots, scores }
}

/** The slots that match this word and all before it: the innermost loop of every search. */
function lookedUp(index: TermIndex, marks: Marks, word: Word): Uint32Array<ArrayBuffer> {
  const { postings } = index
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
      const page = postings.page(term)
      const begin = postings.begin(term)
      const end = begin + postings.length(term)
      index.work += end - begin
      for (let place = begin; place < end; place++) {
        const posting = page[place] ?? 0
        const slot = posting >>> FIELD_BITS
        if (!word.isFirst && marks[2 * slot + SUM] === 0) continue
        const fields = posting & FIELD_MASK
        const match = (reached[fields] ?? 0) + left * (LEFT_COUNTS[fields] ?? 0) + 1
        const known = marks[2 * slot + BEST] ?? 0
        if (match > NO_MATCH || (known > 0 && known <= match)) continue
        if (known === 0) found[count++] = slot
        marks[2 * slot + BEST] = match
      }
    }
  }
  return found.slice(0, count)
}
/** Kept, because a common word stands in a hundred thousand records. */
let slotsFound = new Uint32Array(0)

/** Adds what a word gives to the sums. @param slots that matched before; they have none from then on where it does not match. */
function narrow(marks: Marks, slots: Uint32Array) {
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i] ?? 0
    const best = marks[2 * slot + BEST] ?? 0
    marks[2 * slot + SUM] = best === 0 ? 0 : (marks[2 * slot + SUM] ?? 0) + best
    marks[2 * slot + BEST] = 0
  }
}
