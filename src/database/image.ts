/**
 * The prepared image: the embedded database as its first start would make it, after initdb, every migration
 * and the functions. Unpacking it takes a fraction of a second, initdb several. `bun run image` makes it anew,
 * and a test fails while it is older than PGlite or the files of `drizzle/`.
 */
import { promisify } from 'node:util'
import { type BrotliOptions, brotliDecompress } from 'node:zlib'
import { once } from '../once.ts'
import { type ImportedFile, readImported } from '../runtime.ts'
import image from './image.tar.br' with { type: 'bytes' }
import { FUNCTIONS, hashOfText, MIGRATIONS } from './migrations.ts'

/** A tar archive of the cluster's folder, about 40 MB, unpacked once a process. Nobody writes to it. */
export const imageTar = once(async () => {
  const { buffer, byteOffset, length } = await unpacked('src/database/image.tar.br', image)
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, length)
})

/** Larger than any of these files: joining pieces would take as long as unpacking. */
const chunkSize = 32 * 1024 * 1024

/** Unpacks a file that is part of this program. @throws Error with its name where it is damaged. */
export async function unpacked(name: string, imported: ImportedFile): Promise<Buffer> {
  const packed = await readImported(imported)
  try {
    return await promisify<Uint8Array, BrotliOptions, Buffer>(brotliDecompress)(packed, {
      chunkSize,
    })
  } catch (cause) {
    throw new Error(`${name} of this installation is damaged: install it again`, { cause })
  }
}

/** The same, as PGlite and streams take it. */
export async function imageArchive(): Promise<Blob> {
  return new Blob([await imageTar()], { type: 'application/x-tar' })
}

/** Fingerprint of an image: migrations, functions, PostgreSQL's version. Its database has it as a comment. */
export function imageFingerprint(postgresVersion: string): string {
  const postgres = { name: 'PostgreSQL', sql: postgresVersion }
  return `Chainkin image ${hashOfText([...MIGRATIONS, ...FUNCTIONS, postgres])}`
}
