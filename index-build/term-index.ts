/**
 * The inverted index: MiniSearch's dictionary of terms (`SearchableMap`, a radix tree), each term with
 * the records that it stands in. The tree finds words, beginnings and typos; postings are ours, because
 * those that know nothing of scoring can be walked in one pass.
 */
import { LRUCache } from 'lru-cache'
import SearchableMap from 'minisearch/SearchableMap'
import { letterCount, type SearchDocument } from './documents.ts'
import { LargeMap } from './large-map.ts'
import { NamePieces } from './name-pieces.ts'
import { FIELD, FIELD_BITS, FIELD_MASK } from './options.ts'
import { isUnspaced } from './tokenize.ts'

/** A posting: the record's slot above the bits of the fields that the term stands in. */
export type Posting = number

export const slotOf = (posting: Posting) => posting >>> FIELD_BITS
export const fieldsOf = (posting: Posting) => posting & FIELD_MASK

/** A posting is a positive 32-bit number, and ranking sorts by 25 bits of slot. */
export const SLOTS_MAX = 2 ** 25

/** Words whose typos are kept until a term comes. */
const TYPOS_KEPT = 1_000

/** Beginnings of up to so many letters have a list of their own: thousands of terms begin so. */
const SHORT = 3

export class TermIndex {
  /** Words of names and texts, each with its term's number. */
  readonly #words = new SearchableMap<number>()
  /**
   * Words of handles, tickers and domains, nearly each of one record alone: they are looked up whole and by
   * their beginning, and a node of the tree takes 264 bytes. Also pairs of signs of scripts without
   * spaces: thousands would be children of one node, which looks through them one by one.
   */
  readonly #keys = new LargeMap<number>()
  /** By term number: the text of those in `#keys`. */
  readonly #keyTexts: (string | undefined)[] = []
  /** By a beginning of up to `SHORT` letters: the terms that begin so. */
  readonly #beginnings = new Map<string, number[]>()
  /** By term number. Most terms stand in one record: those have no array. `GONE` is a term in none. */
  readonly #postings: (Posting | Posting[])[] = []
  readonly #typos = new LRUCache<string, ReadonlyMap<number, boolean>>({ max: TYPOS_KEPT })
  /** Words whose typos were looked up in the tree since the start: what tests hold bounded. */
  typoWords = 0
  #lengths = new Uint8Array(1024)
  /** Per slot. */
  readonly #names: string[] = []
  readonly #handles: string[] = []
  #nameLetters = new Uint8Array(1024)
  readonly namePieces = new NamePieces()

  /**
   * Replaces a record's document, touching only the words that differ.
   * @param before null where the record is new. @param after null where it goes.
   */
  replace(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    if (before?.name !== after?.name || before?.handle !== after?.handle) {
      this.#rename(slot, before, after)
    }
    before?.words.forEach((fields, word) => {
      if (after?.words.get(word) !== fields) this.#take(word, slot)
    })
    after?.words.forEach((fields, word) => {
      if (before?.words.get(word) !== fields) this.#insert(word, slot, fields)
    })
  }

