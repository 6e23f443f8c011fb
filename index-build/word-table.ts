/**
 * Words, each with its number, counted from 0 on; none is ever deleted. Their letters stand in a row: of a million words a JavaScript
 * string each would take twice the memory, and the garbage collector would look at every one.
 */
import { withPlace } from './growing.ts'
import { TextTable } from './text-table.ts'

export class WordTable extends TextTable {
  /** UTF-16 code units. */
  #letters = new Uint16Array(2 ** 14)
  /** By number: where the word starts among the letters, which is where the one before it ends. */
  #starts = new Uint32Array(1024)

  constructor() {
    super((word, number) => this.length(number) === word.length && this.beginsWith(number, word))
  }

  /** @param word one that is not there. @returns its number. */
  override add(word: string): number {
    const number = this.size
    const start = this.#starts[number] ?? 0
    const end = start + word.length
    this.#letters = withPlace(this.#letters, end)
    for (let i = 0; i < word.length; i++) this.#letters[start + i] = word.charCodeAt(i)
    this.#starts = withPlace(this.#starts, number + 1)
    this.#starts[number + 1] = end
    super.add(word, number)
    return number
  }

  /** How many UTF-16 code units the word of this number has. */
  length(number: number): number {
    return (this.#starts[number + 1] ?? 0) - (this.#starts[number] ?? 0)
  }

  /** The word of this number. */
  word(number: number): string {
    const start = this.#starts[number] ?? 0
    const letters = Buffer.from(this.#letters.buffer, 2 * start, 2 * this.length(number))
    return letters.toString('utf16le')
  }

  /** Whether the word of this number begins so. */
  beginsWith(number: number, prefix: string): boolean {
    if (this.length(number) < prefix.length) return false
    const start = this.#starts[number] ?? 0
    for (let i = 0; i < prefix.length; i++) {
      if (this.#letters[start + i] !== prefix.charCodeAt(i)) return false
    }
    return true
  }
}
