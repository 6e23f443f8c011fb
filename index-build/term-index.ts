/**
 * The inverted index: terms, each with the records that it stands in. MiniSearch's radix tree
 * (`SearchableMap`) finds typos; postings are ours, because those that know nothing of
 * scoring can be walked in one pass.
 */
import { LRUCache } from 'lru-cache'
import SearchableMap from 'minisearch/SearchableMap'
import type { SearchDocument } from './documents.ts'
import { latinOf, lettersOf } from './fold.ts'
import { withPlace } from './growing.ts'
import { formsOf, piecesOf, placeOfForm } from './name-pieces.ts'
import { NumberLists, type WholeLists } from './number-lists.ts'
import { FIELD, FIELD_BITS, FIELD_MASK } from './options.ts'
import { isUnspaced } from './tokenize.ts'
import { WordTable } from './word-table.ts'

/** Words that begin with the same letters share a list, for each number of letters up to this. */
const BEGINNING = 4

/**
 * Words of one length that begin with the same letters, so many, are a group. It has a term of its own, these letters and
 * a space for each other, with the postings of all its words: thousands of short lists would take longer to walk.
 */
const GROUPED = 2
const groupOf = (word: string) => word.slice(0, GROUPED).padEnd(word.length)

/** Words whose typos are kept until a term comes. */
const TYPOS_KEPT = 500

/** Words or names in one part of an index. */
const PART = 20_000

/** Lists of an index that its parts hold as they stand; all else is made of its words and names. */
const LISTS = ['postings', 'namePieces', 'forms'] as const

/**
 * Legal forms and the like, weak at the end of a name in any directory. Words that many companies' names end with are weak as
 * well: so large a share of them, but the most frequent alone.
 */
export const LEGAL_FORMS: ReadonlySet<string> = new Set(
  `the inc incorporated corp corporation co company llc llp lp ltd limited plc gmbh ag kg se sa sas sarl srl spa bv nv oy oyj ab as
  aps kft zrt doo pte pty pvt ooo oao zao jsc aktiengesellschaft foundation group holding holdings labs`.split(
    /\s+/,
  ),
)
const WEAK_SHARE = 1 / 400
const WEAK_COUNT = 5
const WEAK_MOST = 100

/** Some words or names of an index, or all lists of a kind. */
export type IndexPart =
  | { endings: [word: string, count: number][]; arrays: readonly [] }
  | { words: string; isInTree: string; arrays: readonly [] }
  | { names: string; handles: string; arrays: readonly [] }
  | ({ lists: (typeof LISTS)[number] } & WholeLists)

/** Null where there is no record. */
type Maybe = SearchDocument | null

const postingOf = (slot: number, bits: number) => ((slot << FIELD_BITS) | bits) >>> 0

const add = (lists: NumberLists, list: number, value: number) => lists.add(list, value)
const remove = (lists: NumberLists, list: number, value: number) => lists.remove(list, value)

