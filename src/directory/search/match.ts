/**
 * Finds the records that a query means. Every source of candidates is asked, each within a bound of its own: words, names by
 * their letters, the query without a word, near names. `score.ts` has the one order of what they bring.
 *
 * To the answer, and to its total, belong the records that have every word, those whose name is the query's by its letters or
 * but for weak words, and of the others the ones that are better than all of these. Sources that can't bring any are left out.
 */

import { distance } from 'fastest-levenshtein'
import { latinOf, lettersOf } from '../../../index-build/fold.ts'
import { withPlace } from '../../../index-build/growing.ts'
import { formsIn, piecesOf } from '../../../index-build/name-pieces.ts'
import { FIELD_BITS, FIELD_MASK } from '../../../index-build/options.ts'
import { LEGAL_FORMS, type TermIndex } from '../../../index-build/term-index.ts'
import { isUnspaced, tokenize } from '../../../index-build/tokenize.ts'
import type { FollowersRank } from './followers-rank.ts'
import { bestOf, type Matches, matchesFrom, only, union, zerosFor } from './matches.ts'
import { type PartialReading, partialReadings, type Reading, type SearchQuery } from './query.ts'
import {
  COST,
  LEFT_COUNTS,
  likenessFor,
  matchesOf,
  missingSteps,
  NO_MATCH,
  nearScore,
  OTHER_ENDING,
  PARTIAL_MAX,
  PREFIX,
  rarityOf,
  SAME_CORE,
  SAME_KEY,
  sameCoreScore,
  sameLettersScore,
  scoreOf,
  scoreOfSteps,
  TYPO,
  TYPO_STEPS,
  UNLIKELY_TYPO,
  WHOLE,
  WORST,
  type Word,
  wordTooManyScore,
} from './score.ts'

// Finds names and handles that are near to the query as a whole, whatever its words are: those that share pieces of three letters
// with it. How near one of these is, is the mean of two measures: the share of pieces in common, rare ones counting more, and the
// share of letters that stay when one text is changed into the other.

/** Names less like the query, from 0 to 1, were not meant. Tests hold it by what people type and don't. */
const LIKENESS_MIN = 0.52
/** Shorter queries have too few pieces to tell what is near. */
const LETTERS_MIN = 4
/** Records found, at most. */
const FOUND_MAX = 12
/** Names whose letters are compared, and how large a share of pieces these have in common at least. */
const CANDIDATES = 40
const SHARED_MIN = 0.3
/** Weights are counted in units of this share, because their sums are whole numbers. */
const UNIT = 1 / 1_000

/** The query's pieces, each with its weight (inverse document frequency), the rarest first. */
interface Pieces {
  weights: ReadonlyMap<number, number>
  total: number
  mean: number
}

/**
 * The records whose name or handle is nearest.
 * @param letters of the query, in the script of the names.
 * @param bound only records with a better score are wanted.
 * @param followers settle ties, also over who is still among those compared and found.
 * @param workMax entries of lists of pieces that are looked at, of the rarest pieces first: they say most.
 */
function nearest(
  index: TermIndex,
  letters: string,
  bound: number,
  followers: FollowersRank,
  workMax: number,
): Matches {
  if (letters.length < LETTERS_MIN || bound <= nearScore(1)) return matchesFrom([])
  const pieces = weighed(index, letters, followers.length)
  const near = candidates(index, pieces, Math.min(1, likenessFor(bound)), followers, workMax)
    .map((slot): [slot: number, score: number] => {
      const [name, handle] = [index.names[slot] ?? '', index.handles[slot] ?? '']
      const likes = [name, handle, latinOf(name)].map((text) =>
        likeness(lettersOf(text), letters, pieces),
      )
      const like = Math.max(...likes)
      return [slot, like < LIKENESS_MIN ? WORST : nearScore(like)]
    })
    .filter(([, score]) => score < bound)
    .sort(([a, m], [b, n]) => m - n || followers.order.compare(a, b))
  return matchesFrom(near.slice(0, FOUND_MAX))
}

function weighed(index: TermIndex, letters: string, records: number): Pieces {
  const weights = Array.from(piecesOf(letters), (piece): [piece: number, weight: number] => {
    const count = index.namePieces.length(piece)
    return [piece, Math.ceil(rarityOf(count, records) / UNIT)]
  })
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  weights.sort(([, a], [, b]) => b - a)
  return { weights: new Map(weights), total, mean: total / weights.length }
}

/**
 * The slots whose names have the largest share of pieces in common with the query.
 * @param like none less like is wanted.
 */
