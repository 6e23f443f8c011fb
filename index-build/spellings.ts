/**
 * Which words one edit away from a word may be known. Of the thousand or so that there are, nearly
 * none is a term: each is first looked up by its hash alone, which is put together from the hashes of
 * what stands before and after the edit. Only the few that pass become strings.
 */

/** Bits of the filter; with 250,000 terms three in a hundred are set. */
const FILTER_BITS = 23
const BASE = 0x01000193
/** Spreads the hash over the filter (Knuth's multiplicative hashing). */
const SPREAD = 0x9e3779b1

export class Spellings {
  readonly #filter = new Uint32Array(2 ** (FILTER_BITS - 5))

  learn(word: string) {
    let hash = 0
    for (let i = 0; i < word.length; i++) hash = (Math.imul(hash, BASE) + word.charCodeAt(i)) | 0
    const bit = Math.imul(hash, SPREAD) >>> (32 - FILTER_BITS)
    this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }

  #mayKnow(hash: number): boolean {
    const bit = Math.imul(hash, SPREAD) >>> (32 - FILTER_BITS)
    return ((this.#filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0
  }

  /**
   * Calls `found` with each word one edit away that may be known: a letter more, fewer or other, or
   * two neighbours swapped.
   * With it: whether the likelier slips lead there, a letter left out or two swapped. A letter too many
   * or another letter could have been any of the alphabet.
   */
  near(word: string, letters: Iterable<string>, found: (other: string, isLikely: boolean) => void) {
    const { length } = word
    const { before, after, powers } = partHashes(word)
    const at = (hashes: Int32Array, i: number) => hashes[i] ?? 0
    /** Hash of the first i letters, these codes, and the letters from `rest` on. */
    const joined = (i: number, rest: number, first: number, second: number) => {
      const tail = length - rest
      let hash = Math.imul(
        at(before, i),
        at(powers, tail + (first >= 0 ? 1 : 0) + (second >= 0 ? 1 : 0)),
      )
      if (first >= 0) hash += Math.imul(first, at(powers, tail + (second >= 0 ? 1 : 0)))
      if (second >= 0) hash += Math.imul(second, at(powers, tail))
      return (hash + at(after, rest)) | 0
    }
    for (let i = 0; i <= length; i++) {
      const code = word.charCodeAt(i)
      const next = word.charCodeAt(i + 1)
      if (i < length && this.#mayKnow(joined(i, i + 1, -1, -1))) {
        found(word.slice(0, i) + word.slice(i + 1), false)
      }
      if (i + 1 < length && this.#mayKnow(joined(i, i + 2, next, code))) {
        found(word.slice(0, i) + word[i + 1] + word[i] + word.slice(i + 2), true)
      }
      for (const letter of letters) {
        const guess = letter.charCodeAt(0)
        if (this.#mayKnow(joined(i, i, guess, -1))) {
          found(word.slice(0, i) + letter + word.slice(i), true)
        }
        if (i < length && this.#mayKnow(joined(i, i + 1, guess, -1))) {
          found(word.slice(0, i) + letter + word.slice(i + 1), false)
        }
      }
    }
  }
}

/** Of each length the hash of so many first letters, of each place that of the letters from there on. */
function partHashes(word: string) {
  const { length } = word
  const before = new Int32Array(length + 1)
  const after = new Int32Array(length + 1)
  const powers = new Int32Array(length + 3)
  powers[0] = 1
  for (let i = 0; i < length + 2; i++) powers[i + 1] = Math.imul(powers[i] ?? 0, BASE)
  for (let i = 0; i < length; i++) {
    before[i + 1] = (Math.imul(before[i] ?? 0, BASE) + word.charCodeAt(i)) | 0
  }
  for (let i = length - 1; i >= 0; i--) {
    after[i] =
      (Math.imul(word.charCodeAt(i), powers[length - 1 - i] ?? 0) + (after[i + 1] ?? 0)) | 0
  }
  return { before, after, powers }
}
