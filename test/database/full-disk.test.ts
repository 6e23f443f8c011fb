/** A full disk under the embedded database, on a small file system of its own; only root can mount one. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { appendFileSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { onCopyOfDatabase } from '../../src/database/backup/base-backup.ts'
import { writeBackupFile } from '../../src/database/backup/file.ts'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { type OpenDatabase, openDatabase } from '../../src/database/open.ts'
import { run, type TemporaryDirectory, temporaryDirectory } from '../helpers/command.ts'
import { expectRejection } from '../helpers/rejection.ts'

const SIZE = '72m'
let directory: TemporaryDirectory
let isMounted = false

beforeAll(async () => {
  directory = await temporaryDirectory()
  const { status } = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${SIZE}`,
    'tmpfs',
    directory.path,
  ])
  isMounted = status === 0
  if (!isMounted) console.log('skipped: no small file system can be mounted here')
})
afterAll(async () => {
  if (isMounted) spawnSync('umount', ['-l', directory.path])
  await directory.remove()
})

/** Takes what is left of the disk but `spareBytes`. @returns what gives it back. */
function fill(spareBytes = 0): () => void {
  const ballast = join(directory.path, 'ballast')
  rmSync(ballast, { force: true })
  try {
    for (;;) appendFileSync(ballast, new Uint8Array(65_536))
  } catch {
    truncateSync(ballast, statSync(ballast).size - spareBytes)
    return () => rmSync(ballast)
  }
}

async function numbers(open: OpenDatabase): Promise<number[]> {
  const rows = await open.database.use(
    ({ sql }) => sql<{ n: number }[]>`select n from lines order by n`,
  )
  return rows.map(({ n }) => n)
}

/** Writes lines, each with a lot to log, until one is refused. @returns those that were answered. */
async function writeUntilRefused(open: OpenDatabase, from: number): Promise<number[]> {
  const answered: number[] = []
  for (let n = from; n < from + 1_000; n++) {
    try {
      await open.database.use(
        ({ sql }) => sql`
          with logged as (select pg_logical_emit_message(true, 'test', repeat('x', 100000)))
          insert into lines select ${n} from logged`,
        { deadlineMs: 20_000 },
      )
      answered.push(n)
    } catch (error) {
      expect(error).toBeInstanceOf(DatabaseUnavailable)
      return answered
    }
  }
  throw new Error('the disk did not fill')
}

test('a full disk: writing is refused, nothing answered is lost, and with space it goes on by itself', async () => {
  if (!isMounted) return
  const dataDir = join(directory.path, 'data')
  const trouble: string[] = []
  const open = await openDatabase(
    { databaseUrl: undefined, dataDir },
    { onTrouble: (what) => trouble.push(what) },
  )
  await open.database.use(({ sql }) => sql`create table lines (n integer primary key)`)
  // Its pages exist: what the disk has no place for is the log.
  await open.database.use(({ sql }) => sql`insert into lines values (-2)`)
  const giveBack = fill()
  const answered = await writeUntilRefused(open, 0)
  giveBack()
  let found: number[] | undefined
  while (!found) found = await numbers(open).catch(() => undefined)
  // The one that was refused may have been logged just before the end.
  const [first, ...written] = found
  expect(first).toBe(-2)
  expect(written.slice(0, answered.length)).toEqual(answered)
  expect(written.length - answered.length).toBeLessThanOrEqual(1)
  expect(answered.length).toBeGreaterThan(0)
  expect(trouble.join()).toContain('started again')
  await open.database.use(({ sql }) => sql`insert into lines values (-1)`)
  await open.close()
  const again = await openDatabase({ databaseUrl: undefined, dataDir })
  expect((await numbers(again)).length).toBe(found.length + 1)
  await again.close()
})

test('a copy of the database that leaves the service no room is refused before it begins', async () => {
  if (!isMounted) return
  const dataDir = join(directory.path, 'data')
  const { database, close } = await openDatabase({ databaseUrl: undefined, dataDir })
  const giveBack = fill(1_000_000)
  await expectRejection(
    onCopyOfDatabase(database, dataDir, async () => 'done'),
    /the database is copied first: that needs \d+ MB in .*, and 1 are free/,
  )
  giveBack()
  await close()
})

test('a first start on a full disk says that the disk is full, and works once it is not', async () => {
  if (!isMounted) return
  const dataDir = join(directory.path, 'later')
  rmSync(join(directory.path, 'data'), { recursive: true, force: true })
  for (const spareBytes of [0, 5_000_000]) {
    const giveBack = fill(spareBytes)
    const refused = await run(['migrate'], { env: { DATA_DIR: dataDir } })
    giveBack()
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/: the disk is full/) })
  }
  const accepted = await run(['migrate'], { env: { DATA_DIR: dataDir } })
  expect({ code: accepted.code, stderr: accepted.stderr }).toEqual({ code: 0, stderr: '' })
})

test('a backup for which the disk has no room says so, and leaves nothing of itself', async () => {
  if (!isMounted) return
  const file = join(directory.path, 'backup.tar')
  const giveBack = fill(200_000)
  const head = { format: 1, program: '', madeAt: '', database: '', isScheduled: false }
  const written = writeBackupFile(file, head, async (add) => {
    for (;;) await add('people', new Uint8Array(100_000))
  })
  const error = await written.catch((thrown: unknown) => thrown)
  const left = readdirSync(directory.path).filter((name) => name.startsWith('backup'))
  giveBack()
  expect(String(error)).toContain(`${file} can't be written: the disk is full`)
  expect(left).toEqual([])
})
