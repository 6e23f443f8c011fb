/** How well a record matches, in numbers: the lower the better. */
import { FIELD, FIELD_MASK } from '../../../index-build/options.ts'

/**
 * A score is a rank, below it the nearness, below that one bit. The rank comes before the followers. Nearness, the letters that
 * the name has beyond the query, settles ties of followers. The bit says that some word stands outside the name: one search over
 * people and companies looks at it (`records/reads.ts`), lists don't.
 */
const NEARNESS_BITS = 4
export const NEARNESS = 1 << NEARNESS_BITS
const OUTSIDE_NAME = 1
/** Score added by a rank, and by a letter of nearness. */
const RANK = 2 * NEARNESS
const LETTER = 2
/** Ranks are below this. */
export const RANKS = 128

/**
 * The order of what all sources of candidates bring, the best first. A rank comes before the followers:
 *
 * | rank | the record |
 * |---|---|
 * | 0 | its name, ticker or handle is the query |
 * | 1 | its name has the query's letters, with spaces and marks elsewhere: nobody writes another name so |
 * | 2 | every word stands whole in its name, which is at most twice as long |
 * | 3 | its name is the query without weak words (`Labs`, `Inc`), or is it in another script; or every word stands in a longer name |
 * | 4 | its handle has the query's letters |
 *
 * From 2 on, 2 more for each step that a record is off, summed over the words: 1 for a beginning or a part of a handle, 4 to 7 for
 * a typo, because a beginning is meant more often, and 6 for a title or summary, which says what others are called as well. A
 * name that is the query without a word is 3 steps off, and as many ranks more as the word is rare, twice; a near name 6 steps,
 * and the more, the less like it is.
 */
const SAME_LETTERS = 1
const WORDS = 2
export const SAME_CORE = (WORDS + 1) * RANK
/** The score of a record whose handle has the query's letters. */
export const SAME_KEY = (WORDS + 2) * RANK + OUTSIDE_NAME
/** Steps of a typo, at least. */
export const TYPO_STEPS = 4

export const rankOf = (score: number) => score >>> (NEARNESS_BITS + 1)
export const nearnessOf = (score: number) => (score >>> 1) & (NEARNESS - 1)
/** The score of the same match in a name. */
export const inNameOf = (score: number) => score & ~OUTSIDE_NAME

/** The rank, and within it names before everything else. */
export const gradeOf = (score: number) => 2 * rankOf(score) + (score & OUTSIDE_NAME)

/** No score reaches it. */
export const WORST = RANKS * RANK

/**
 * How a word matches, in one number so that the lower of two is the better and the sum over all
 * words says how the record matches: cost, then words outside the name, then letters left over.
 */
const COST_BITS = 19
export const COST = 1 << COST_BITS
const OUTSIDE = 1 << 12
const LETTERS_MASK = OUTSIDE - 1

export const WHOLE = 1 * COST
export const PREFIX = 2 * COST
export const TYPO = 5 * COST
/** A typo that is one of many: by some letters less near. */
export const UNLIKELY_TYPO = TYPO + 3
/** On top: a word that stands in a part of a handle, or in a title or summary only. */
const IN_PART = 1 * COST + OUTSIDE
const IN_TEXT = 6 * COST + OUTSIDE

/** Letters that count as left over where the query begins with another word than the name. */
const NOT_FIRST = 3
/** The same where the record is found by its ticker, handle or domain: the name goes first. */
const NOT_NAME = 4

/** A word of a query. */
export interface Word {
  text: string
  isFirst: boolean
  /** So that it may be unfinished. */
  isLast: boolean
  /** True if it is all that was asked, so that a ticker or handle is exact. */
  isAlone: boolean
  mayHaveTypo: boolean
}

/** By the fields of a posting: how well the word matches its term. @param quality WHOLE, PREFIX, TYPO or UNLIKELY_TYPO. */
export function matchesOf({ isFirst, isAlone }: Word, quality: number): Uint32Array {
  const key = 4 * quality + 2 * Number(isFirst) + Number(isAlone)
  const matches =
    matchesKnown.get(key) ??
    Uint32Array.from(LEFT_COUNTS, (_, fields) => matchOf(fields, isFirst, isAlone, quality))
  matchesKnown.set(key, matches)
  return matches
}
const matchesKnown = new Map<number, Uint32Array>()

