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
  /** By bucket: its first number plus 1; 0 where it has none. */
  #first = new Uint32Array(1024)
  /** By number: the next one in its bucket plus 1. */
  #next = new Uint32Array(1024)
  /** By number: the hash of its text. */
  #hashes = new Uint32Array(1024)
  #buckets = 1
  /** The largest power of two that is no more than the buckets. */
  #whole = 1
  #size = 0

  /** @param isTextOf whether the number was added with this text. */
  constructor(isTextOf: (text: string, number: number) => boolean) {
    this.#isTextOf = isTextOf
  }

  get size(): number {
    return this.#size
  }

  get(text: string): number | undefined {
    return this.#find(text, hashOf(text))
  }

  #find(text: string, hash: number): number | undefined {
    let entry = this.#first[this.#bucketOf(hash)] ?? 0
    while (entry > 0) {
      if (this.#hashes[entry - 1] === hash && this.#isTextOf(text, entry - 1)) return entry - 1
      entry = this.#next[entry - 1] ?? 0
    }
    return undefined
  }

  /** @param text one that is not there. @param number one that no text has. */
  add(text: string, number: number) {
    this.#add(hashOf(text), number)
  }

  /** Has the text mean this number, which no text has, and no other that it meant before. */
  put(text: string, number: number) {
    const hash = hashOf(text)
    const known = this.#find(text, hash)
    if (known !== undefined) this.#remove(known)
    this.#add(hash, number)
  }

  #add(hash: number, number: number) {
    this.#hashes = withPlace(this.#hashes, number)
    this.#next = withPlace(this.#next, number)
    this.#hashes[number] = hash
    this.#putFirst(number)
    this.#size++
    if (this.#size > this.#buckets) this.#split()
  }

  delete(text: string) {
    const number = this.get(text)
    if (number !== undefined) this.#remove(number)
  }

  #remove(number: number) {
    const bucket = this.#bucketOf(this.#hashes[number] ?? 0)
    let entry = this.#first[bucket] ?? 0
    if (entry === number + 1) this.#first[bucket] = this.#next[number] ?? 0
    else {
      while (this.#next[entry - 1] !== number + 1) entry = this.#next[entry - 1] ?? 0
      this.#next[entry - 1] = this.#next[number] ?? 0
    }
    this.#size--
  }

  #putFirst(number: number) {
    const bucket = this.#bucketOf(this.#hashes[number] ?? 0)
    this.#next[number] = this.#first[bucket] ?? 0
    this.#first[bucket] = number + 1
  }

  #bucketOf(hash: number): number {
    const bucket = hash & (2 * this.#whole - 1)
    return bucket < this.#buckets ? bucket : bucket - this.#whole
  }

  /** Makes one more bucket, of the texts in another that belong there by one bit more of their hash. */
  #split() {
    const split = this.#buckets - this.#whole
    let entry = this.#first[split] ?? 0
    this.#first[split] = 0
    this.#first = withPlace(this.#first, this.#buckets++)
    while (entry > 0) {
      const next = this.#next[entry - 1] ?? 0
      this.#putFirst(entry - 1)
      entry = next
    }
    if (this.#buckets === 2 * this.#whole) this.#whole *= 2
  }
}

/** Another for each process, so that nobody can choose texts of one hash. */
const SEED = Math.floor(Math.random() * 2 ** 32)

function hashOf(text: string): number {
  let hash = SEED
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
