/** The operator’s page of backups: which there are, one more, and their download by whoever shows a password and a code. */
import { beforeAll, expect, test } from 'bun:test'
import { copyFile, readFile, rm, stat, symlink, truncate, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { readAuditLog } from '../../src/console/acts/audit-log.ts'
import type { BackupRun } from '../../src/console/acts/backup-list.ts'
import { FORMAT, writeBackupFile } from '../../src/database/backup/file.ts'
import { nameOfBackup } from '../../src/database/backup/kept.ts'
import { identityOf } from '../../src/database/backup/save.ts'
import { temporaryDirectory } from '../helpers/command.ts'
import { expectRejection } from '../helpers/rejection.ts'
import { shared, sharedService } from '../helpers/shared.ts'
import { sharedOperator } from './operators.ts'
import { tableIn, textIn } from './reading.ts'
import { csrfIn, startTown } from './visitor.ts'

const service = sharedService()
const folder = shared(temporaryDirectory, ({ remove }) => remove())
const settings = { dir: '', everySeconds: 86_400, keep: 14 }
/** The names of the files that were asked for. */
const begun: string[] = []
/** How the next one that is asked for ends. */
let run: BackupRun = { state: 'made' }
let last: BackupRun | undefined
const town = shared(() =>
  startTown(service, {
    console: {
      config: { ...readConfig({}), backups: settings },
      backups: {
        begin: async (name: string) => {
          begun.push(name)
          last = run
          return run
        },
        last: () => last,
      },
    },
  }),
)

const operator = sharedOperator(service, town)
const name = nameOfBackup(new Date('2026-01-31T10:00:00.000Z'))
beforeAll(async () => {
  settings.dir = folder.path
  const head = {
    format: FORMAT,
    program: '1.0.0',
    madeAt: '2026-01-31T10:00:00.000Z',
    isScheduled: true,
    database: await service.database.use(({ sql }) => identityOf(sql)),
  }
  const nothing = { postgres: '17', migrations: [], tables: [], sequences: {} }
  await writeBackupFile(join(folder.path, name), head, async () => nothing)
})

const confirmPath = (on: string) =>
  `/operator/confirm?${new URLSearchParams({ act: 'backup.download', on })}`

async function download(proof: { password: string; code: string }) {
  const csrf = csrfIn(await operator.text(confirmPath(name)))
  const form = { csrf, act: 'backup.download', on: name, of: '', ...proof }
  return operator.post('/operator/confirm', new URLSearchParams(form))
}

const actsOf = async (act: string) => readAuditLog(service.database, { act, limit: 10 })

/** Presses “Back up now”, so often. */
async function backUpNow(times = 1) {
  const html = await operator.text('/operator/backups')
  const fields = ['csrf', 'idempotencyKey'].map((name) => [
    name,
    new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? '',
  ])
  fields.push(['action', 'backup.make'])
  const press = () => operator.post('/operator/backups', Object.fromEntries(fields))
  return Promise.all(Array.from({ length: times }, press))
}

test('lists the backups of this database with how long each is kept, and begins one, once for a double click', async () => {
  expect(tableIn(await operator.text('/operator/backups'), 'Backups, newest first')).toEqual([
    expect.arrayContaining(['31 Jan 2026, 10:00:00', name, '1', '14 Feb 2026']),
  ])
  const responses = await backUpNow(2)
  expect(responses.map(({ status }) => status)).toEqual([303, 303])
  expect(begun).toEqual([expect.stringMatching(/^chainkin-.*\.tar$/)])
  expect(await actsOf('backup.make')).toMatchObject([{ after: { backup: begun[0] } }])
})

test('says at once why one could not be made', async () => {
  run = { state: 'failed', reason: 'the disk is full' }
  const [response] = await backUpNow()
  expect(response?.status).toBe(503)
  expect(textIn((await response?.text()) ?? '')).toContain('was not made: the disk is full')
})

test('says how much is written of the one that another process makes', async () => {
  const partial = join(folder.path, `${nameOfBackup(new Date())}.0123abcd.partial`)
  await copyFile(join(folder.path, name), partial)
  await truncate(partial, 3_000_001)
  expect(textIn(await operator.text('/operator/backups'))).toContain('made: 4 MB are written')
  // One that was killed.
  await utimes(partial, 0, 0)
  expect(await operator.text('/operator/backups')).not.toContain('are written')
  await rm(partial)
})

test('a folder that can’t be read is said, with the variable that names it', async () => {
  settings.dir = join(folder.path, name)
  const html = await operator.text('/operator/backups')
  settings.dir = folder.path
  expect(textIn(html)).toContain('of BACKUP_DIR can’t be read (ENOTDIR)')
})

test('gives a backup whole to whoever shows a password and a code, and notes who had which', async () => {
  const refused = await download({ ...operator.proof(), password: 'not the password' })
  expect(refused.headers.get('content-disposition')).toBeNull()
  expect(await actsOf('backup.download')).toEqual([])
  const response = await download(operator.proof())
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
  const file = await readFile(join(folder.path, name))
  expect(Buffer.from(await response.arrayBuffer()).equals(file)).toBe(true)
  const [line] = await actsOf('backup.download')
  expect(line).toMatchObject({ who: operator.email, before: {}, after: { backup: name } })
})

test('breaks off for somebody who is no operator any more', async () => {
  const path = join(folder.path, name)
  const { size } = await stat(path)
  await truncate(path, 8 * 1024 * 1024)
  const reader = (await download(operator.proof())).body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  const { email } = operator
  await service.sql`update users set operator_since = null where email = ${email}`
  const rest = async () => {
    while (!(await reader?.read())?.done);
  }
  await expectRejection(rest(), 'no operator')
  await service.sql`update users set operator_since = now() where email = ${email}`
  await truncate(path, size)
})

test('knows no file but those that it lists', async () => {
  const link = nameOfBackup(new Date('2026-02-01T10:00:00.000Z'))
  await symlink(join(folder.path, name), join(folder.path, link))
  for (const on of [
    '../../etc/passwd',
    `${folder.path}/${name}`,
    'chainkin-20200101T000000Z.tar',
    link,
  ]) {
    expect((await operator.get(confirmPath(on))).status).toBe(404)
  }
})
