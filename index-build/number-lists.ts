/**
 * Many lists of 32-bit numbers, most of them short, in pages that they share. An array each would take more
 * memory than its numbers do, and the garbage collector would look at every one.
 *
 * A list is a chain of blocks, each about a quarter of what came before it. The first number of a block is
 * the start of the block before. So a list grows without being copied, and a block that it leaves fits
 * others. A number alone has no block.
 */
export class NumberLists {
  readonly #pages: Uint32Array[] = []
  /** Where on the last page the part begins that is in no block. */
  #next = PAGE
  /** By size as a power of two: starts of blocks that lists have left. */
  readonly #left: number[][] = Array.from({ length: SIZE_MAX + 1 }, () => [])
  /** By list: its length, and behind it the start of its last block or the one number that it has. */
  #lists = new Uint32Array(2048)

  /** Numbers that the pages have room for. */
  get capacity(): number {
    return this.#pages.length * PAGE
  }

  length(list: number): number {
    return this.#lists[2 * list] ?? 0
  }

  add(list: number, value: number) {
    if (2 * list >= this.#lists.length) {
      this.#lists = new Uint32Array(this.#lists.buffer.transfer(16 * list))
    }
    const length = this.length(list)
    this.#lists[2 * list] = length + 1
    if (length === 0) this.#lists[2 * list + 1] = value
    else {
      if (length === 1 || beginOf(length) === length) this.#addBlock(list, length)
      const start = this.#start(list)
      this.#page(start)[placeOf(start) + 1 + length - beginOf(length)] = value
    }
  }

  /** Takes the number out where the list has it; the last one stands there from then on. */
  remove(list: number, value: number) {
    let start = this.#start(list)
    if (this.length(list) === 1 && start === value) this.#lists[2 * list] = 0
    for (let end = this.length(list); end > 1; ) {
      const begin = beginOf(end - 1)
      const [page, place] = [this.#page(start), placeOf(start)]
      const numbers = page.subarray(place + 1, place + 1 + end - begin)
      const position = numbers.indexOf(value)
      if (position >= 0) {
        numbers[position] = this.#last(list)
        this.#shorten(list)
        return
      }
      start = page[place] ?? 0
      end = begin
    }
  }

  /** Copies the list's numbers to the front of `into`. @returns how many. */
  read(list: number, into: Uint32Array): number {
    const length = this.length(list)
    let start = this.#start(list)
    if (length === 1) into[0] = start
    for (let end = length; end > 1; ) {
      const begin = beginOf(end - 1)
      const page = this.#page(start)
      let place = placeOf(start)
      start = page[place++] ?? 0
      for (let i = begin; i < end; i++) into[i] = page[place++] ?? 0
      end = begin
    }
    return length
  }

  #start(list: number): number {
    return this.#lists[2 * list + 1] ?? 0
  }

  #page(start: number): Uint32Array {
    return this.#pages[start >>> PAGE_BITS] ?? NO_NUMBERS
  }

  #addBlock(list: number, length: number) {
    const size = sizeOf(length === 1 ? 0 : length)
    const start = this.#left[size]?.pop() ?? this.#newBlock(1 + 2 ** size)
    // What stood there: the block before, or the number that was alone.
    this.#page(start)[placeOf(start) + (length === 1 ? 1 : 0)] = this.#start(list)
    this.#lists[2 * list + 1] = start
  }

  #newBlock(length: number): number {
    if (this.#next + length > PAGE) {
      this.#pages.push(new Uint32Array(PAGE))
      this.#next = 0
    }
    this.#next += length
    return this.#pages.length * PAGE - PAGE + this.#next - length
  }

  #last(list: number): number {
    const last = this.length(list) - 1
    const start = this.#start(list)
    return this.#page(start)[placeOf(start) + 1 + last - beginOf(last)] ?? 0
  }

  /** Without its last number. */
  #shorten(list: number) {
    const last = this.length(list) - 1
    const start = this.#start(list)
    this.#lists[2 * list] = last
    if (last > 1 && beginOf(last) < last) return
    this.#lists[2 * list + 1] = this.#page(start)[placeOf(start) + (last === 1 ? 1 : 0)] ?? 0
    this.#left[sizeOf(last === 1 ? 0 : last)]?.push(start)
  }

  /** All lists in parts, as values of JSON; `take` makes the same of them. */
  *parts(): Generator<NumbersPart> {
    for (const page of this.#pages) yield { page: numbersText(page) }
    yield { lists: numbersText(this.#lists), next: this.#next, left: this.#left }
  }

  /** Takes a part of other lists into these, which have none yet. */
  take(part: NumbersPart) {
    if ('page' in part) {
      this.#pages.push(textNumbers(part.page))
      return
    }
    this.#lists = textNumbers(part.lists)
    this.#next = part.next
    for (const [size, starts] of part.left.entries()) this.#left[size] = starts
  }
}

/** Numbers stand in it as `numbersText` has them. */
export type NumbersPart = { page: string } | { lists: string; next: number; left: number[][] }

/** @returns the base64 of the numbers' bytes, the least first. */
export function numbersText({ buffer, byteOffset, byteLength }: Uint32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** @returns the numbers of `numbersText`. */
export function textNumbers(text: string): Uint32Array<ArrayBuffer> {
  const bytes = Buffer.from(text, 'base64')
  const numbers = new Uint32Array(bytes.length / 4)
  new Uint8Array(numbers.buffer).set(bytes)
  return numbers
}

const PAGE_BITS = 16
const PAGE = 1 << PAGE_BITS
const placeOf = (start: number) => start & (PAGE - 1)
const NO_NUMBERS = new Uint32Array(0)

/** Of the block that the number at this position of a list stands in: its size, as a power of two. */
const sizeOf = (position: number) => Math.min(29 - Math.clz32(position + FIRST), SIZE_MAX)
/** The same block's first position. Blocks have 2, 2, 4, 4, 4, 4, 8 numbers, and so on up to 4,096. */
const beginOf = (position: number) => {
  const size = sizeOf(position)
  return (((position + FIRST) >>> size) << size) - FIRST
}
const FIRST = 12
const SIZE_MAX = 12
