/** Backups that a server makes by itself. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../../../src/log.ts'
import { startBackups } from '../../../src/server/service/backups.ts'
import { sharedDirectory } from '../../helpers/shared.ts'

const directory = sharedDirectory()
const AT = '2026-01-02T03:04:05.678Z'

/** Starts a schedule whose command is this program. */
function started(code: string) {
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  const program = [process.execPath, '-e', code] as const
  const settings = { dir: '/backups', everySeconds: 21_600, keep: 3 }
  const backups = startBackups(settings, { program, log, firstMs: 0 })
  const values = () =>
    Object.fromEntries(backups.families().map(({ name, values: [one] }) => [name, one?.value]))
  return { ...backups, logged, values }
}

/** Waits for a line of the log. */
async function lineOf(logged: readonly string[]) {
  while (logged.length === 0) await Bun.sleep(5)
  return JSON.parse(logged[0] ?? '')
}

test('the command is asked for one where it is due, and what it made is in log and metrics', async () => {
  const { logged, values, stop } = started(`
    const args = process.argv.slice(process.argv.indexOf('backup')).join(' ')
    console.log(JSON.stringify({ isNew: true, path: args, madeAt: '${AT}', bytes: 7, deleted: 1 }))`)
  const line = await lineOf(logged)
  await stop()
  expect(line).toMatchObject({
    level: 'info',
    message: 'backup made',
    bytes: 7,
    deleted: 1,
    path: 'backup /backups --keep 3 --every 6h --json',
  })
  expect(values()).toEqual({
    chainkin_last_backup_timestamp_seconds: Date.parse(AT) / 1_000,
    chainkin_last_backup_bytes: 7,
    chainkin_backup_failures_total: 0,
  })
})

test('one that could not be made is a warning with its reason, and is counted', async () => {
  const { logged, values, stop } = started(`
    console.log(JSON.stringify({ error: 'the disk is full' }))
    console.error('chainkin backup: the disk is full')
    process.exit(1)`)
  expect(await lineOf(logged)).toMatchObject({
    level: 'warn',
    message: 'backup failed',
    reason: 'the disk is full',
  })
  await stop()
  expect(values().chainkin_backup_failures_total).toBe(1)
})

test('where another server makes one that is no failure, and the newest that is there is told', async () => {
  const { logged, values, stop } = started(`
    console.log(JSON.stringify({ isNew: false, isBusy: true, madeAt: '${AT}', bytes: 7, deleted: 0 }))`)
  while (values().chainkin_last_backup_bytes !== 7) await Bun.sleep(5)
  await stop()
  expect([logged, values().chainkin_backup_failures_total]).toEqual([[], 0])
})

test('a server that stops lets the one that is being made take away what it began', async () => {
  const begun = join(directory.path, 'begun')
  const { logged, stop } = started(`
    const { rmSync, writeFileSync } = require('node:fs')
    process.once('SIGINT', () => {
      rmSync(${JSON.stringify(begun)})
      process.exit(130)
    })
    writeFileSync(${JSON.stringify(begun)}, '')
    setInterval(() => {}, 1_000)`)
  while (!existsSync(begun)) await Bun.sleep(5)
  await stop()
  expect([logged, existsSync(begun)]).toEqual([[], false])
})
