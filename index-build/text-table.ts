/**
 * Numbers by texts that are kept elsewhere: a hash table in arrays of numbers, without an object, a text or an entry of
 * a Map for each.
 *
 * It has all its buckets from the start: a table of a million texts that was filled anew would hold the event loop
 * meanwhile.
 */
import { NumberLists } from './number-lists.ts'

/** Fifteen of a million texts share one. */
const BUCKETS = 2 ** 16

/** An entry is a number of so many bits, and above it bits of the text's hash, so that few texts are compared in vain. */
const NUMBER_BITS = 28
const NUMBER_MASK = 2 ** NUMBER_BITS - 1

export class TextTable {
  readonly #isTextOf: (text: string, number: number) => boolean
  readonly #entries = new NumberLists(BUCKETS)
  #size = 0

  /** @param isTextOf whether the number was added with this text. */
  constructor(isTextOf: (text: string, number: number) => boolean) {
    this.#isTextOf = isTextOf
  }

  get size(): number {
    return this.#size
  }

  get(text: string): number | undefined {
    const hash = hashOf(text)
    const bucket = hash % BUCKETS
    const page = this.#entries.page(bucket)
    const begin = this.#entries.begin(bucket)
    for (let place = begin + this.#entries.length(bucket) - 1; place >= begin; place--) {
      const entry = page[place] ?? 0
      const isLikely = (entry ^ hash) >>> NUMBER_BITS === 0
      if (isLikely && this.#isTextOf(text, entry & NUMBER_MASK)) return entry & NUMBER_MASK
    }
    return undefined
  }

  /** @param text one that is not there. */
  add(text: string, number: number) {
    const hash = hashOf(text)
    this.#entries.add(hash % BUCKETS, entryOf(hash, number))
    this.#size++
  }

  /** Has the text mean this number, and no other that it meant before. */
  put(text: string, number: number) {
    this.delete(text)
    this.add(text, number)
  }

  delete(text: string) {
    const number = this.get(text)
    if (number === undefined) return
    const hash = hashOf(text)
    this.#entries.remove(hash % BUCKETS, entryOf(hash, number))
    this.#size--
  }
}

const entryOf = (hash: number, number: number) => ((hash & ~NUMBER_MASK) | number) >>> 0

/** Random for each process, so that nobody can choose texts of one hash. */
const SEED = Math.floor(Math.random() * 2 ** 32)

function hashOf(text: string): number {
  let hash = SEED
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
