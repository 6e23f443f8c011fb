/**
 * Numbers by texts that are kept elsewhere: a hash table in arrays of numbers, without an object, a text or an entry of
 * a Map for each.
 *
 * It grows bucket by bucket (linear hashing): a table of a million texts that was filled anew would hold the event
 * loop meanwhile.
 */
import { withPlace } from './growing.ts'

export class TextTable {
  readonly #isTextOf: (text: string, number: number) => boolean
  /**
   * A link is a number plus 1, or 0 where there is none. At twice a bucket stands the link to its first number, behind
   * twice a number the link to the next one in its bucket.
   */
  #links = new Uint32Array(2048)
  /** By number: the hash of its text. */
  #hashes = new Uint32Array(1024)
  #buckets = 1
  #size = 0

  /** @param isTextOf whether the number was added with this text. */
  constructor(isTextOf: (text: string, number: number) => boolean) {
    this.#isTextOf = isTextOf
  }

  get size(): number {
    return this.#size
  }

  get(text: string): number | undefined {
    const link = this.#links[this.#placeOf(text)] ?? 0
    return link === 0 ? undefined : link - 1
  }

  /** Where the link to the text's number stands; that of its bucket's end where it has none. */
  #placeOf(text: string): number {
    const hash = hashOf(text)
    let place = this.#bucketOf(hash)
    for (;;) {
      const link = this.#links[place] ?? 0
      if (link === 0) return place
      if (this.#hashes[link - 1] === hash && this.#isTextOf(text, link - 1)) return place
      place = 2 * link - 1
    }
  }

  /** @param text one that is not there. @param number one that no text has. */
  add(text: string, number: number) {
    this.#hashes = withPlace(this.#hashes, number)
    this.#links = withPlace(this.#links, 2 * number + 1)
    this.#hashes[number] = hashOf(text)
    this.#enter(number)
    this.#size++
    if (this.#size > this.#buckets) this.#split()
  }

  /** Has the text mean this number, which no text has, and no other that it meant before. */
  put(text: string, number: number) {
    this.delete(text)
    this.add(text, number)
  }

  delete(text: string) {
    const place = this.#placeOf(text)
    const link = this.#links[place] ?? 0
    if (link === 0) return
    this.#links[place] = this.#links[2 * link - 1] ?? 0
    this.#size--
  }

  /** Makes the number the first in its bucket. */
  #enter(number: number) {
    const bucket = this.#bucketOf(this.#hashes[number] ?? 0)
    this.#links[2 * number + 1] = this.#links[bucket] ?? 0
    this.#links[bucket] = number + 1
  }

  /** Where the link to the first number of the hash's bucket stands. */
  #bucketOf(hash: number): number {
    const half = powerIn(this.#buckets)
    const bucket = hash & (2 * half - 1)
    return 2 * (bucket < this.#buckets ? bucket : bucket - half)
  }

  /** Makes one more bucket, of the numbers in another that belong there by one bit more of their hash. */
  #split() {
    const split = 2 * (this.#buckets - powerIn(this.#buckets))
    let link = this.#links[split] ?? 0
    this.#links[split] = 0
    this.#links = withPlace(this.#links, 2 * this.#buckets++)
    while (link > 0) {
      const next = this.#links[2 * link - 1] ?? 0
      this.#enter(link - 1)
      link = next
    }
  }
}

/** The largest power of two that is no more than the number. */
const powerIn = (number: number) => 1 << (31 - Math.clz32(number))

/** Another for each process, so that nobody can choose texts of one hash. */
const SEED = Math.floor(Math.random() * 2 ** 32)

function hashOf(text: string): number {
  let hash = SEED
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
