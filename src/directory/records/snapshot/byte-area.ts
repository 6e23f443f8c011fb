/**
 * The end of a snapshot file: arrays as they stand in memory, which its lines name by their places. Behind them a
 * footer of fixed length says where the lines end. A reader can map the file: what it then reads is the same memory for
 * every process, and what one writes to an array is a copy of its own, page by page of the system.
 */
import type { FileHandle } from 'node:fs/promises'
import { mapFile } from '../../../runtime.ts'

/** Arrays that can stand there. */
export type AreaArray = Uint8Array | Uint32Array

/** Where an array stands in the area: its first byte, how many it has, and how many each of its numbers takes. */
export type AreaPlace = readonly [start: number, length: number, bytesEach: number]

/** A number of any array takes a part of these bytes. */
const ALIGNMENT = 8
const FOOTER_BYTES = 32

const aligned = (length: number) => Math.ceil(length / ALIGNMENT) * ALIGNMENT
const footerOf = (linesEnd: number) =>
  Buffer.from(`${String(linesEnd).padStart(FOOTER_BYTES - 1)}\n`)

/** Gives arrays their places; they are written, as they are then, when all lines are. */
export class AreaWriter {
  readonly #places = new Map<AreaArray, AreaPlace>()
  #length = 0

  /** How many bytes the area has so far. */
  get length(): number {
    return this.#length
  }

  /** @returns the array's place: the same one for the same array. */
  place(array: AreaArray): AreaPlace {
    const known = this.#places.get(array)
    if (known) return known
    const place = [this.#length, array.byteLength, array.BYTES_PER_ELEMENT] as const
    this.#places.set(array, place)
    this.#length += aligned(array.byteLength)
    return place
  }

  /** Bytes after the lines. @param linesEnd length of the lines */
  *bytes(linesEnd: number): Generator<Uint8Array> {
    yield new Uint8Array(aligned(linesEnd) - linesEnd)
    for (const { buffer, byteOffset, byteLength } of this.#places.keys()) {
      yield new Uint8Array(buffer, byteOffset, byteLength)
      yield new Uint8Array(aligned(byteLength) - byteLength)
    }
    yield footerOf(linesEnd)
  }
}

/** The array of this place, where it stands. @throws RangeError where the area has no such place. */
export function arrayAt(
  area: Uint8Array<ArrayBuffer>,
  [start, length, bytesEach]: AreaPlace,
): AreaArray {
  const isWithin = start >= 0 && length >= 0 && start + length <= area.length
  if (!isWithin) throw new RangeError(`no ${length} bytes at ${start}`)
  const from = area.byteOffset + start
  return bytesEach === 1
    ? new Uint8Array(area.buffer, from, length)
    : new Uint32Array(area.buffer, from, length / Uint32Array.BYTES_PER_ELEMENT)
}

/**
 * @param isMapped maps it, where the runtime can, instead of reading it.
 * @returns the area, and where the lines end. @throws Error where the file has no footer, the system's errors
 */
export async function openArea(handle: FileHandle, file: string, isMapped: boolean) {
  const { size } = await handle.stat()
  const end = size - FOOTER_BYTES
  const footer = end > 0 ? await read(handle, end, FOOTER_BYTES) : Buffer.alloc(0)
  const linesEnd = Number.parseInt(footer.toString('latin1'), 10)
  const start = aligned(linesEnd)
  if (!(linesEnd > 0 && start <= end) || !footer.equals(footerOf(linesEnd))) {
    throw new Error('not whole')
  }
  const mapped = isMapped ? mapFile(file) : null
  const area = mapped?.subarray(start, end) ?? (await read(handle, start, end - start))
  return { area, linesEnd }
}

async function read(handle: FileHandle, start: number, length: number) {
  const bytes = Buffer.from(new ArrayBuffer(length))
  for (let done = 0; done < length; ) {
    const part = Math.min(length - done, CHUNK)
    const { bytesRead } = await handle.read(bytes, done, part, start + done)
    if (bytesRead === 0) throw new Error('not whole')
    done += bytesRead
  }
  return bytes
}
/** Systems read no more than two gigabytes at once. */
const CHUNK = 2 ** 26
