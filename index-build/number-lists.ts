/**
 * Many lists of 32-bit numbers, most of them short, in pages that they share. An array each would take more
 * memory than its numbers do, and the garbage collector would look at every one.
 *
 * A list stands in one block, of the least power of two that holds it. As it grows or shrinks beyond that it
 * moves to a block of another size, and others take the one that it leaves.
 */
import { withPlace } from './growing.ts'

export class NumberLists {
  #pages: Uint32Array[] = []
  /** By size as a power of two: starts of blocks that no list is in. */
  #free: number[][] = Array.from({ length: SIZES }, () => [])
  /** By list: its length, and behind it where its block starts: the page above the place on it. */
  #lists: Uint32Array<ArrayBuffer>

  /** @param count so many lists have their place from the start. */
  constructor(count = 1024) {
    this.#lists = new Uint32Array(2 * count)
  }

  length(list: number): number {
    return this.#lists[2 * list] ?? 0
  }

  /** The list's numbers, where they stand: to be read before the next change of any list. */
  numbers(list: number): Uint32Array {
    const begin = this.begin(list)
    return this.page(list).subarray(begin, begin + this.length(list))
  }

  /** The page that the list stands on: without an object for the list, which would cost more than reading a short one. */
  page(list: number): Uint32Array {
    return this.#page(this.#start(list))
  }

  /** Where on its page the list begins. */
  begin(list: number): number {
    return placeOf(this.#start(list))
  }

  #start(list: number): number {
    return this.#lists[2 * list + 1] ?? 0
  }

  #page(start: number): Uint32Array {
    return this.#pages[start >>> PAGE_BITS] ?? NO_NUMBERS
  }

  add(list: number, value: number) {
    this.#lists = withPlace(this.#lists, 2 * list + 1)
    const length = this.length(list)
    // A block is full where its numbers are a power of two.
    if ((length & (length - 1)) === 0) this.#move(list, length, length + 1)
    this.page(list)[this.begin(list) + length] = value
    this.#lists[2 * list] = length + 1
  }

  /** Takes the number out where the list has it; the last one stands there from then on. */
  remove(list: number, value: number) {
    const numbers = this.numbers(list)
    const position = numbers.indexOf(value)
    if (position < 0) return
    const length = numbers.length - 1
    numbers[position] = numbers[length] ?? 0
    this.#lists[2 * list] = length
    if ((length & (length - 1)) === 0) this.#move(list, length + 1, length)
  }

  /** Moves the list into a block for so many numbers. @param before how many its block was for. */
  #move(list: number, before: number, length: number) {
    const from = this.#start(list)
    const to = length > 0 ? this.#block(sizeOf(length)) : 0
    const [page, pageBefore] = [this.#page(to), this.#page(from)]
    for (let i = 0; i < before && i < length; i++) {
      page[placeOf(to) + i] = pageBefore[placeOf(from) + i] ?? 0
    }
    if (before > 0) this.#free[sizeOf(before)]?.push(from)
    this.#lists[2 * list + 1] = to
  }

  /** The start of a block in which no list is: a free one, or the first half of a larger one. */
  #block(size: number): number {
    const free = this.#free[size]?.pop()
    if (free !== undefined) return free
    if (size >= PAGE_BITS) return (this.#pages.push(new Uint32Array(2 ** size)) - 1) * PAGE
    const start = this.#block(size + 1)
    this.#free[size]?.push(start + 2 ** size)
    return start
  }

  /** All of it, in the arrays in which it stands. */
  get whole(): WholeLists {
    return { free: this.#free, arrays: [this.#lists, ...this.#pages] }
  }

  /** Takes all of other lists, in place of what is here. Their pages are taken as they are and written to from then on. */
  take({ free, arrays: [lists, ...pages] }: WholeLists) {
    this.#free = free.map((starts) => [...starts])
    this.#lists = lists.slice()
    this.#pages = pages
  }
}

/** Free blocks, the lists, and the pages that they stand on. */
export interface WholeLists {
  free: number[][]
  arrays: readonly [lists: Uint32Array, ...pages: Uint32Array[]]
}

/** A page holds many blocks, or a single one that is larger. */
const PAGE_BITS = 16
const PAGE = 1 << PAGE_BITS
const NO_NUMBERS = new Uint32Array(0)

/** Where on its page a block starts. */
const placeOf = (start: number) => start & (PAGE - 1)
/** The size of the block of so many numbers, as a power of two. */
const sizeOf = (length: number) => 32 - Math.clz32(length - 1)
const SIZES = 32
