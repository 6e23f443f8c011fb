/**
 * The prepared image: the embedded database as its first start would make it, after initdb, every migration
 * and the functions. Unpacking it takes a fraction of a second, initdb several. `bun run image` makes it anew,
 * and a test fails while it is older than PGlite or the files of `drizzle/`.
 */
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { readImported } from '../runtime.ts'
import image from './image.tar.br' with { type: 'bytes' }
import { FUNCTIONS, hashOfText, MIGRATIONS } from './migrations.ts'

let archive: Promise<Blob> | undefined

/** A tar archive of the cluster's folder, about 40 MB, unpacked once a process. */
export function imageArchive(): Promise<Blob> {
  archive ??= readImported(image)
    .then(promisify(brotliDecompress))
    .then((tar) => new Blob([new Uint8Array(tar)], { type: 'application/x-tar' }))
  return archive
}

/** What an image is made of: migrations, functions, PostgreSQL's version. Its database has this as a comment. */
export function imageFingerprint(postgresVersion: string): string {
  const postgres = { name: 'PostgreSQL', sql: postgresVersion }
  return `Chainkin image ${hashOfText([...MIGRATIONS, ...FUNCTIONS, postgres])}`
}
