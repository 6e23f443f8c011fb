/** Text as it is compared: without case, accents, compatibility forms and what can't be seen. */
import anyAscii from 'any-ascii'

/** Letters that Unicode doesn't take apart, though people type another: a plain one, or that of their Arabic or Persian keyboard. */
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
  ی: 'ي',
  ى: 'ي',
  ک: 'ك',
  ة: 'ه',
  ە: 'ه',
  ہ: 'ه',
  ھ: 'ه',
}
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

/** Digits of any script, and signs of currencies, which names have in place of letters: `USD₮`. */
const DIGITS_AND_CURRENCIES = /[\p{Nd}\p{Sc}]/gu

/** Kana with its voicing mark, another letter than the one without. */
const VOICED = /[\u3040-\u30ff][\u3099\u309a]/g

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
    .replace(DIGITS_AND_CURRENCIES, anyAscii)
    .replace(INVISIBLE, '')
    .toLowerCase()
    .replace(VOICED, (kana) => kana.normalize('NFC'))
    .replace(MARKS, '')
    .replace(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter)
}

/**
 * A folded text in Latin letters; empty where it has no others. A name in a row of Chinese or Korean syllables is the family
 * name, which is one nearly always, and the given one.
 */
export function latinOf(folded: string): string {
  if (isAscii(folded)) return ''
  const latin = anyAscii(folded.normalize('NFC').replace(NOT_WRITTEN, ' ')).replace(NOT_LATIN, '')
  return latin.trim().replace(SYLLABLES, '$1 $2').toLowerCase()
}
const NOT_WRITTEN = /[^\p{L}\p{N}\p{M}]+/gu
const NOT_LATIN = /[^A-Za-z0-9 ]+/g
/** Syllables begin with a capital, which folded text has nowhere else. */
const SYLLABLES = /^([A-Z][a-z]*)([A-Z][A-Za-z]*)$/

/** A folded name's letters, digits, marks and symbols in a row: words that were joined or cut make no difference. */
export function lettersOf(name: string): string {
  return name.replace(isAscii(name) ? NOT_ASCII_LETTERS : NOT_LETTERS, '')
}
const NOT_LETTERS = /[^\p{L}\p{N}\p{M}\p{So}]+/gu
/** The same of ASCII, in half the time. */
const NOT_ASCII_LETTERS = /[^a-z0-9]+/g
