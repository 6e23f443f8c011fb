/** Words, each with its number, counted from 0 on; none is ever deleted. */
export class WordTable {
  readonly #words: string[] = []
  readonly #numbers = new Map<string, number>()

  get size(): number {
    return this.#words.length
  }

  get(word: string): number | undefined {
    return this.#numbers.get(word)
  }

  /** @param word one that is not there. @returns its number. */
  add(word: string): number {
    const number = this.#words.push(word) - 1
    this.#numbers.set(word, number)
    return number
  }

  /** The word of this number. */
  word(number: number): string {
    return this.#words[number] ?? ''
  }
}
