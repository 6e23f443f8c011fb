/**
 * The prepared image: the embedded database as its first start would make it, after initdb and every
 * migration. Unpacking it takes a fraction of a second, initdb several. `bun run image` makes it anew,
 * and a test fails while it is older than PGlite or the migrations.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { readImported } from '../runtime.ts'
import image from './image.tar.br' with { type: 'bytes' }
import { MIGRATIONS } from './migrations.ts'

let archive: Promise<Blob> | undefined

/**
 * A tar archive of the cluster's folder, about 40 MB, unpacked once a process. A PGlite in memory starts
 * from it as `new PGlite({ ...(await engine()), loadDataDir: await imageArchive() })`.
 */
export function imageArchive(): Promise<Blob> {
  archive ??= readImported(image)
    .then(promisify(brotliDecompress))
    .then((tar) => new Blob([new Uint8Array(tar)], { type: 'application/x-tar' }))
  return archive
}

/**
 * What an image is made of: the migrations' text and PostgreSQL's version. The image carries its own in
 * the comment on its database.
 */
export function imageFingerprint(postgresVersion: string): string {
  const hash = createHash('sha256').update(postgresVersion)
  for (const { name, sql } of MIGRATIONS) hash.update(`\0${name}\0${sql}`)
  return `Chainkin image ${hash.digest('hex').slice(0, 32)}`
}
