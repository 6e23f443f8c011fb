/**
 * Cuts folded text into words. Names and queries go through the same function, so that whatever it
 * decides, both sides agree.
 */
import { fold, isAscii } from './fold.ts'

/** A text's words in both ways of reading the marks inside them: `j.p. morgan` is j p morgan, or jp morgan. */
export interface Words {
  /** Cut at everything that isn't a letter, a digit or a symbol such as an emoji. */
  pieces: string[]
  /** Cut at white space alone, other marks dropped; single letters in a row count as one word. */
  joined: string[]
}

/** Runs of signs between white space, and the pieces of one. */
const SIGNS = { chunk: /[^\s\p{Z}\p{Cc}]+/gu, piece: /[\p{L}\p{N}\p{M}]+|\p{So}/gu }
/** The same in ASCII, where they are found in less time: nearly all text is, and a load cuts a million words. */
const ASCII_SIGNS = { chunk: /[!-~]+/g, piece: /[a-z0-9]+/g }

/** Scripts written without spaces. Their runs are cut into pairs of characters, each overlapping the next. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu
const HAS_UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Words are cut at this length: no word of a name is longer. */
const WORD_MAX = 40

export function tokenize(text: string): Words {
  const folded = fold(text)
  return isAscii(folded) ? asciiWords(folded) : words(folded)
}

/** Of any folded text. */
export function words(folded: string, signs = SIGNS): Words {
  const pieces: string[] = []
  const joined: string[] = []
  let single = ''
  for (const chunk of folded.match(signs.chunk) ?? []) {
    const parts = chunk.match(signs.piece) ?? []
    for (const part of parts) cut(part, pieces)
    single = join(parts.join(''), single, joined)
  }
  join('', single, joined)
  return { pieces, joined }
}

/** The same of ASCII. */
export const asciiWords = (folded: string) => words(folded, ASCII_SIGNS)

/**
 * Adds a chunk without its marks to the joined words; '' is one of marks alone, or the text's end.
 * @param single the single letters in a row before it. @returns those in a row with it
 */
function join(whole: string, single: string, joined: string[]): string {
  if (whole.length === 1) return single + whole
  if (single) joined.push(single.slice(0, WORD_MAX))
  if (whole) cut(whole, joined)
  return ''
}

/** Adds the word, or the pairs of its unspaced runs and the words between them. */
function cut(word: string, words: string[]) {
  if (isAscii(word) || !HAS_UNSPACED.test(word)) {
    words.push(word.slice(0, WORD_MAX))
    return
  }
  let end = 0
  for (const run of word.matchAll(UNSPACED)) {
    if (run.index > end) words.push(word.slice(end, run.index).slice(0, WORD_MAX))
    pairs(run[0], words)
    end = run.index + run[0].length
  }
  if (end < word.length) words.push(word.slice(end).slice(0, WORD_MAX))
}

function pairs(run: string, words: string[]) {
  const characters = [...run]
  if (characters.length === 1) words.push(run)
  for (let i = 1; i < characters.length; i++) words.push(`${characters[i - 1]}${characters[i]}`)
}

/** Whether the word is one of an unspaced run, which has no prefixes and no typos worth the name. */
export function isUnspaced(word: string): boolean {
  return !isAscii(word) && HAS_UNSPACED.test(word)
}
