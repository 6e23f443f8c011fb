/** `imports`, as an operator types it and as a page starts it: by processes that end, are interrupted or are killed. */
import { beforeEach, expect, test } from 'bun:test'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runImport } from '../../../src/console/acts/imports.ts'
import { perform } from '../../../src/console/acts/perform.ts'
import { createLog } from '../../../src/log.ts'
import { createImportRuns } from '../../../src/server/service/page-commands.ts'
import { PROJECT_ROOT, run, start } from '../../helpers/command.ts'
import { sharedDatabase, sharedDirectory } from '../../helpers/shared.ts'
import { COMMAND, importing } from '../../intake/import/jobs/jobs.ts'

const t = sharedDatabase()
const directory = sharedDirectory()
const { added, current, imported } = importing(t)

beforeEach(async () => {
  await t.sql`truncate companies, import_jobs cascade`
})

const chainkin = (...args: string[]) =>
  run(['imports', ...args, '--json'], { env: { DATABASE_URL: t.url } })

/** For a process to begin on a busy machine. */
const PATIENCE_MS = 120_000

/** Looks again until it is so. */
async function until(isSo: () => Promise<boolean>) {
  const end = performance.now() + PATIENCE_MS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it never came')
    await Bun.sleep(20)
  }
}

/** Keeps imports from writing until it is released. */
async function holdWriters() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const over = t.sql.begin(async (sql) => {
    await sql`select lock_change_log()`
    hold()
    await released
  })
  await held
  return async () => {
    release()
    await over
  }
}

const ROWS = [
  'name,companyType,externalId',
  ...Array.from({ length: 600 }, (_, i) => `C ${i},project,${i}`),
]

/** Until a process has the job, and waits for its first batch to be written. */
const isAtWork = async (id: string) => {
  const [row] = await t.sql`
    select worker is not null and exists (
             select from pg_locks where locktype = 'advisory' and not granted
                and database = (select oid from pg_database where datname = current_database())) as "is"
      from import_jobs where id = ${id}`
  return row?.is === true
}

test('a file is added, mapped, checked, corrected, imported, reported, undone and deleted by commands', async () => {
  const file = join(directory.path, 'list.csv')
  await writeFile(file, 'Firma,Type\nAcme,project\nBeta,shop\n,project\n')
  const [job] = (await chainkin('add', '--companies', file)).json().imports
  expect(job).toMatchObject({ state: 'waiting', kind: 'companies', file: 'list.csv' })
  const mapped = await chainkin('map', job.id, '--map', 'Firma=name')
  expect(mapped.json()).toMatchObject({ missing: [], columns: [{ field: 'name' }, {}] })
  const checked = await chainkin('check', job.id)
  expect(checked.json()).toMatchObject({ state: 'checked', preview: { created: 1, refused: 2 } })
  const corrected = await chainkin('correct', job.id, '2', 'companyType=investor')
  expect(corrected.json()).toMatchObject({ corrections: 1 })
  const imported = await chainkin('run', job.id, '--as', 'ada')
  expect(imported.json()).toMatchObject({
    state: 'ended',
    result: { created: 2, refused: 1 },
    runBy: expect.stringMatching(/^ada \(/),
  })
  const report = join(directory.path, 'report.csv')
  await chainkin('report', job.id, report)
  expect((await readFile(report, 'utf8')).split('\r\n')[1]).toStartWith('list.csv,4,Firma,name')
  const undone = (await chainkin('undo', job.id, '--as', 'bea')).json()
  expect(undone).toMatchObject({
    state: 'undone',
    undone: { who: expect.stringMatching(/^bea \(/) },
  })
  expect(await t.sql`select from companies`).toHaveLength(0)
  expect((await chainkin()).json()).toMatchObject({ imports: [{ state: 'undone' }] })
  expect((await chainkin('delete', job.id)).code).toBe(0)
  expect(await t.sql`select from import_jobs`).toHaveLength(0)
})

test('an import whose process was killed has stopped, and goes on by running it again', async () => {
  const { id } = await added('companies', ROWS.join('\n'))
  const release = await holdWriters()
  const { child, finished } = start(['imports', 'run', id], { env: { DATABASE_URL: t.url } })
  await until(() => isAtWork(id))
  child.kill('SIGKILL')
  await finished
  await release()
  expect((await current(id)).state).toBe('importing')
  await t.sql`update import_jobs set beat_at = beat_at - interval '31 seconds'`
  expect(await current(id)).toMatchObject({ state: 'stopped', stopped: { work: 'import' } })
  const { result } = await imported({ id })
  expect((result?.created ?? 0) + (result?.unchanged ?? 0)).toBe(600)
  expect(await t.sql`select from companies`).toHaveLength(600)
})

test('an undo whose process was killed has taken nothing back, and is asked for again', async () => {
  const { id } = await imported(await added('companies', ROWS.join('\n')))
  const release = await holdWriters()
  const { child, finished } = start(['imports', 'undo', id], { env: { DATABASE_URL: t.url } })
  await until(() => isAtWork(id))
  child.kill('SIGKILL')
  await finished
  await t.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like '%import_job_undo%' and pid <> pg_backend_pid()`
  await release()
  await t.sql`update import_jobs set beat_at = beat_at - interval '31 seconds'`
  expect(await current(id)).toMatchObject({ state: 'stopped', stopped: { work: 'undo' } })
  expect(await t.sql`select from companies`).toHaveLength(600)
  expect((await chainkin('undo', id)).json()).toMatchObject({ state: 'undone' })
  expect(await t.sql`select from companies`).toHaveLength(0)
})

test('what a page asked for is done by a process of its own, which ends with the server', async () => {
  const { id } = await added('companies', ROWS.join('\n'))
  const main = join(PROJECT_ROOT, 'src/main.ts')
  const runs = createImportRuns({
    program: ['env', `DATABASE_URL=${t.url}`, process.execPath, main],
    log: createLog('error'),
  })
  const release = await holdWriters()
  await perform(t.database, { ...COMMAND, who: 'ada@example.com' }, runImport, id, { checked: '' })
  runs.begin(id)
  await until(() => isAtWork(id))
  const stopped = runs.stop()
  await release()
  await stopped
  await until(async () => (await current(id)).state !== 'importing')
  expect(await current(id)).toMatchObject({
    state: 'stopped',
    runBy: 'ada@example.com',
    stopped: { reason: 'interrupted, as the program that did it ended' },
  })
  expect(await imported({ id })).toMatchObject({ state: 'ended' })
  expect(await t.sql`select from companies`).toHaveLength(600)
})
