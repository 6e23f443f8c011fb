/** Lists of texts that many records share, because few of them differ. */
export class SharedLists {
  readonly #known = new Map<string, readonly string[]>()

  /** @returns an equal list: the same one for the same texts. */
  of(list: readonly string[]): readonly string[] {
    const key = JSON.stringify(list)
    const known = this.#known.get(key)
    if (known) return known
    // They come from imports: without a limit a careless one could grow this for ever.
    if (this.#known.size < 10_000) this.#known.set(key, list)
    return list
  }
}
