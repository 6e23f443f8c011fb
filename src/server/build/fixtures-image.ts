/**
 * The second half of `bun run image`: makes `src/testing/fixtures.pages.br`, in which the database of the prepared image holds the
 * kit's fixed directory.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { pack } from 'tar-stream'
import { packFolder } from '../../database/archive.ts'
import { databaseFolders } from '../../database/data-dir.ts'
import { imageTar } from '../../database/image.ts'
import { filesOf, imageFiles } from '../../database/memory.ts'
import { openDatabase } from '../../database/open.ts'
import { differencesOf } from '../../testing/differences.ts'
import { seedFixed } from '../../testing/seed.ts'
import { beginSegment } from './segment.ts'

const OUT = join(import.meta.dirname, '../../testing/fixtures.pages.br')

const dataDir = await mkdtemp(join(tmpdir(), 'chainkin-fixtures-'))
try {
  const { database, close } = await openDatabase({ databaseUrl: undefined, dataDir })
  await seedFixed(database)
  const isNeeded = await beginSegment(database)
  await close()

  const archive = pack()
  const packing = packFolder(archive, databaseFolders(dataDir).current, isNeeded)
  const [tar] = await Promise.all([buffer(archive), packing.then(() => archive.finalize())])
  const files = filesOf(new Uint8Array(tar))
  const base = createHash('sha256')
    .update(await imageTar())
    .digest('hex')
  const differences = differencesOf(files, await imageFiles(), base)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: differences.length }
  const compressed = await promisify(brotliCompress)(differences, { params })
  await writeFile(OUT, compressed)
  console.log(`${OUT}: ${differences.length} bytes, ${compressed.length} compressed`)
} finally {
  await rm(dataDir, { recursive: true, force: true })
}
