/**
 * The inverted index: terms, each with the records that it stands in. MiniSearch's radix tree
 * (`SearchableMap`) finds beginnings and typos; postings are ours, because those that know nothing of
 * scoring can be walked in one pass.
 */
import { LRUCache } from 'lru-cache'
import SearchableMap from 'minisearch/SearchableMap'
import { Beginnings } from './beginnings.ts'
import type { SearchDocument } from './documents.ts'
import { lettersOf } from './fold.ts'
import { withPlace } from './growing.ts'
import { documentPieces } from './name-pieces.ts'
import { NumberLists, type WholeLists } from './number-lists.ts'
import { FIELD, FIELD_BITS } from './options.ts'
import { isUnspaced } from './tokenize.ts'
import { WordTable } from './word-table.ts'

/**
 * A posting, the record's slot above the bits of the fields that the term stands in, is a positive 32-bit number,
 * and ranking sorts by 25 bits of slot.
 */
export const SLOTS_MAX = 2 ** 25

/** Words whose typos are kept until a term comes: so many words and typos. */
const TYPOS_KEPT = 20_000

/** Words or names in one part of an index. */
const PART = 20_000

/** Lists of an index that its parts hold as they stand; all else is made of its words and names. */
type ListsName = 'postings' | 'beginnings' | 'namePieces'

/** Some words or names of an index, or all lists of a kind. */
export type IndexPart =
  | { words: string; isInTree: string; arrays: readonly [] }
  | { names: string; handles: string; arrays: readonly [] }
  | ({ lists: ListsName } & WholeLists)

