/**
 * Words by their first letters, for beginnings of up to four: in which records and fields they stand. Of a
 * million people four hundred thousand have a word with the same first letter, and some ten thousand words
 * begin with the same two: postings are walked as they follow each other, not word by word.
 */
import { withPlace } from './growing.ts'
import { NumberLists } from './number-lists.ts'
import { FIELD } from './options.ts'
import { WordTable } from './word-table.ts'

/** Words that begin with the same letters, so many, share a list. */
export const SHORT = 4

/**
 * An entry is a record's slot above a code for what counts of a beginning: the best field that the word
 * stands in, and the word's letters where these count.
 */
const CODE_BITS = 7
const LETTERS_MAX = 62
const [IN_TEXT, BEFORE_KEYS, BEFORE_PARTS] = [2, 2, 2 + LETTERS_MAX]

/** By code: a field that it stands for, and the letters of the word; 0 where these don't count. */
export const CODES = Array.from({ length: 1 << CODE_BITS }, (_, code) => {
  if (code > BEFORE_PARTS) return { field: FIELD.part, letters: code - BEFORE_PARTS }
  if (code > BEFORE_KEYS) return { field: FIELD.key, letters: code - BEFORE_KEYS }
  return { field: [FIELD.name | FIELD.first, FIELD.name, FIELD.text][code] ?? 0, letters: 0 }
})

function entryOf(slot: number, fields: number, letters: number): number {
  return ((slot << CODE_BITS) | codeOf(fields, Math.min(letters, LETTERS_MAX))) >>> 0
}

function codeOf(fields: number, letters: number): number {
  if (fields & FIELD.name) return fields & FIELD.first ? 0 : 1
  if (fields & (FIELD.key | FIELD.domain)) return BEFORE_KEYS + letters
  return fields & FIELD.part ? BEFORE_PARTS + letters : IN_TEXT
}

export class Beginnings {
  /** The first letters of words, up to `SHORT`. The number of a beginning is that of its lists. */
  readonly #beginnings = new WordTable()
  /** By first letter: the beginnings. */
  readonly #byLetter = new NumberLists()
  /** The entries of each list. The rest follows from the terms (`addTerm`). */
  readonly entries = new NumberLists()
  /** By term number: its list. */
  #listOf = new Uint32Array(1024)
  /** By list: the terms longer than `SHORT` that are not in the tree of words. */
  readonly #keys = new NumberLists()

  /** Takes note of a term before its first record. @param isKey it is not in the tree of words. */
  addTerm(term: number, word: string, isKey: boolean) {
    const beginning = word.slice(0, SHORT)
    const known = this.#beginnings.get(beginning)
    const list = known ?? this.#beginnings.add(beginning)
    if (known === undefined) this.#byLetter.add(word.charCodeAt(0), list)
    this.#listOf = withPlace(this.#listOf, term)
    this.#listOf[term] = list
    if (isKey && word.length > SHORT) this.#keys.add(list, term)
  }

  /** The terms that begin as `prefix` does, some of them not with all of it, and are not in the tree or were not. */
  keys(prefix: string): Uint32Array {
    const list = this.#beginnings.get(prefix.slice(0, SHORT))
    return list === undefined ? new Uint32Array(0) : this.#keys.numbers(list)
  }

  /** @param letters of the term. */
  add(term: number, slot: number, fields: number, letters: number) {
    this.entries.add(this.#listOf[term] ?? 0, entryOf(slot, fields, letters))
  }

  remove(term: number, slot: number, fields: number, letters: number) {
    this.entries.remove(this.#listOf[term] ?? 0, entryOf(slot, fields, letters))
  }

  /** The lists of the words that begin with `prefix`. @param prefix of at most `SHORT` letters. */
  lists(prefix: string): Uint32Array {
    const sameLetter = this.#byLetter.numbers(prefix.charCodeAt(0))
    return sameLetter.filter((list) => this.#beginnings.beginsWith(list, prefix))
  }
}
