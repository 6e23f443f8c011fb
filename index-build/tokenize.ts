/**
 * Cuts folded text into words. Names and queries go through the same function, so that whatever it
 * decides, both sides agree.
 */
import { fold, isAscii } from './fold.ts'

/** A text's words in both ways of reading the marks inside them: `j.p. morgan` is j p morgan, or jp morgan. */
export interface Words {
  /** Cut at everything that isn't a letter, a digit or a symbol such as an emoji. */
  pieces: string[]
  /** Cut at white space alone, other marks dropped; single letters in a row count as one word. The list of pieces where that is the same. */
  joined: string[]
}

/** Kinds of signs: a mark ends a piece, a gap ends a run of pieces written together. */
const [LETTER, SYMBOL, MARK, GAP] = [0, 1, 2, 3]
const LETTERS = /[\p{L}\p{N}\p{M}]/u
const SYMBOLS = /\p{So}/u
const SPACE = 0x20
const GAPS = /[\s\p{Z}\p{Cc}]/u

/** @param code of a sign of folded text. */
function kindOf(code: number): number {
  // Nearly all text is ASCII, and a load looks at millions of letters.
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)) return LETTER
  if (code <= SPACE || code === 0x7f) return GAP
  if (code < 0x80) return MARK
  const sign = String.fromCodePoint(code)
  if (LETTERS.test(sign)) return LETTER
  if (SYMBOLS.test(sign)) return SYMBOL
  return GAPS.test(sign) ? GAP : MARK
}

/** Scripts written without spaces. Their runs are cut into pairs of characters, each overlapping the next. */
const UNSPACED = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+)/u
const HAS_UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Words are cut at this length: no word of a name is longer. */
const WORD_MAX = 40

export function tokenize(text: string): Words {
  const folded = fold(text)
  const hasUnspaced = isUnspaced(folded)
  const pieces: string[] = []
  const joined: string[] = []
  // Single letters in a row.
  let single = ''
  // The run written together so far, without its marks: '' where it is marks alone, null in a gap.
  let whole: string | null = null
  let start = 0
  for (let place = 0, width = 1; place <= folded.length; place += width) {
    const code = folded.codePointAt(place) ?? SPACE
    const kind = kindOf(code)
    width = code > 0xffff ? 2 : 1
    if (kind === LETTER) continue
    const part = folded.slice(start, place)
    const symbol = kind === SYMBOL ? folded.slice(place, place + width) : ''
    start = place + width
    if (part) cut(part, pieces, hasUnspaced)
    if (symbol) pieces.push(symbol)
    if (part || kind !== GAP) whole = `${whole ?? ''}${part}${symbol}`
    if (whole === null || kind !== GAP) continue
    if (whole.length === 1) single += whole
    else {
      if (single) joined.push(single.slice(0, WORD_MAX))
      if (whole) cut(whole, joined, hasUnspaced)
      single = ''
    }
    whole = null
  }
  if (single) joined.push(single.slice(0, WORD_MAX))
  const isSame = joined.length === pieces.length && joined.every((word, i) => word === pieces[i])
  return { pieces, joined: isSame ? pieces : joined }
}

/** Adds the word, or the pairs of its unspaced runs and the words between them. */
function cut(word: string, words: string[], mayBeUnspaced: boolean) {
  if (!mayBeUnspaced || !isUnspaced(word)) {
    words.push(word.slice(0, WORD_MAX))
    return
  }
  // The runs stand at odd places.
  for (const [place, part] of word.split(UNSPACED).entries()) {
    if (place % 2 === 1) pairs(part, words)
    else if (part) words.push(part.slice(0, WORD_MAX))
  }
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
