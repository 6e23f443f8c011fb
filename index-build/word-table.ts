/**
 * Words, each with its number, counted from 0 on. Their letters stand in pages that they share: of a million words
 * a JavaScript string each would take twice the memory, and the garbage collector would look at every one.
 */
import { TextTable } from './text-table.ts'

export class WordTable {
  readonly #numbers = new TextTable((word, number) => this.#is(number, word))
  readonly #pages: Uint16Array[] = []
  /** Where on the last page the part begins that has no word. */
  #next = PAGE
  /** By number: where the word starts, and how many UTF-16 code units it has. */
  #starts = new Uint32Array(1024)
  #lengths = new Uint32Array(1024)

  /** How many words there are. */
  get size(): number {
    return this.#numbers.size
  }

  /** The word's number; undefined where it is not there. */
  get(word: string): number | undefined {
    return this.#numbers.get(word)
  }

  /** @param word one that is not there. @returns its number. */
  add(word: string): number {
    const { length } = word
    const number = this.size
    if (number >= this.#starts.length) {
      this.#starts = new Uint32Array(this.#starts.buffer.transfer(number * 8))
      this.#lengths = new Uint32Array(this.#lengths.buffer.transfer(number * 8))
    }
    if (this.#next + length > PAGE) {
      this.#pages.push(new Uint16Array(Math.max(PAGE, length)))
      this.#next = 0
    }
    const page = this.#pages.at(-1) as Uint16Array
    for (let i = 0; i < length; i++) page[this.#next + i] = word.charCodeAt(i)
    this.#starts[number] = (this.#pages.length - 1) * PAGE + this.#next
    this.#lengths[number] = length
    this.#next += length
    this.#numbers.add(word, number)
    return number
  }

  /** How many UTF-16 code units the word of this number has. */
  length(number: number): number {
    return this.#lengths[number] ?? 0
  }

  /** The word of this number. */
  word(number: number): string {
    const [page, start] = [this.#page(number), this.#place(number)]
    const end = start + (this.#lengths[number] ?? 0)
    let word = ''
    for (let place = start; place < end; place += CALL_MAX) {
      word += String.fromCharCode(...page.subarray(place, Math.min(place + CALL_MAX, end)))
    }
    return word
  }

  /** Whether the word of this number begins so. */
  beginsWith(number: number, prefix: string): boolean {
    if ((this.#lengths[number] ?? 0) < prefix.length) return false
    const [page, place] = [this.#page(number), this.#place(number)]
    for (let i = 0; i < prefix.length; i++) {
      if (page[place + i] !== prefix.charCodeAt(i)) return false
    }
    return true
  }

  #is(number: number, word: string): boolean {
    return this.#lengths[number] === word.length && this.beginsWith(number, word)
  }

  #page(number: number): Uint16Array {
    return this.#pages[(this.#starts[number] ?? 0) >>> PAGE_BITS] ?? NO_LETTERS
  }

  #place(number: number): number {
    return (this.#starts[number] ?? 0) & (PAGE - 1)
  }
}

const PAGE_BITS = 16
const PAGE = 1 << PAGE_BITS
/** Letters given to one call: a stack has room for some tens of thousands. */
const CALL_MAX = 1024
const NO_LETTERS = new Uint16Array(0)