/** The best that the fields of one posting make of it. */
function matchOf(fields: number, isFirst: boolean, isAlone: boolean, quality: number): number {
  if (fields & FIELD.key && quality === WHOLE && isAlone) return EXACT_KEY
  if (fields & FIELD.name) {
    return quality + (isFirst && !(fields & FIELD.first) ? NOT_FIRST : 0)
  }
  // A key with a typo is another key: near ones are found as a whole.
  const isTypo = quality >= TYPO
  if (fields & (FIELD.key | FIELD.domain) && !isTypo) return quality + OUTSIDE + NOT_NAME
  if (fields & FIELD.part && !isTypo) return quality + IN_PART + NOT_NAME
  return fields & FIELD.text ? quality + IN_TEXT : NO_MATCH
}

/** By the fields of a posting: 1 where each letter counts that the term has beyond the word. */
export const LEFT_COUNTS = Uint8Array.from({ length: FIELD_MASK + 1 }, (_, fields) =>
  Number((fields & FIELD.name) === 0 && (fields & (FIELD.key | FIELD.domain | FIELD.part)) > 0),
)

const EXACT_KEY = 0
/** More than any match. */
export const NO_MATCH = 2 ** 30
const MOST_COST = (RANKS - WORDS - 2) / 2

/**
 * The score of a record that matches every word.
 * @param sum of what `matchOf` gave for each word.
 * @param letters in the query.
 * @param isNamed whether its name is the query.
 */
export function scoreOf(
  sum: number,
  words: number,
  letters: number,
  nameLetters: number,
  isNamed: boolean,
): number {
  // Exact, one way or another, is one rank; among those with as many followers, both ways is nearest.
  if (isNamed) return sum === EXACT_KEY ? 0 : LETTER
  if (sum === EXACT_KEY) return 2 * LETTER + OUTSIDE_NAME
  const cost = Math.min((sum >>> COST_BITS) - words, MOST_COST)
  const isInName = Number(sum % COST < OUTSIDE)
  const left = isInName * Math.max(0, nameLetters - letters) + (sum & LETTERS_MASK)
  // Once half a name is typed, a much longer name is probably not meant, whatever its followers.
  const isFar = Number(left > letters + NOT_NAME)
  const nearness = Math.min(left, NEARNESS - 1)
  const outside = isInName === 1 ? 0 : OUTSIDE_NAME
  return (WORDS + 2 * cost + isFar) * RANK + nearness * LETTER + outside
}

/** The score of so many steps, at best. */
export const scoreOfSteps = (steps: number) => (WORDS + 2 * steps) * RANK

/** A record that lacks words and has a worse score matches too little. */
export const PARTIAL_MAX = scoreOfSteps(15)

/** Steps for missing words. @param share their part of the query's rarity, below a half. */
export function missingSteps(share: number): number {
  return Math.round(5 + 15 * share)
}

/** The score of a record whose name has the query's letters. @param edits from the query to the name */
export function sameLettersScore(edits: number): number {
  return SAME_LETTERS * RANK + Math.min(edits, NEARNESS - 1) * LETTER
}

/** The score of a record whose name is the query without weak words. @param dropped how many these are */
export function sameCoreScore(dropped: number, edits: number): number {
  return SAME_CORE + (dropped - 1) * RANK + Math.min(edits, NEARNESS - 1) * LETTER
}

/** The score of a record whose name has another weak word than the query: better than any that has its other words alone. */
export const OTHER_ENDING = scoreOfSteps(missingSteps(0)) - RANK

/** The score of a record whose whole name is the query without a word, the more likely one too many the more common it is. */
export function wordTooManyScore(rarity: number): number {
  return Math.round(WORDS + 6 + 2 * rarity) * RANK
}

/** The score of a record whose name is so near to the query. @param likeness from 0 to 1. */
export function nearScore(likeness: number): number {
  return Math.round(NEAR + FAR * (1 - likeness)) * RANK
}
/** Rank of a name that is as near as can be: behind one typo, as far as three; and how many follow to the least near. */
const NEAR = WORDS + 12
const FAR = 60

/** The likeness below which no name has a better score than this. */
export function likenessFor(score: number): number {
  return 1 - (score / RANK + 0.5 - NEAR) / FAR
}

/** How rare what so many records have is: the inverse document frequency. */
export function rarityOf(count: number, records: number): number {
  return Math.log(1 + records / (1 + count))
}
