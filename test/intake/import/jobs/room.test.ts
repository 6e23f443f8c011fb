/** A file is refused before it fills the disk of the embedded database, which would give up for everybody. */
import { expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { readConfig } from '../../../../src/config.ts'
import { checkDisk } from '../../../../src/console/acts/checks.ts'
import { MIN_FREE_BYTES } from '../../../../src/database/disk.ts'
import { expectRoom } from '../../../../src/intake/import/jobs/store.ts'
import { JobRefused } from '../../../../src/intake/import/jobs/types.ts'

const here = { databaseUrl: undefined, dataDir: tmpdir() }
const outcome = (asked: Promise<void>) =>
  asked.then(
    () => 'room',
    (error: unknown) => error,
  )

test('a disk with less than what stays free for the database takes no file, and the reason says how much there is', async () => {
  const refused = await outcome(expectRoom(here, Number.MAX_SAFE_INTEGER))
  expect(refused).toBeInstanceOf(JobRefused)
  expect(String(refused)).toMatch(/the disk of DATA_DIR has \d+ MB left, and \d+ MB stay free/)
  expect(await outcome(expectRoom(here, 1))).toBe('room')
  expect(MIN_FREE_BYTES).toBeGreaterThan(16 * 2 ** 20)
})

test('the disk of a PostgreSQL is not this one, and a database in memory has none', async () => {
  const elsewhere = { ...here, databaseUrl: 'postgres://db.example/chainkin' }
  expect(await outcome(expectRoom(elsewhere, Number.MAX_SAFE_INTEGER))).toBe('room')
  expect(await outcome(expectRoom(undefined, Number.MAX_SAFE_INTEGER))).toBe('room')
})

test('where the system doesn’t say how much is free, files are taken, and doctor says that it doesn’t', async () => {
  const silent = () => Promise.reject(Object.assign(new Error('no statfs'), { code: 'ENOSYS' }))
  expect(await outcome(expectRoom(here, Number.MAX_SAFE_INTEGER, silent))).toBe('room')
  const config = { ...here, ledgerMonths: 0, backups: readConfig({}).backups }
  expect(await checkDisk(config, silent)).toEqual({
    state: 'failed',
    text: `free bytes of ${here.dataDir} can't be read (ENOSYS): nothing large is refused for want of them`,
  })
})
