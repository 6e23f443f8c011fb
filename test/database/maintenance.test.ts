/** Checkpoints and vacuum of the embedded database. */
import { beforeAll, expect, test } from 'bun:test'
import type { Database } from '../../src/database/client.ts'
import { takeLock } from '../../src/database/data-dir.ts'
import { checkpointIfNeeded, vacuumIfNeeded } from '../../src/database/maintenance.ts'
import { openDatabase } from '../../src/database/open.ts'
import { shared, sharedDirectory } from '../helpers/shared.ts'

const directory = sharedDirectory()
const open = shared(
  () => openDatabase({ databaseUrl: undefined, dataDir: directory.path }),
  ({ close }) => close(),
)
let database: Database

beforeAll(async () => {
  database = open.database
  await database.use(({ sql }) => sql`create table lines (n integer primary key, text text)`)
  await database.use(
    ({ sql }) => sql`insert into lines select n, repeat('x', 100) from generate_series(1, 5000) n`,
  )
})

async function loggedBytes(): Promise<number> {
  const [row] = await database.use(
    ({ sql }) => sql<{ bytes: number }[]>`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes
        from pg_control_checkpoint()`,
  )
  return row?.bytes ?? Number.NaN
}

test('a checkpoint is taken once enough has been logged, and not before', async () => {
  const before = await loggedBytes()
  expect(before).toBeGreaterThan(500_000)
  expect(await checkpointIfNeeded(database, directory.path, before * 2)).toBe(false)
  expect(await loggedBytes()).toBeGreaterThanOrEqual(before)
  expect(await checkpointIfNeeded(database, directory.path, 500_000)).toBe(true)
  expect(await loggedBytes()).toBeLessThan(500_000)
})

test('no checkpoint while a backup is made: it needs the log', async () => {
  const backup = takeLock(directory.path, 'backup-lock')
  expect(await checkpointIfNeeded(database, directory.path, 0)).toBe(false)
  backup?.close()
  expect(await checkpointIfNeeded(database, directory.path, 0)).toBe(true)
})

test('a table is vacuumed once a fifth of it is dead, and then not again', async () => {
  await vacuumIfNeeded(database)
  await database.use(({ sql }) => sql`delete from lines where n <= 2500`)
  const vacuumed = await vacuumIfNeeded(database)
  expect(vacuumed).toContain('lines')
  expect(await vacuumIfNeeded(database)).not.toContain('lines')
})