  #rename(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    if (slot >= this.#nameLetters.length) {
      this.#nameLetters = grown(this.#nameLetters, slot * 2)
    }
    this.#names[slot] = after?.name ?? ''
    this.#handles[slot] = after?.handle ?? ''
    this.#nameLetters[slot] = Math.min(letterCount(this.name(slot)), 255)
    this.namePieces.replace(slot, before, after)
  }

  #insert(word: string, slot: number, fields: number) {
    const posting = (slot << FIELD_BITS) | fields
    const term = this.#termOf(word, fields)
    const postings = this.#postings[term] ?? GONE
    if (typeof postings === 'object') postings.push(posting)
    else this.#postings[term] = postings === GONE ? posting : [postings, posting]
  }

  /** The word's term, a new one where there is none. A key becomes a word when a name or text has it. */
  #termOf(word: string, fields: number): number {
    if (fields & (FIELD.name | FIELD.text) && !isUnspaced(word)) {
      return this.#words.fetch(word, () => this.#newWord(word))
    }
    const known = this.term(word)
    if (known !== undefined) return known
    const term = this.#newTerm(word)
    this.#keys.set(word, term)
    this.#keyTexts[term] = word
    return term
  }

  #newWord(word: string): number {
    if (this.#typos.size > 0) this.#typos.clear()
    const term = this.#keys.get(word) ?? this.#newTerm(word)
    this.#keyTexts[term] = undefined
    return term
  }

  #newTerm(word: string): number {
    const term = this.#postings.push(GONE) - 1
    if (term >= this.#lengths.length) this.#lengths = grown(this.#lengths, term * 2)
    this.#lengths[term] = countedLength(word)
    for (let length = 1; length <= Math.min(word.length, SHORT); length++) {
      const beginning = word.slice(0, length)
      const terms = this.#beginnings.get(beginning)
      if (terms) terms.push(term)
      else this.#beginnings.set(beginning, [term])
    }
    return term
  }

  /** A term that loses its last record stays, empty, until the next rebuild: it matches nothing. */
  #take(word: string, slot: number) {
    const term = this.term(word)
    if (term === undefined) return
    const postings = this.#postings[term] ?? GONE
    if (typeof postings === 'number') {
      if (slotOf(postings) === slot) this.#postings[term] = GONE
      return
    }
    const position = postings.findIndex((posting) => slotOf(posting) === slot)
    const last = postings.pop()
    if (last !== undefined && position >= 0 && position < postings.length) postings[position] = last
  }

  term(word: string): number | undefined {
    return this.#words.get(word) ?? this.#keys.get(word)
  }

  /** The term's postings; one alone stands for itself. */
  postings(term: number | undefined): Posting | readonly Posting[] {
    return (term === undefined ? undefined : this.#postings[term]) ?? GONE
  }

  /** In how many records the term stands. */
  count(term: number | undefined): number {
    const postings = this.postings(term)
    return typeof postings === 'object' ? postings.length : postings === GONE ? 0 : 1
  }

  /** Letters in the term, as `countedLength` has them. */
  lengthOf(term: number): number {
    return this.#lengths[term] ?? 0
  }

  /** The terms that begin with `prefix`. */
  range(prefix: string): readonly number[] {
    const terms = this.#beginnings.get(prefix.slice(0, SHORT)) ?? []
    if (prefix.length <= SHORT) return terms
    const keys = terms.filter((term) => this.#keyTexts[term]?.startsWith(prefix))
    return [...this.#words.atPrefix(prefix).values(), ...keys]
  }

  /** The words of names and texts one edit away, each with whether a likely slip leads there: a letter left out, two swapped. */
  typos(word: string): ReadonlyMap<number, boolean> {
    const kept = this.#typos.get(word)
    if (kept) return kept
    this.typoWords++
    const found = new Map<number, boolean>()
    for (const [other, [term, distance]] of this.#words.fuzzyGet(word, 1)) {
      if (distance > 0) found.set(term, other.length > word.length)
    }
    for (let i = 1; i < word.length; i++) {
      const swapped = `${word.slice(0, i - 1)}${word[i]}${word[i - 1]}${word.slice(i + 1)}`
      const term = swapped === word ? undefined : this.#words.get(swapped)
      if (term !== undefined) found.set(term, true)
    }
    this.#typos.set(word, found)
    return found
  }

  /** The record's whole name (`SearchDocument`). */
  name(slot: number): string {
    return this.#names[slot] ?? ''
  }

  /** The record's whole handle; empty where it has none. */
  handle(slot: number): string {
    return this.#handles[slot] ?? ''
  }

  /** Letters in the name, at most 255. */
  nameLetters(slot: number): number {
    return this.#nameLetters[slot] ?? 0
  }
}

/** A term's letters, at most 255: a handle may have more, and a byte holds no more. */
export const countedLength = (word: string) => Math.min(word.length, 255)

/** No field bit is set: no posting is like it. */
export const GONE: Posting = 0

function grown(values: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length)
  larger.set(values)
  return larger
}
