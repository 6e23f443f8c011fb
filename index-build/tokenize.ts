/**
 * Cuts folded text into words. Names and queries go through the same function, so that whatever it
 * decides, both sides agree.
 */
import { fold, isAscii, isAsciiLetter } from './fold.ts'

/** A text's words in both ways of reading the marks inside them: `j.p. morgan` is j p morgan, or jp morgan. */
export interface Words {
  /** Cut at everything that isn't a letter, a digit or a symbol such as an emoji. */
  pieces: string[]
  /** Cut at white space alone, other marks dropped; single letters in a row count as one word. The list of pieces where that is the same. */
  joined: string[]
}

const CHUNK = /[^\s\p{Z}\p{Cc}]+/gu
const PIECE = /[\p{L}\p{N}\p{M}]+|\p{So}/gu

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
export function words(folded: string): Words {
  const pieces: string[] = []
  const joined: string[] = []
  let single = ''
  for (const chunk of folded.match(CHUNK) ?? []) {
    const parts = chunk.match(PIECE) ?? []
    for (const part of parts) cut(part, pieces)
    single = join(parts.join(''), single, joined)
  }
  join('', single, joined)
  return { pieces, joined }
}

/**
 * The same of ASCII, which nearly all text is. A loop, because a load cuts a million words: with patterns its documents
 * take a third to two thirds longer.
 */
export function asciiWords(folded: string): Words {
  const pieces: string[] = []
  const joined: string[] = []
  let single = ''
  let whole = ''
  let isInChunk = false
  let start = 0
  for (let i = 0; i <= folded.length; i++) {
    const code = i < folded.length ? folded.charCodeAt(i) : SPACE
    if (isAsciiLetter(code)) continue
    const isGap = code <= SPACE || code === DELETE
    if (start < i) {
      const part = folded.slice(start, i)
      pieces.push(part.slice(0, WORD_MAX))
      whole = whole === '' ? part : whole + part
    }
    if (start < i || !isGap) isInChunk = true
    start = i + 1
    if (!isGap || !isInChunk) continue
    single = join(whole, single, joined, addShort)
    whole = ''
    isInChunk = false
  }
  join('', single, joined, addShort)
  return { pieces, joined: isSame(pieces, joined) ? pieces : joined }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const addShort = (word: string, words: string[]) => words.push(word.slice(0, WORD_MAX))
const SPACE = 0x20
const DELETE = 0x7f

/**
 * Adds a chunk without its marks to the joined words; '' is one of marks alone, or the text's end.
 * @param single the single letters in a row before it. @param add adds a word. @returns the single letters in a row with it
 */
function join(whole: string, single: string, joined: string[], add = cut): string {
  if (whole.length === 1) return single + whole
  if (single) joined.push(single.slice(0, WORD_MAX))
  if (whole) add(whole, joined)
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
