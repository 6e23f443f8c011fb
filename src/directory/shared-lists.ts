/** They come from imports: without a limit a careless one could grow this for ever. */
const KNOWN_MAX = 10_000

/** Lists of texts that many records share, because few of them differ. */
export class SharedLists<T extends string = string> {
  readonly #known = new Map<string, readonly T[]>()

  /** @returns an equal list: the same one for the same texts. */
  of(list: readonly T[]): readonly T[] {
    const key = JSON.stringify(list)
    const known = this.#known.get(key)
    if (known) return known
    if (this.#known.size < KNOWN_MAX) this.#known.set(key, list)
    return list
  }
}

/** The same for single words: each row that is read brings strings of its own. */
export class SharedWords {
  readonly #known = new Map<string, string>()

  /** @returns the word, as one string for all. */
  of<T extends string>(word: T): T {
    const known = this.#known.get(word)
    if (known !== undefined) return known as T
    if (this.#known.size < KNOWN_MAX) this.#known.set(word, word)
    return word
  }
}
