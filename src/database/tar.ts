/** Reads a tar archive that `archive.ts` wrote, where all of it is in memory: a stream for each of its files takes longer. */

const BLOCK = 512
const FILE = '0'
const FOLDER = '5'

export interface TarEntry {
  /** Without a slash at its end. */
  name: string
  /** A view of the archive; null for a folder. */
  content: Uint8Array<ArrayBuffer> | null
}

/** Its files and folders, in their order. @throws where it has anything else, as a link */
export function* entriesOf(tar: Uint8Array<ArrayBuffer>): Generator<TarEntry> {
  const bytes = Buffer.from(tar.buffer, tar.byteOffset, tar.length)
  let at = 0
  const field = (start: number, end: number) =>
    bytes.toString('latin1', at + start, at + end).replace(/\0.*$/s, '')
  // It ends in blocks of zeros.
  while (at < bytes.length && bytes[at] !== 0) {
    const [prefix, type] = [field(345, 500), field(156, 157)]
    const name = (prefix && `${prefix}/`) + field(0, 100).replace(/\/$/, '')
    const size = Number.parseInt(field(124, 136), 8)
    if (type !== FILE && type !== FOLDER) throw new Error(`${name}: a tar entry of type ${type}`)
    at += BLOCK
    yield { name, content: type === FILE ? tar.subarray(at, at + size) : null }
    at += Math.ceil(size / BLOCK) * BLOCK
  }
}
