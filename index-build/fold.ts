/** Text as it is compared: without case, accents, compatibility forms and what can't be seen. */

/** Letters that Unicode doesn't take apart, though a reader of ASCII types them without their mark. */
const PLAIN: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}
const PLAIN_LETTERS = /[ßæœøđðþłħıς]/g

/**
 * Marks that sit on letters of any script (accents, Arabic vowel signs, variation selectors) and the
 * Hebrew points. The vowel signs of Indic scripts stay: there they are letters.
 */
const MARKS = /[\p{Script=Inherited}\u0591-\u05bd\u05bf-\u05c7]+/gu

/** Signs that say nothing about the name; some of them would become letters. */
const SIGNS = /[™℠®©]/g

/** Zero-width and direction characters, soft hyphens: no gap between words, just nothing. */
const INVISIBLE = /\p{Cf}+/gu

/** A loop, because texts are short: a regular expression takes three times as long to start. */
export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}

export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  return text
    .replace(SIGNS, '')
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter)
}

/** A folded name's letters, digits, marks and symbols in a row: words that were joined or cut make no difference. */
export function lettersOf(name: string): string {
  return name.replace(isAscii(name) ? NOT_ASCII_LETTERS : NOT_LETTERS, '')
}
const NOT_LETTERS = /[^\p{L}\p{N}\p{M}\p{So}]+/gu
/** The same of ASCII, in half the time. */
const NOT_ASCII_LETTERS = /[^a-z0-9]+/g
