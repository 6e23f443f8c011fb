/**
 * An answer put together as bytes: texts are encoded, and what stands on a page is copied, because making strings of it
 * and encoding them again takes longer.
 */
import { type NamedValues, namedText, writeNamed } from './named-values.ts'
import type { TextPlace } from './text-pages.ts'

/** Room that one answer is made in after the other: it is copied from there once its length is known. */
let spare: Buffer | undefined
const FIRST_BYTES = 2 ** 16
/** More is not held for the next answer. */
const SPARE_MAX = 2 ** 20
/** UTF-8 has this many bytes for a UTF-16 unit at most. */
const BYTES_A_UNIT = 3

export class AnswerBytes {
  #bytes = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0
  /** Text that is not encoded yet. */
  #text = ''
  /** First byte and end of each slot, in pairs. */
  readonly #places: number[] = []

  constructor() {
    // A second answer that is begun before this one ends gets a buffer of its own.
    spare = undefined
  }

  add(text: string) {
    this.#text += text
  }

  addSlot(bytes: Uint8Array) {
    this.#endText()
    this.#hasRoomFor(bytes.length)
    this.#places.push(this.#length, this.#length + bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  addPlace({ page, start, end }: TextPlace) {
    if (typeof page === 'string') return this.add(page)
    this.#endText()
    this.#hasRoomFor(end - start)
    this.#length += page.bytes.copy(this.#bytes, this.#length, start, end)
  }

  addNamed(values: NamedValues) {
    const { page, start, end } = values.place
    if (typeof page === 'string') return this.add(namedText(values))
    this.#endText()
    this.#hasRoomFor(values.names.length + end - start)
    this.#length = writeNamed(values.names, page.bytes, start, end, this.#bytes, this.#length)
  }

  /** @returns all that was added as UTF-8, and of each slot the first byte and the one after its last. */
  end(): { bytes: Uint8Array<ArrayBuffer>; places: Uint32Array } {
    this.#endText()
    const bytes = Buffer.allocUnsafeSlow(this.#length)
    this.#bytes.copy(bytes, 0, 0, this.#length)
    if (this.#bytes.length <= SPARE_MAX) spare = this.#bytes
    return { bytes, places: new Uint32Array(this.#places) }
  }

  #endText() {
    if (this.#text === '') return
    this.#hasRoomFor(this.#text.length * BYTES_A_UNIT)
    this.#length += this.#bytes.write(this.#text, this.#length)
    this.#text = ''
  }

  #hasRoomFor(more: number) {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
