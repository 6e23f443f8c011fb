/**
 * The inverted index: a dictionary of terms, each with the records that it stands in.
 *
 * Plain arrays and one large map rather than MiniSearch, for two reasons that were measured with 100,000
 * people. Its radix tree of Maps makes the same dictionary 60 MB larger (199 MB against 138), and its
 * quarter of a million objects make the garbage collector's pauses the slowest part of a search (p99 of
 * mistyped names 4 to 9 ms against 0.4 to 1.4). And postings that know nothing of scoring can be walked
 * in one pass, so that a one-letter prefix costs no more than its matches (MiniSearch's own search took
 * 36 ms over 10,000 companies). `bun run bench:search` sets the two side by side.
 */
import { Alphabet } from './alphabet.ts'
import type { SearchDocument } from './documents.ts'
import { LargeMap } from './large-map.ts'
import { FIELD_BITS, FIELD_MASK } from './options.ts'
import { SortedList } from './sorted-list.ts'
import { Spellings } from './spellings.ts'

/** A posting: the record's slot above the bits of the fields that the term stands in. */
export type Posting = number

export const slotOf = (posting: Posting) => posting >>> FIELD_BITS
export const fieldsOf = (posting: Posting) => posting & FIELD_MASK

/** A posting is a positive 32-bit number, and ranking sorts by 25 bits of slot. */
export const SLOTS_MAX = 2 ** 25

export class TermIndex {
  /** Term to its number. */
  readonly #dictionary = new LargeMap<number>()
  readonly #alphabet = new Alphabet()
  readonly #spellings = new Spellings()
  readonly #terms: string[] = []
  /** By term number. Most terms stand in one record: those have no array. `GONE` is a term in none. */
  readonly #postings: (Posting | Posting[])[] = []
  #lengths = new Uint8Array(1024)
  /** Numbers of all committed terms in the order of their text: a prefix is a range of it. */
  readonly #sorted = new SortedList()
  /** Terms that are not in `#sorted` yet. */
  #added: number[] = []
  /** Per slot. */
  #nameHashes = new Uint32Array(1024)
  #nameLetters = new Uint8Array(1024)

  /**
   * Replaces a record's document, touching only the words that differ. `commit` makes new words known
   * to `range`.
   * @param before null where the record is new. @param after null where it goes.
   */
  replace(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    if (after) this.#setName(slot, after)
    before?.words.forEach((fields, word) => {
      if (after?.words.get(word) !== fields) this.#take(word, slot)
    })
    after?.words.forEach((fields, word) => {
      if (before?.words.get(word) !== fields) this.#insert(word, slot, fields)
    })
  }

  #setName(slot: number, { nameHash, nameLetters }: SearchDocument) {
    if (slot >= this.#nameHashes.length) {
      this.#nameHashes = grown(this.#nameHashes, new Uint32Array(slot * 2))
      this.#nameLetters = grown(this.#nameLetters, new Uint8Array(slot * 2))
    }
    this.#nameHashes[slot] = nameHash
    this.#nameLetters[slot] = nameLetters
  }

  #insert(word: string, slot: number, fields: number) {
    const posting = (slot << FIELD_BITS) | fields
    const term = this.#dictionary.get(word)
    if (term === undefined) {
      this.#newTerm(word, posting)
      return
    }
    const postings = this.#postings[term] ?? GONE
    if (typeof postings === 'object') postings.push(posting)
    else this.#postings[term] = postings === GONE ? posting : [postings, posting]
  }

  #newTerm(word: string, posting: Posting) {
    const term = this.#terms.push(word) - 1
    this.#dictionary.set(word, term)
    this.#alphabet.learn(word)
    this.#spellings.learn(word)
    this.#postings.push(posting)
    if (term >= this.#lengths.length) this.#lengths = grown(this.#lengths, new Uint8Array(term * 2))
    this.#lengths[term] = word.length
    this.#added.push(term)
  }

  /** A term that loses its last record stays, empty, until the next rebuild: it matches nothing. */
  #take(word: string, slot: number) {
    const term = this.#dictionary.get(word)
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

  /** Makes the words added since the last call known to `range`, in short steps. */
  *commit(): Generator<void> {
    const added = this.#added
    this.#added = []
    const text = (term: number) => this.#terms[term] ?? ''
    yield* this.#sorted.insert(added, (a, b) => (text(a) < text(b) ? -1 : 1))
  }

  #lowerBound(sorted: Uint32Array, text: string, low = 0): number {
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const term = this.#terms[sorted[middle] ?? -1] ?? ''
      if (term < text) low = middle + 1
      else high = middle
    }
    return low
  }

  term(word: string): number | undefined {
    return this.#dictionary.get(word)
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

  lengthOf(term: number): number {
    return this.#lengths[term] ?? 0
  }

  /** The terms that begin with `prefix`, in their order. */
  range(prefix: string): Uint32Array {
    const sorted = this.#sorted.values
    const start = this.#lowerBound(sorted, prefix)
    return sorted.subarray(start, this.#lowerBound(sorted, `${prefix}\uffff`, start))
  }

  /** The terms one edit away, each with whether a likely slip leads there (`Spellings`). */
  typos(word: string): Map<number, boolean> {
    const found = new Map<number, boolean>()
    this.#spellings.near(word, this.#alphabet.lettersLike(word), (other, isLikely) => {
      const term = this.#dictionary.get(other)
      if (term !== undefined && other !== word && !found.get(term)) found.set(term, isLikely)
    })
    return found
  }

  nameHash(slot: number): number {
    return this.#nameHashes[slot] ?? 0
  }

  nameLetters(slot: number): number {
    return this.#nameLetters[slot] ?? 0
  }
}

/** No field bit is set: no posting is like it. */
export const GONE: Posting = 0

function grown<A extends Uint32Array | Uint8Array>(values: A, larger: A): A {
  larger.set(values)
  return larger
}