function candidates(
  index: TermIndex,
  pieces: Pieces,
  like: number,
  followers: FollowersRank,
  workMax: number,
): number[] {
  // By slot: the weight of the pieces in common.
  const sums = zerosFor(index.slotCount)
  const touched: number[] = []
  // Likeness is the mean of the share in common and another one, which is 1 at most.
  const wanted = weightFor(Math.max(SHARED_MIN, 2 * like - 1), pieces.total)
  let ahead = pieces.total
  let work = 0
  for (const [piece, weight] of pieces.weights) {
    if (ahead < wanted && touched.length <= CANDIDATES) break
    const slots = index.namePieces.numbers(piece)
    work += slots.length
    if (work > workMax) break
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0
      const sum = sums[slot] ?? 0
      if (sum === 0 && ahead < wanted) continue
      if (sum === 0) touched.push(slot)
      sums[slot] = sum + weight
    }
    ahead -= weight
  }
  index.work += Math.max(0, Math.min(work, workMax))
  // So few are all compared: not all their pieces were looked at.
  const isFew = touched.length <= CANDIDATES
  const found: { slot: number; share: number }[] = []
  for (const slot of touched) {
    const sum = sums[slot] ?? 0
    sums[slot] = 0
    if (sum + ahead < wanted) continue
    const share = shared(pieces, sum, index.nameLetters(slot) - sum / pieces.mean)
    if (isFew || share >= SHARED_MIN) found.push({ slot, share })
  }
  found.sort((a, b) => b.share - a.share || followers.order.compare(a.slot, b.slot))
  return found.slice(0, CANDIDATES).map(({ slot }) => slot)
}

/**
 * The share in common of the query's pieces and a name's (Dice's coefficient). A piece that the name
 * has beyond the query counts half: names are often typed in part.
 * @param common the weight in common. @param others how many pieces the name has beyond the query.
 */
function shared({ total, mean }: Pieces, common: number, others: number): number {
  return (2 * common) / (total + common + (Math.max(0, others) * mean) / 2)
}

/** The least weight in common that makes so large a share. */
const weightFor = (share: number, total: number) => (share * total) / (2 - share)

/** How like the name's letters are to the query's, from 0 to 1. */
function likeness(name: string, letters: string, pieces: Pieces): number {
  let common = 0
  let others = 0
  for (const piece of piecesOf(name)) {
    const weight = pieces.weights.get(piece)
    if (weight === undefined) others++
    else common += weight
  }
  if (common === 0) return 0
  const kept = 1 - distance(letters, name) / Math.max(letters.length, name.length)
  return (shared(pieces, common, others) + kept) / 2
}

// Finds every record that one reading of a query matches, and how well each does. Words are looked up one after the other, and
// each walks its postings once. So the work is bounded by the postings of the query's words, and the set is whole: totals are
// exact.

/** Longer ones aren't names, and each letter costs some seventy lookups. */
const TYPO_LETTERS_MAX = 40
/** Words of one reading that may have a typo: more have never been meant. */
const TYPO_WORDS_MAX = 8

/**
 * @param typoLetters words from this length on may have a typo.
 * @param missing what the words cost that the query has beyond the reading.
 */
function matchReading(
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
      isLast: place === reading.length - 1 && query.readings.some((all) => all.at(-1) === text),
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
    scores[i] = scoreOf(sum, words, letters.length, index.nameLetters(slot), isNamed)
  }
  return scores
}

// Finds names and handles by their letters, whatever stands between these: as the query has them, and without some of its words.

/** The records whose name or handle has the query's letters, or is it in another script. */
function called(index: TermIndex, { whole, letters }: SearchQuery): Matches {
  const { latin, consonants } = formsIn(whole)
  const like = (form: string, score: number) =>
    index.withForm(form).map((slot) => [slot, score] as const)
  return matchesFrom([
    ...index.withForm(letters).map((slot) => {
      const name = index.names[slot] ?? ''
      const isName = lettersOf(name) === letters
      return [slot, isName ? sameLettersScore(distance(whole, name)) : SAME_KEY] as const
    }),
    ...like(latin, SAME_CORE),
    ...consonants.flatMap((form) => like(form, scoreOfSteps(TYPO_STEPS))),
  ])
}

