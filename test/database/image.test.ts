/** The prepared image that every embedded database starts from. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { databaseFolders } from '../../src/database/data-dir.ts'
import { engine } from '../../src/database/engine.ts'
import { imageArchive, imageFingerprint, imageTar, unpacked } from '../../src/database/image.ts'
import { MIGRATIONS } from '../../src/database/migrations.ts'
import { openDatabase } from '../../src/database/open.ts'
import { baseHash } from '../../src/testing/prepared.ts'
import { temporaryDirectory } from '../helpers/command.ts'
import { expectRejection } from '../helpers/rejection.ts'

test.concurrent('the image is of this PGlite and these migrations: where it is not, `bun run image` makes it', async () => {
  const database = new PGlite({ ...(await engine()), loadDataDir: await imageArchive() })
  const { rows } = await database.query<{ version: string; comment: string }>(`
    select version(), shobj_description(oid, 'pg_database') as comment
      from pg_database where datname = 'postgres'`)
  const applied = await database.query<{ name: string }>(
    'select name from chainkin_migrations order by name',
  )
  await database.close()
  expect(rows[0]?.comment).toBe(imageFingerprint(rows[0]?.version ?? ''))
  expect(applied.rows).toEqual(MIGRATIONS.map(({ name }) => ({ name })))
})

test('the kit’s fixed directory is kept as what differs from this image: where it is not, `bun run image` makes it', async () => {
  expect(await baseHash()).toBe(
    createHash('sha256')
      .update(await imageTar())
      .digest('hex'),
  )
})

test.concurrent('a PGlite in memory that starts from the image knows nothing of another one', async () => {
  const start = async () =>
    new PGlite({ ...(await engine()), loadDataDir: await imageArchive() }) as PGlite
  const [one, other] = [await start(), await start()]
  await one.exec("insert into rejected_keys values ('192.0.2.1', now(), 1)")
  const count = async (database: PGlite) =>
    (await database.query('select count(*)::integer as n from rejected_keys')).rows
  expect(await count(one)).toEqual([{ n: 1 }])
  expect(await count(other)).toEqual([{ n: 0 }])
  await Promise.all([one.close(), other.close()])
})

test.concurrent('a prepared file that is damaged is named', async () => {
  const { path, remove } = await temporaryDirectory()
  const file = join(path, 'image.tar.br')
  const cut = brotliCompressSync(await imageTar().then((tar) => tar.subarray(0, 100_000)))
  await writeFile(file, cut.subarray(0, cut.length / 2))
  await expectRejection(
    unpacked('image.tar.br', file),
    'image.tar.br of this installation is damaged',
  )
  await remove()
})

test.concurrent('databases that began with the same image are told apart by when that was', async () => {
  async function start(times: number): Promise<unknown[]> {
    const { path, remove } = await temporaryDirectory()
    const began: unknown[] = []
    for (let started = 0; started < times; started++) {
      const { database, close } = await openDatabase({ databaseUrl: undefined, dataDir: path })
      const [row] = await database.use(
        ({ sql }) => sql`
          select isfinite(min(applied_at)) as dated, min(applied_at)::text as at from chainkin_migrations`,
      )
      await close()
      expect(row?.dated).toBe(true)
      began.push(row?.at)
    }
    await remove()
    return began
  }
  const [[first, firstAgain], [second]] = await Promise.all([start(2), start(1)])
  expect(firstAgain).toBe(first)
  expect(second).not.toBe(first)
})

test.concurrent('a first start that was interrupted while it unpacked begins again', async () => {
  const directory = await temporaryDirectory()
  const { current, coming } = databaseFolders(directory.path)
  await mkdir(coming, { recursive: true })
  await writeFile(join(coming, 'PG_VERSION'), '18\n')
  const { database, close } = await openDatabase({
    databaseUrl: undefined,
    dataDir: directory.path,
  })
  const [row] = await database.use(({ sql }) => sql`select count(*)::integer as n from accounts`)
  await close()
  expect(row?.n).toBe(0)
  expect([existsSync(current), existsSync(coming)]).toEqual([true, false])
  await directory.remove()
})

test.concurrent('a restore that was interrupted between two renames leaves the database that was there', async () => {
  const directory = await temporaryDirectory()
  const config = { databaseUrl: undefined, dataDir: directory.path }
  const before = await openDatabase(config)
  await before.database.use(({ sql }) => sql`create table kept (n integer)`)
  await before.close()
  const { current, going } = databaseFolders(directory.path)
  await rename(current, going)
  const after = await openDatabase(config)
  const [row] = await after.database.use(
    ({ sql }) => sql`select to_regclass('kept') is not null as kept`,
  )
  await after.close()
  expect(row?.kept).toBe(true)
  await directory.remove()
})
