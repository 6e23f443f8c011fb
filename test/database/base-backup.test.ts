/** Copies of the embedded database's files, made while it is used: backups of earlier versions are such files. */
import { beforeAll, expect, test } from 'bun:test'
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeBaseBackup } from '../../src/database/backup/base-backup.ts'
import { restoreIntoDataDir } from '../../src/database/backup/restore.ts'
import type { Database } from '../../src/database/client.ts'
import { takeLock } from '../../src/database/data-dir.ts'
import { openDatabase } from '../../src/database/open.ts'
import { scrubFiles } from '../../src/database/scrub.ts'
import { expectRejection } from '../helpers/rejection.ts'
import { shared, sharedDirectory } from '../helpers/shared.ts'

const directory = sharedDirectory()
const open = shared(
  () => openDatabase({ databaseUrl: undefined, dataDir: join(directory.path, 'data') }),
  ({ close }) => close(),
)
let database: Database
let dataDir: string
let file: string

beforeAll(async () => {
  database = open.database
  dataDir = join(directory.path, 'data')
  file = join(directory.path, 'backup.tar.gz')
  await database.use(({ sql }) => sql`create table lines (n integer primary key, sum integer)`)
})

/** What a restored database holds. */
async function linesIn(restored: string): Promise<{ n: number; last: number }> {
  const { database: copy, close } = await openDatabase({
    databaseUrl: undefined,
    dataDir: restored,
  })
  const [row] = await copy.use(
    ({ sql }) => sql<{ n: number; last: number }[]>`
      select count(*)::integer as n, max(n) as last from lines`,
  )
  await close()
  return row ?? { n: 0, last: 0 }
}

test('a backup under load holds all that was answered before it began, and nothing half', async () => {
  let written = 0
  let isDone = false
  const writeOne = async () => {
    const next = written + 1
    await database.use(({ sql }) => sql`insert into lines values (${next}, 0)`, {
      deadlineMs: 20_000,
    })
    written = next
  }
  const write = async () => {
    while (!isDone) await writeOne()
  }
  while (written < 100) await writeOne()
  const before = written
  const writing = write()
  await writeBaseBackup(database, dataDir, file)
  isDone = true
  await writing
  const restored = join(directory.path, 'restored')
  await restoreIntoDataDir(file, restored, { force: false })
  const { n, last } = await linesIn(restored)
  expect(n).toBe(last)
  expect(last).toBeGreaterThanOrEqual(before)
  expect(last).toBeLessThanOrEqual(written)
})

test('a backup that fails leaves the file that was there, and nothing beside it', async () => {
  const precious = join(directory.path, 'precious.tar.gz')
  await writeFile(precious, 'of yesterday')
  const closed: Database = { ...database, use: () => Promise.reject(new Error('gone')) }
  await expectRejection(writeBaseBackup(closed, dataDir, precious), 'gone')
  expect(await readFile(precious, 'utf8')).toBe('of yesterday')
  expect(await readdir(directory.path)).not.toContain('precious.tar.gz.partial')
})

test('a backup that is interrupted leaves nothing, and does not stop the next one', async () => {
  const interrupted = new AbortController()
  const half = join(directory.path, 'half-way.tar.gz')
  const writing = writeBaseBackup(database, dataDir, half, interrupted.signal)
  while (!(await readdir(directory.path)).includes('half-way.tar.gz.partial')) await Bun.sleep(1)
  interrupted.abort()
  await expectRejection(writing, 'abort')
  expect((await readdir(directory.path)).filter((name) => name.startsWith('half-way'))).toEqual([])
  expect(await writeBaseBackup(database, dataDir, half)).toBeGreaterThan(0)
})

test('a backup is its owner’s alone, also where one that was killed has left a file that others may read', async () => {
  const owned = join(directory.path, 'private.tar.gz')
  await writeFile(`${owned}.partial`, '', { mode: 0o644 })
  await writeBaseBackup(database, dataDir, owned)
  expect((await stat(owned)).mode & 0o777).toBe(0o600)
})

test('a backup that was killed in the middle does not stop the next one', async () => {
  await database.use(({ sql }) => sql`select pg_backup_start('killed', true)`)
  expect(await writeBaseBackup(database, dataDir, file)).toBeGreaterThan(0)
})

test('one backup at a time', async () => {
  const other = takeLock(dataDir, 'backup-lock')
  await expectRejection(writeBaseBackup(database, dataDir, file), 'another backup')
  other?.close()
})

test.concurrent('restoring under a running server is refused', async () => {
  await expectRejection(restoreIntoDataDir(file, dataDir, { force: true }), 'stop it first')
})

test.concurrent('restoring over a database needs force, and then replaces it', async () => {
  const target = join(directory.path, 'target')
  const other = await openDatabase({ databaseUrl: undefined, dataDir: target })
  await other.close()
  await expectRejection(restoreIntoDataDir(file, target, { force: false }), '--force')
  await restoreIntoDataDir(file, target, { force: true })
  expect((await linesIn(target)).n).toBeGreaterThan(0)
})

test.concurrent('what is no whole backup is refused, and the database that was there stays', async () => {
  const target = join(directory.path, 'kept')
  await restoreIntoDataDir(file, target, { force: false })
  const before = await linesIn(target)
  const half = join(directory.path, 'half.tar.gz')
  await writeFile(half, await readFile(file))
  await truncate(half, 400_000)
  const text = join(directory.path, 'text.tar.gz')
  await writeFile(text, 'no archive')
  for (const wrong of [half, text]) {
    await expectRejection(restoreIntoDataDir(wrong, target, { force: true }), "can't be restored")
  }
  expect(await linesIn(target)).toEqual(before)
  expect((await readdir(target)).filter((name) => name.startsWith('postgres'))).toEqual([
    'postgres',
  ])
})

test.concurrent('a file that is not there is refused, however early its stream fails', async () => {
  const restores = Array.from({ length: 20 }, (_, n) =>
    expectRejection(
      restoreIntoDataDir(join(directory.path, 'absent'), join(directory.path, `new-${n}`), {
        force: false,
      }),
      'no such file',
    ),
  )
  await Promise.all(restores)
})

test('a start and an erasure’s rewriting remove copies that a killed process left', async () => {
  const own = join(directory.path, 'own')
  const left = async () => {
    await mkdir(join(own, 'copy', 'left'), { recursive: true })
    await writeFile(join(own, 'copy', 'left', 'file'), 'everybody')
  }
  await left()
  const { database: opened, close } = await openDatabase({ databaseUrl: undefined, dataDir: own })
  expect(await readdir(join(own, 'copy'))).toEqual([])
  await left()
  await scrubFiles(opened, own)
  expect(await readdir(join(own, 'copy'))).toEqual([])
  await close()
})
