/** `bun run image`: makes `src/database/image.tar.br` anew, by the way that the first start would take. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { pack } from 'tar-stream'
import { packFolder } from '../../database/archive.ts'
import { databaseFolders } from '../../database/data-dir.ts'
import { imageFingerprint } from '../../database/image.ts'
import { openDatabase } from '../../database/open.ts'
import { scalar } from '../../database/scalar.ts'
import { beginSegment } from './segment.ts'

const OUT = join(import.meta.dirname, '../../database/image.tar.br')

const dataDir = await mkdtemp(join(tmpdir(), 'chainkin-image-'))
const folder = databaseFolders(dataDir).current
try {
  const cluster = await PGlite.create(folder)
  await cluster.close()
  const { database, close } = await openDatabase({ databaseUrl: undefined, dataDir })
  await database.use(
    async ({ sql }) => {
      const comment = imageFingerprint((await scalar<string>(sql`select version()`)) ?? '')
      await sql.unsafe(`comment on database postgres is '${comment}'`)
      await sql`update chainkin_migrations set applied_at = '-infinity'`
      // Nobody can connect to the templates to vacuum them, and one day their age would stop the database.
      await sql`update pg_database set datistemplate = false where datname like 'template_'`
      await sql`drop database template0`
      await sql`drop database template1`
      await sql`vacuum (freeze, analyze)`
    },
    { deadlineMs: 60_000 },
  )
  const isNeeded = await beginSegment(database)
  await close()

  const archive = pack()
  const [tar] = await Promise.all([
    buffer(archive),
    packFolder(archive, folder, isNeeded).then(() => archive.finalize()),
  ])
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  }
  const compressed = await promisify(brotliCompress)(tar, { params })
  await writeFile(OUT, compressed)
  console.log(`${OUT}: ${tar.length} bytes, ${compressed.length} compressed`)
} finally {
  await rm(dataDir, { recursive: true, force: true })
}
