/** Learns the letters that occur in terms, by script: the candidates for a mistyped letter. */

/** UTF-16 units of one block of this size belong together: ASCII, Greek, Cyrillic, ... */
const BLOCK_BITS = 7
/** More than any alphabet has: where a block has thousands of signs, guessing one is no typo. */
const LETTERS_MAX = 64

export class Alphabet {
  readonly #blocks = new Map<number, Set<string>>()
  /** Per UTF-16 unit, 1 where it needs no further look. */
  readonly #seen = new Uint8Array(2 ** 16)

  learn(word: string) {
    for (let i = 0; i < word.length; i++) {
      if (this.#seen[word.charCodeAt(i)] === 1) continue
      this.#seen[word.charCodeAt(i)] = 1
      const block = word.charCodeAt(i) >> BLOCK_BITS
      const letters = this.#blocks.get(block)
      if (!letters) this.#blocks.set(block, new Set(word[i]))
      else if (letters.size < LETTERS_MAX) letters.add(word.charAt(i))
    }
  }

  /** The letters of the block that the word begins in. */
  lettersLike(word: string): ReadonlySet<string> {
    return this.#blocks.get(word.charCodeAt(0) >> BLOCK_BITS) ?? NONE
  }
}

const NONE: ReadonlySet<string> = new Set()