export class TermIndex {
  /** A term's number is that of its word. */
  readonly #words = new WordTable()
  /** By term number: the term of its group; a word of as few letters is its own. */
  #groups = new Uint32Array(1024)
  /**
   * Words of names and texts, for typos. Those of handles, tickers and domains, nearly each
   * of one record alone, are not in it: a node of the tree takes 264 bytes. Nor are pairs of signs of scripts
   * without spaces: thousands would be children of one node, which looks through them one by one.
   */
  readonly #tree = new SearchableMap<number>()
  /** By term number: 1 where the term is in the tree. */
  #isInTree = new Uint8Array(1024)
  /** By term number. Searches read it. */
  readonly postings = new NumberLists()
  /** By piece (`name-pieces.ts`): the slots whose name or handle holds it. Searches read it. */
  readonly namePieces = new NumberLists()
  /** By form (`name-pieces.ts`): the slots whose name or handle has it. */
  readonly forms = new NumberLists()
  /** Last words of companies' names, and in how many names each is last. */
  readonly #endings = new Map<string, number>()
  #weakWords: ReadonlySet<string> | null = null
  /** The first letters of words, up to `BEGINNING`, and by their number the terms that begin so: groups for the shortest. */
  readonly #beginnings = new WordTable()
  readonly #byBeginning = new NumberLists()
  readonly #typos = new LRUCache<string, readonly number[][]>({
    max: TYPOS_KEPT,
    memoMethod: (word) => this.#lookUpTypos(word),
  })
  /** Postings and slots of pieces looked at, and words whose typos were, since the start: what tests hold bounded. */
  work = 0
  typoWords = 0
  /** By slot: the record's whole name, and its whole handle (`SearchDocument`). Searches read them. */
  readonly names: string[] = []
  readonly handles: string[] = []
  #nameLetters = new Uint8Array(1024)

  /**
   * Replaces a record's document, touching only the words that differ.
   * @returns whether the record is found by anything else than before
   */
  replace(slot: number, before: Maybe, after: Maybe): boolean {
    this.#setNames(slot, after?.name ?? '', after?.handle ?? '')
    // A term that loses its last record stays, empty, until the next rebuild: it matches nothing.
    const hasLost = this.#change(remove, slot, before, after)
    const hasGot = this.#change(add, slot, after, before)
    return hasLost || hasGot
  }

  /** Adds or removes what the document is found by and the other one is not. @returns whether there is such a thing. */
  #change(change: typeof add, slot: number, document: Maybe, other: Maybe): boolean {
    const { name = '', handle = '' } = document ?? {}
    let differs = name !== (other?.name ?? '') || handle !== (other?.handle ?? '')
    if (differs) {
      const texts = [name, handle, latinOf(name)].map(lettersOf)
      for (const piece of piecesOf(...texts)) change(this.namePieces, piece, slot)
      for (const form of formsOf(name, handle)) {
        const [list, check] = placeOfForm(form, FIELD_BITS)
        change(this.forms, list, postingOf(slot, check))
      }
    }
    if (document && document.ending !== other?.ending) {
      this.#countEnding(document.ending, change === add ? 1 : -1)
    }
    document?.words.forEach((fields, word) => {
      if (other?.words.get(word) === fields) return
      const term = this.#termFor(word, fields)
      const group = this.#groups[term] ?? term
      const posting = postingOf(slot, fields)
      change(this.postings, term, posting)
      if (group !== term) change(this.postings, group, posting)
      differs = true
    })
    return differs
  }

  #countEnding(word: string, difference: number) {
    if (word === '') return
    const count = (this.#endings.get(word) ?? 0) + difference
    if (count === 0) this.#endings.delete(word)
    else this.#endings.set(word, count)
    this.#weakWords = null
  }

  /** Words that say little at the end of a name. Surnames are not among them, however many people have one. */
  get weakWords(): ReadonlySet<string> {
    this.#weakWords ??= this.#findWeakWords()
    return this.#weakWords
  }

  #findWeakWords() {
    const counts = [...this.#endings]
    const names = counts.reduce((sum, [, count]) => sum + count, 0)
    const least = Math.max(WEAK_COUNT, WEAK_SHARE * names)
    const frequent = counts
      .filter(([, count]) => count >= least)
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    return new Set([...LEGAL_FORMS, ...frequent.slice(0, WEAK_MOST).map(([word]) => word)])
  }

  /** The slots whose name or handle has this form. */
  withForm(form: string): number[] {
    const [list, check] = placeOfForm(form, FIELD_BITS)
    const slots: number[] = []
    for (const posting of this.forms.numbers(list)) {
      const slot = posting >>> FIELD_BITS
      if ((posting & FIELD_MASK) !== check) continue
      if (formsOf(this.names[slot] ?? '', this.handles[slot] ?? '').includes(form)) slots.push(slot)
    }
    return slots
  }

  #setNames(slot: number, name: string, handle: string) {
    this.#nameLetters = withPlace(this.#nameLetters, slot)
    this.names[slot] = name
    this.handles[slot] = handle
    this.#nameLetters[slot] = Math.min(lettersOf(name).length, 255)
  }

  /** The word's term, a new one where it has none. */
  #termFor(word: string, fields: number): number {
    const term = this.#words.get(word) ?? this.#newTerm(word)
    const isForTree = (fields & (FIELD.name | FIELD.text)) !== 0
    if (isForTree && !this.#isInTree[term] && !isUnspaced(word)) this.#addToTree(word, term)
    return term
  }

  #newTerm(word: string): number {
    const groupWord = groupOf(word)
    const isGroup = word === groupWord
    // A group comes before its words, so that an index that takes the words in their order has the same numbers.
    const group = isGroup ? undefined : (this.#words.get(groupWord) ?? this.#newTerm(groupWord))
    const term = this.#words.add(word)
    this.#groups = withPlace(this.#groups, term)
    this.#groups[term] = group ?? term
    const [least, most] = isGroup ? [1, GROUPED] : [GROUPED + 1, BEGINNING]
    for (let length = least; length <= word.length && length <= most; length++) {
      const beginning = word.slice(0, length)
      const list = this.#beginnings.get(beginning) ?? this.#beginnings.add(beginning)
      this.#byBeginning.add(list, term)
    }
    return term
  }

  #addToTree(word: string, term: number) {
    this.#isInTree = withPlace(this.#isInTree, term)
    this.#isInTree[term] = 1
    this.#tree.set(word, term)
    if (this.#typos.size > 0) this.#typos.clear()
  }

  term(word: string): number | undefined {
    return this.#words.get(word)
  }

  /** Letters in the term, at most 255: a handle may have more. */
  letters(term: number): number {
    return Math.min(this.#words.word(term).length, 255)
  }

  /** In how many records the word stands. */
  count(word: string): number {
    const term = this.#words.get(word)
    return term === undefined ? 0 : this.postings.length(term)
  }

  /** The terms that begin with `prefix`, as groups where it is short, to be read before the next change. */
  beginningWith(prefix: string): ArrayLike<number> {
    const list = this.#beginnings.get(prefix.slice(0, BEGINNING))
    const terms = list === undefined ? new Uint32Array(0) : this.#byBeginning.numbers(list)
    if (prefix.length <= BEGINNING) return terms
    const outside = terms.filter(
      (term) => !this.#isInTree[term] && this.#words.word(term).startsWith(prefix),
    )
    return [...this.#tree.atPrefix(prefix).values(), ...outside]
  }

  /** The words of names and texts one edit away: first those to which a likely slip leads, a letter left out or two swapped. */
  typos(word: string): readonly number[][] {
    return this.#typos.memo(word)
  }

  #lookUpTypos(word: string): number[][] {
    this.typoWords++
    const [likely, others]: [number[], number[]] = [[], []]
    for (const [other, [term, distance]] of this.#tree.fuzzyGet(word, 1)) {
      if (distance > 0) (other.length > word.length ? likely : others).push(term)
    }
    for (let i = 1; i < word.length; i++) {
      const swapped = `${word.slice(0, i - 1)}${word[i]}${word[i - 1]}${word.slice(i + 1)}`
      const term = swapped === word ? undefined : this.#tree.get(swapped)
      if (term !== undefined) likely.push(term)
    }
    return [likely, others]
  }

  /** Letters in the name, at most 255. */
  nameLetters(slot: number): number {
    return this.#nameLetters[slot] ?? 0
  }

  /** How many slots it knows. */
  get slotCount(): number {
    return this.names.length
  }

  /** The whole index in parts, arrays as they stand. An empty index that takes them in their order is the same. */
  *parts(): Generator<IndexPart> {
    // Words hold no white space, names no line feed.
    for (let start = 0; start < this.#words.size; start += PART) {
      const length = Math.min(PART, this.#words.size - start)
      const words = Array.from({ length }, (_, place) => this.#words.word(start + place))
      const isInTree = this.#isInTree.subarray(start, start + length).join('')
      yield { words: words.join('\n'), isInTree, arrays: [] }
    }
    for (let start = 0; start < this.names.length; start += PART) {
      const names = this.names.slice(start, start + PART).join('\n')
      const handles = this.handles.slice(start, start + PART).join('\n')
      yield { names, handles, arrays: [] }
    }
    yield { endings: [...this.#endings], arrays: [] }
    for (const lists of LISTS) yield { lists, ...this[lists].whole }
  }

  /** Takes the next part of another index. */
  take(part: IndexPart) {
    if ('lists' in part) this[part.lists].take(part)
    else if ('endings' in part) {
      for (const [word, count] of part.endings) this.#countEnding(word, count)
    } else if ('words' in part) {
      for (const [place, word] of part.words.split('\n').entries()) {
        const term = this.#newTerm(word)
        if (part.isInTree[place] === '1') this.#addToTree(word, term)
      }
    } else {
      const handles = part.handles.split('\n')
      for (const [place, name] of part.names.split('\n').entries()) {
        this.#setNames(this.slotCount, name, handles[place] ?? '')
      }
    }
  }
}