export class TermIndex {
  /** A term's number is that of its word. */
  readonly #words = new WordTable()
  readonly #postings = new NumberLists()
  /**
   * Words of names and texts, for beginnings and typos. Those of handles, tickers and domains, nearly each
   * of one record alone, are not in it: a node of the tree takes 264 bytes. Nor are pairs of signs of scripts
   * without spaces: thousands would be children of one node, which looks through them one by one.
   */
  readonly #tree = new SearchableMap<number>()
  /** By term number: 1 where the term is in the tree. */
  #isInTree = new Uint8Array(1024)
  readonly beginnings = new Beginnings()
  readonly #typos = new LRUCache<string, ReadonlyMap<number, boolean>>({
    maxSize: TYPOS_KEPT,
    sizeCalculation: (found) => found.size + 1,
  })
  /** Words whose typos were looked up in the tree since the start: what tests hold bounded. */
  typoWords = 0
  /** Per slot. */
  readonly #names: string[] = []
  readonly #handles: string[] = []
  #nameLetters = new Uint8Array(1024)
  /** By piece (`name-pieces.ts`): the slots whose name or handle holds it. */
  readonly namePieces = new NumberLists()
  readonly #lists: Readonly<Record<ListsName, NumberLists>> = {
    postings: this.#postings,
    beginnings: this.beginnings.entries,
    namePieces: this.namePieces,
  }

  /** Takes in the document of a record in the next slot. */
  add(document: SearchDocument) {
    this.replace(this.slotCount, null, document)
  }

  /**
   * Replaces a record's document, touching only the words that differ.
   * @param before null where the record is new. @param after null where it goes.
   */
  replace(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    if (before?.name !== after?.name || before?.handle !== after?.handle) {
      this.#rename(slot, before, after)
    }
    before?.words.forEach((fields, word) => {
      if (after?.words.get(word) !== fields) this.#take(word, slot, fields)
    })
    after?.words.forEach((fields, word) => {
      if (before?.words.get(word) !== fields) this.#insert(word, slot, fields)
    })
  }

  #rename(slot: number, before: SearchDocument | null, after: SearchDocument | null) {
    this.#setNames(slot, after?.name ?? '', after?.handle ?? '')
    for (const piece of documentPieces(before)) this.namePieces.remove(piece, slot)
    for (const piece of documentPieces(after)) this.namePieces.add(piece, slot)
  }

  #setNames(slot: number, name: string, handle: string) {
    this.#nameLetters = withPlace(this.#nameLetters, slot)
    this.#names[slot] = name
    this.#handles[slot] = handle
    this.#nameLetters[slot] = Math.min(lettersOf(name).length, 255)
  }

  #insert(word: string, slot: number, fields: number) {
    const isForTree = (fields & (FIELD.name | FIELD.text)) !== 0 && !isUnspaced(word)
    const term = this.#words.get(word) ?? this.#newTerm(word, isForTree)
    if (isForTree && this.#isInTree[term] === 0) this.#addToTree(word, term)
    this.#postings.add(term, (slot << FIELD_BITS) | fields)
    this.beginnings.add(term, slot, fields, word.length)
  }

  #addToTree(word: string, term: number) {
    this.#isInTree[term] = 1
    this.#tree.set(word, term)
    if (this.#typos.size > 0) this.#typos.clear()
  }

  #newTerm(word: string, isForTree: boolean): number {
    const term = this.#words.add(word)
    this.#isInTree = withPlace(this.#isInTree, term)
    this.beginnings.addTerm(term, word, !isForTree)
    if (isForTree) this.#addToTree(word, term)
    return term
  }

  /** A term that loses its last record stays, empty, until the next rebuild: it matches nothing. */
  #take(word: string, slot: number, fields: number) {
    const term = this.#words.get(word)
    if (term === undefined) return
    this.#postings.remove(term, (slot << FIELD_BITS) | fields)
    this.beginnings.remove(term, slot, fields, word.length)
  }

  term(word: string): number | undefined {
    return this.#words.get(word)
  }

  /** The term's postings, to be read before the next change. */
  postings(term: number): Uint32Array {
    return this.#postings.numbers(term)
  }

  /** Letters in the term, at most 255: a handle may have more. */
  letters(term: number): number {
    return Math.min(this.#words.length(term), 255)
  }

  /** In how many records the term stands. */
  count(term: number | undefined): number {
    return term === undefined ? 0 : this.#postings.length(term)
  }

  /** The terms that begin with `prefix`: for those longer than `SHORT`; for others there are `beginnings`. */
  range(prefix: string): readonly number[] {
    const keys = this.beginnings.keys(prefix)
    return [
      ...this.#tree.atPrefix(prefix).values(),
      ...keys.filter((term) => !this.#isInTree[term] && this.#words.beginsWith(term, prefix)),
    ]
  }

  /** The words of names and texts one edit away, each with whether a likely slip leads there: a letter left out, two swapped. */
  typos(word: string): ReadonlyMap<number, boolean> {
    const kept = this.#typos.get(word)
    if (kept) return kept
    this.typoWords++
    const found = new Map<number, boolean>()
    for (const [other, [term, distance]] of this.#tree.fuzzyGet(word, 1)) {
      if (distance > 0) found.set(term, other.length > word.length)
    }
    for (let i = 1; i < word.length; i++) {
      const swapped = `${word.slice(0, i - 1)}${word[i]}${word[i - 1]}${word.slice(i + 1)}`
      const term = swapped === word ? undefined : this.#tree.get(swapped)
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

  /** How many slots it knows. */
  get slotCount(): number {
    return this.#names.length
  }

  /** The whole index in parts, arrays as they stand. An empty index that takes them in their order is the same. */
  *parts(): Generator<IndexPart> {
    // Words hold no white space, names no line feed.
    for (let start = 0; start < this.#words.size; start += PART) {
      const length = Math.min(PART, this.#words.size - start)
      const words = Array.from({ length }, (_, place) => this.#words.word(start + place))
      const isInTree = this.#isInTree.subarray(start, start + words.length).join('')
      yield { words: words.join('\n'), isInTree, arrays: [] }
    }
    for (let start = 0; start < this.#names.length; start += PART) {
      const [names, handles] = [this.#names, this.#handles].map((texts) =>
        texts.slice(start, start + PART).join('\n'),
      )
      yield { names: names ?? '', handles: handles ?? '', arrays: [] }
    }
    for (const [name, lists] of Object.entries(this.#lists)) {
      yield { lists: name as ListsName, ...lists.whole }
    }
  }

  /** Takes the next part of another index. */
  take(part: IndexPart) {
    if ('lists' in part) this.#lists[part.lists].take(part)
    else if ('words' in part) {
      for (const [place, word] of part.words.split('\n').entries()) {
        this.#newTerm(word, part.isInTree[place] === '1')
      }
    } else {
      const handles = part.handles.split('\n')
      for (const [place, name] of part.names.split('\n').entries()) {
        this.#setNames(this.slotCount, name, handles[place] ?? '')
      }
    }
  }
}
