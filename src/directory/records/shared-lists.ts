/** They come from imports: without a limit a careless one could grow this for ever. */
const KNOWN_MAX = 10_000

/** Lists of texts that many records share, because few of them differ. */
export class SharedLists<T extends string = string> {
  readonly #known = new Map<string, readonly T[]>()

  /** @returns an equal list: the same one for the same texts, as far as they have no line feeds. */
  of(list: readonly T[]): readonly T[] {
    // In a fifth of the time that JSON takes; lists that differ and are written alike are told apart below.
    const key = list.join('\n')
    const known = this.#known.get(key)
    if (known) return isSame(known, list) ? known : list
    if (this.#known.size < KNOWN_MAX) this.#known.set(key, list)
    return list
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
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

/** Lists that are read as JSON: one array for all of the same text. */
export class ReadLists {
  readonly #known = new Map<string, readonly string[]>()

  of(json: string): readonly string[] {
    const known = this.#known.get(json)
    if (known) return known
    const list: readonly string[] = JSON.parse(json)
    if (this.#known.size < KNOWN_MAX) this.#known.set(json, list)
    return list
  }
}
