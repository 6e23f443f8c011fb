/**
 * Files of a database as what differs from those of another: PostgreSQL writes whole pages, and a few records change few of them.
 * A tenth of the bytes of a second prepared image, which would hold the first one again.
 */
import type { MemoryFile } from '../embed-testing.ts'

const PAGE_BYTES = 8192
/** Size of the header's length. */
const LENGTH_BYTES = 4

/** One file in the header. Pages follow the header in the same order. */
interface Part {
  path: string
  /** Null for a folder. */
  length: number | null
  /** The numbers of the pages that are not as in the other file of this name, or not zeros where there is none. */
  pages: number[]
}

interface Header {
  /** SHA-256 of the base's archive. */
  of: string
  parts: Part[]
}

/** @param of a word for `base` @returns bytes of which `withDifferences` makes `files` again, given `base`. */
export function differencesOf(
  files: readonly MemoryFile[],
  base: readonly MemoryFile[],
  of = '',
): Buffer {
  const known = contentsOf(base)
  const bodies: Uint8Array[] = []
  const parts = files.map(({ path, content }): Part => {
    if (!content) return { path, length: null, pages: [] }
    const before = beginning(known.get(path), content.length)
    const pages: number[] = []
    for (let start = 0; start < content.length; start += PAGE_BYTES) {
      const page = content.subarray(start, start + PAGE_BYTES)
      if (Buffer.compare(page, before.subarray(start, start + PAGE_BYTES)) === 0) continue
      pages.push(start / PAGE_BYTES)
      bodies.push(page)
    }
    return { path, length: content.length, pages }
  })
  const header = Buffer.from(JSON.stringify({ of, parts } satisfies Header))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(header.length)
  return Buffer.concat([length, header, ...bodies])
}

/** Makes files of those that they differ from. What is the same is not copied. */
export function withDifferences(differences: Buffer, base: readonly MemoryFile[]): MemoryFile[] {
  const known = contentsOf(base)
  const { header, end } = headerOf(differences)
  let at = end
  return header.parts.map(({ path, length, pages }) => {
    if (length === null) return { path, content: null }
    const before = known.get(path)
    if (before?.length === length && pages.length === 0) return { path, content: before }
    const content = beginning(before, length)
    for (const page of pages) {
      const start = page * PAGE_BYTES
      const bytes = Math.min(PAGE_BYTES, length - start)
      content.set(differences.subarray(at, at + bytes), start)
      at += bytes
    }
    return { path, content }
  })
}

/** SHA-256 of the base's archive, as given to `differencesOf`. */
export const differsFrom = (differences: Buffer): string => headerOf(differences).header.of

function headerOf(differences: Buffer): { header: Header; end: number } {
  const end = LENGTH_BYTES + differences.readUInt32LE()
  return { header: JSON.parse(differences.toString('utf8', LENGTH_BYTES, end)), end }
}

const contentsOf = (files: readonly MemoryFile[]) =>
  new Map(files.map(({ path, content }) => [path, content]))

/** A copy of so many bytes, with zeros for what is missing. */
function beginning(content: Uint8Array | null | undefined, length: number): Uint8Array {
  const copy = new Uint8Array(length)
  if (content) copy.set(content.subarray(0, length))
  return copy
}
