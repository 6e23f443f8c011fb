/**
 * Numbers by texts that are kept elsewhere: a hash table in arrays of numbers, without an object, a text or an entry of
 * a Map for each.
 *
 * It is made of parts, each of which grows alone: a table of a million texts that grew as one would hold the event
 * loop while it is filled anew.
 */
export class TextTable {
  readonly #isTextOf: (text: string, number: number) => boolean
  /** Places in pairs: a text's hash, and its number plus 1; 0 where the place is free. */
  readonly #parts = new Array<Uint32Array>(PARTS).fill(NO_TEXTS)
  /** By part: how many texts it has. */
  readonly #counts = new Uint32Array(PARTS)
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
    const part = this.#parts[hash & (PARTS - 1)] as Uint32Array
    const place = this.#placeOf(part, hash, text)
    return place < 0 ? undefined : (part[place + 1] as number) - 1
  }

  /** @param text one that is not there. */
  add(text: string, number: number) {
    const hash = hashOf(text)
    const index = hash & (PARTS - 1)
    let part = this.#parts[index] as Uint32Array
    const count = (this.#counts[index] as number) + 1
    if (count * 8 > part.length * 3) {
      part = grown(part)
      this.#parts[index] = part
    }
    put(part, hash, number + 1)
    this.#counts[index] = count
    this.#size++
  }

  delete(text: string) {
    const hash = hashOf(text)
    const part = this.#parts[hash & (PARTS - 1)] as Uint32Array
    const place = this.#placeOf(part, hash, text)
    if (place < 0) return
    close(part, place)
    this.#counts[hash & (PARTS - 1)]!--
    this.#size--
  }

  /** @returns the place of the text in the part; -1 where it is not there. */
  #placeOf(part: Uint32Array, hash: number, text: string): number {
    for (let place = home(part, hash); ; place = after(part, place)) {
      const entry = part[place + 1] as number
      if (entry === 0) return -1
      if (part[place] === hash && this.#isTextOf(text, entry - 1)) return place
    }
  }
}

/** A power of two. */
const PARTS = 64
const PART_BITS = 6
/** What every part begins as: one free place, which is never filled. */
const NO_TEXTS = new Uint32Array(2)

/** Another for each process, so that nobody can choose texts of one hash. */
const SEED = Math.floor(Math.random() * 2 ** 32)

function hashOf(text: string): number {
  let hash = SEED
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

const home = (part: Uint32Array, hash: number) => ((hash >>> PART_BITS) * 2) & (part.length - 1)
const after = (part: Uint32Array, place: number) => (place + 2) & (part.length - 1)

function put(part: Uint32Array, hash: number, entry: number) {
  let place = home(part, hash)
  while (part[place + 1] !== 0) place = after(part, place)
  part[place] = hash
  part[place + 1] = entry
}

function grown(part: Uint32Array): Uint32Array {
  const larger = new Uint32Array(part.length * 2)
  for (let place = 0; place < part.length; place += 2) {
    const entry = part[place + 1] as number
    if (entry !== 0) put(larger, part[place] as number, entry)
  }
  return larger
}

/** Frees a place. What stands behind it moves up where it would no longer be found. */
function close(part: Uint32Array, place: number) {
  let free = place
  for (let next = after(part, free); part[next + 1] !== 0; next = after(part, next)) {
    const hash = part[next] as number
    // How far it stands from its home, and how far from the free place.
    const distance = (next - home(part, hash)) & (part.length - 1)
    if (distance < ((next - free) & (part.length - 1))) continue
    part[free] = hash
    part[free + 1] = part[next + 1] as number
    free = next
  }
  part[free + 1] = 0
}