/** The records whose name is the query without some words, or has another weak word than it. */
function calledInPart(index: TermIndex, whole: string, parts: readonly PartialReading[]): Matches {
  const found: [slot: number, score: number][] = []
  const add = (letters: string, scoreFor: (name: string) => number) => {
    for (const slot of index.withForm(letters)) {
      const name = index.names[slot] ?? ''
      if (lettersOf(name) === letters) found.push([slot, scoreFor(name)])
    }
  }
  for (const { reading, missing, dropped } of parts) {
    const letters = reading.join('')
    const isWeak = missing === 0
    add(letters, (name) =>
      isWeak ? sameCoreScore(dropped, distance(whole, name)) : wordTooManyScore(missing),
    )
    if (!isWeak) continue
    for (const word of index.weakWords) {
      // A word of its own: `side chain` ends with chain, `sidechain` does not.
      add(letters + word, (name) => (tokenize(name).pieces.at(-1) === word ? OTHER_ENDING : WORST))
    }
  }
  return matchesFrom(found)
}

/** Words from this length on may have a typo; shorter ones in a further reading. */
const TYPO_LETTERS = 4
const TYPO_LETTERS_SHORT = 2
const NO_TYPO = Number.POSITIVE_INFINITY
const isShort = (word: string) => word.length < TYPO_LETTERS
/** Postings that further readings may walk before no other one is tried, and pieces that are looked at after them. */
const FURTHER_WORK_MAX = 30_000
const WORK_MAX = 60_000
/** Records that are answered however poorly they match, without further readings. */
const MANY = 50
/** Partial readings that are looked up word by word, at most. */
const PARTIALS_MAX = 6

/**
 * Every record that the query may mean, with its score. Those that have all of its words or are called so are found in full; what
 * else is asked brings only what is better than these.
 * @param followers of all records that the index holds.
 */
export function match(index: TermIndex, query: SearchQuery, followers: FollowersRank): Matches {
  const { readings, letters, whole } = query
  const everyWord = withEveryWord(index, query)
  const start = index.work
  const parts = readings.flatMap((reading) =>
    partialReadings(reading, rarities(index, reading, followers.length)),
  )
  const withAll = union([called(index, query), everyWord])
  const isPoor = bestOf(withAll) > SAME_KEY
  const inPart = calledInPart(index, whole, isPoor ? parts : parts.filter((it) => it.missing === 0))
  const named = union([withAll, only(inPart, (_, score) => score < SAME_KEY)])
  const best = bestOf(named)
  const better = (matches: Matches, limit = best) =>
    only(matches, (_, score) => score < Math.min(best, limit))
  const found = [named, better(inPart)]
  const further = named.slots.length > MANY ? [] : furtherReadings(readings, parts)
  for (const { reading, typoLetters, steps } of further) {
    const least = scoreOfSteps(Math.max(steps, TYPO_STEPS))
    const isWorthIt = least < Math.min(best, PARTIAL_MAX)
    if (!isWorthIt || index.work > start + FURTHER_WORK_MAX) continue
    found.push(better(matchReading(index, query, reading, typoLetters, steps), PARTIAL_MAX))
  }
  for (const text of new Set([letters, lettersOf(latinOf(whole))])) {
    const bound = Math.min(...found.map(bestOf))
    found.push(nearest(index, text, bound, followers, start + WORK_MAX - index.work))
  }
  return union(found)
}

/** The records with every word of the query, or of a host above the one that it names, a step further off each. */
function withEveryWord(index: TermIndex, query: SearchQuery): Matches {
  const { readings, parents } = query
  return union([
    ...readings.map((reading) => matchReading(index, query, reading, TYPO_LETTERS)),
    ...parents.map((host, above) => matchReading(index, query, host, NO_TYPO, above + 1)),
  ])
}

/** A reading with its typos or without some words, and the steps that its records are off for these. */
interface FurtherReading {
  reading: Reading
  typoLetters: number
  steps: number
}

function furtherReadings(
  readings: readonly Reading[],
  parts: readonly PartialReading[],
): FurtherReading[] {
  const short = readings.filter((reading) => reading.some(isShort))
  const most = parts.filter(({ share }) => share < 0.5).slice(0, PARTIALS_MAX)
  return [
    ...short.map((reading) => ({ reading, typoLetters: TYPO_LETTERS_SHORT, steps: 0 })),
    ...most.map(({ reading, share }) => ({
      reading,
      typoLetters: TYPO_LETTERS,
      steps: missingSteps(share),
    })),
  ]
}

/** How rare each word is; nothing where it is a weak one at the end, or a legal form in front. */
function rarities(index: TermIndex, reading: Reading, records: number): number[] {
  const isStrong = (word: string) => !index.weakWords.has(word)
  const first = reading.findIndex((word) => !(index.weakWords.has(word) && LEGAL_FORMS.has(word)))
  const last = reading.findLastIndex(isStrong)
  return reading.map((word, place) =>
    last >= 0 && (place < first || place > last) ? 0 : rarityOf(index.count(word), records),
  )
}
