/**
 * The end of a snapshot file: arrays as they stand in memory, which its lines name by their places. Behind them a
 * footer of fixed length says where the lines end. A reader can map the file: what it then reads is the same memory for
 * every process, and what one writes to an array is a copy of its own, page by page of the system.
 */
import type { FileHandle } from 'node:fs/promises'

/** Where an array stands in the area: its first byte, and how many it has. */
export type AreaPlace = readonly [start: number, length: number]

/** The whole file as bytes that writing changes for this process alone; null where the runtime can't. */
export type MapFile = (file: string) => Uint8Array<ArrayBuffer> | null

/** A number of any array takes a part of these bytes. */
const ALIGNMENT = 8
const FOOTER_BYTES = 32

const aligned = (length: number) => Math.ceil(length / ALIGNMENT) * ALIGNMENT
const footerOf = (linesEnd: number) =>
  Buffer.from(`${String(linesEnd).padStart(FOOTER_BYTES - 1)}\n`)

/** Gives arrays their places; they are written, as they are then, when all lines are. */
export class AreaWriter {
  readonly #places = new Map<Uint8Array | Uint32Array, AreaPlace>()
  #length = 0

  /** How many bytes the area has so far. */
  get length(): number {
    return this.#length
  }

  /** @returns the array's place: the same one for the same array. */
  place(array: Uint8Array | Uint32Array): AreaPlace {
    const known = this.#places.get(array)
    if (known) return known
    const place = [this.#length, array.byteLength] as const
    this.#places.set(array, place)
    this.#length += aligned(array.byteLength)
    return place
  }

  /** What follows the lines. @param linesEnd how many bytes these have. */
  *bytes(linesEnd: number): Generator<Uint8Array> {
    yield new Uint8Array(aligned(linesEnd) - linesEnd)
    for (const { buffer, byteOffset, byteLength } of this.#places.keys()) {
      yield new Uint8Array(buffer, byteOffset, byteLength)
      yield new Uint8Array(aligned(byteLength) - byteLength)
    }
    yield footerOf(linesEnd)
  }
}

export class Area {
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #texts = new Map<number, Uint8Array<ArrayBuffer>>()

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes
  }

  get length(): number {
    return this.#bytes.length
  }

  /** @throws RangeError where the area has no such place. */
  numbers([start, length]: AreaPlace): Uint32Array<ArrayBuffer> {
    const { buffer, byteOffset } = this.#within(start, length)
    return new Uint32Array(buffer, byteOffset, length / Uint32Array.BYTES_PER_ELEMENT)
  }

  /** The same object for the same place. @throws RangeError */
  texts([start, length]: AreaPlace): Uint8Array<ArrayBuffer> {
    const known = this.#texts.get(start)
    if (known?.length === length) return known
    const bytes = this.#within(start, length)
    this.#texts.set(start, bytes)
    return bytes
  }

  #within(start: number, length: number): Uint8Array<ArrayBuffer> {
    const isWithin = start >= 0 && length >= 0 && start + length <= this.#bytes.length
    if (!isWithin) throw new RangeError(`no ${length} bytes at ${start}`)
    return this.#bytes.subarray(start, start + length)
  }
}

/** @returns the area, and where the lines end. @throws Error where the file has no footer, the system's errors */
export async function openArea(handle: FileHandle, file: string, map: MapFile) {
  const { size } = await handle.stat()
  const end = size - FOOTER_BYTES
  const footer = end > 0 ? await read(handle, end, FOOTER_BYTES) : Buffer.alloc(0)
  const linesEnd = Number.parseInt(footer.toString('latin1'), 10)
  const start = aligned(linesEnd)
  if (!(linesEnd > 0 && start <= end) || !footer.equals(footerOf(linesEnd))) {
    throw new Error('not whole')
  }
  const bytes = map(file)?.subarray(start, end) ?? (await read(handle, start, end - start))
  return { area: new Area(bytes), linesEnd }
}

async function read(handle: FileHandle, start: number, length: number) {
  const bytes = Buffer.from(new ArrayBuffer(length))
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(
      bytes,
      done,
      Math.min(length - done, CHUNK),
      start + done,
    )
    if (bytesRead === 0) throw new Error('not whole')
    done += bytesRead
  }
  return bytes
}
/** Systems read no more than two gigabytes at once. */
const CHUNK = 2 ** 26
