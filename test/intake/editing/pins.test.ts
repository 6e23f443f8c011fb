/** Fields that were set by hand stay as they are under imports, on a real PostgreSQL. */
import { beforeEach, expect, test } from 'bun:test'
import { readAuditLog } from '../../../src/console/acts/audit-log.ts'
import { unpinFields } from '../../../src/console/acts/records.ts'
import type { Database } from '../../../src/database/client.ts'
import { mergeRecords, setRecord, undoChange } from '../../../src/intake/editing/edit.ts'
import { showRecord } from '../../../src/intake/editing/records.ts'
import { importFiles } from '../../../src/intake/import/import.ts'
import { COMMAND } from '../import/jobs/jobs.ts'
import { emptyDatabase, jsonl, load } from '../import/sources.ts'

const t = emptyDatabase()
beforeEach(async () => {
  await t.sql`truncate record_pins, redirects, journal`
  await load(t.database, 'people', [ROW])
})

const ROW = {
  externalId: 'ann',
  firstName: 'Ann',
  jobTitle: 'CFO',
  email: 'file@example.com',
  twitterHandle: 'ann',
}

const set = (fields: Record<string, string>, isPinned?: boolean) =>
  setRecord(t.database, 'person', 'ann', fields, 'olga', isPinned)
const shown = () => showRecord(t.database, 'person', 'ann')
const again = () => load(t.database, 'people', [{ ...ROW, firstName: 'Anna' }])

test('an import stores the other fields of a row and counts what pins held back, private channels too', async () => {
  await set({ jobTitle: 'CTO', email: 'hand@example.com', roles: '[]' })
  const done = await again()
  expect([done.updated, done.pinned]).toEqual([1, 2])
  expect(await shown()).toMatchObject({
    firstName: 'Anna',
    jobTitle: 'CTO',
    roles: [],
    pins: ['email', 'jobTitle', 'roles'],
  })
  const [channels] = await t.sql`select email from private_channels`
  expect(channels?.email).toBe('hand@example.com')
})

test('roles that are pinned do not follow from a job title that is not', async () => {
  await set({ roles: '' })
  await load(t.database, 'people', [{ ...ROW, jobTitle: 'Head of Marketing' }])
  expect(await shown()).toMatchObject({ jobTitle: 'Head of Marketing', roles: [] })
})

test('a field that is unpinned, that was set without a pin, or whose change was undone is the import’s again', async () => {
  await set({ jobTitle: 'CTO', twitterHandle: 'hand' })
  const { pins } = await unpinFields(t.database, COMMAND, 'person', 'ann', ['jobTitle'])
  expect(pins).toEqual(['twitterHandle'])
  const [line] = await readAuditLog(t.database, { limit: 1 })
  expect(line).toMatchObject({
    act: 'directory.unpin',
    via: 'command',
    who: 'root',
    subjects: [(await shown()).id],
    before: { kind: 'person', pins: ['jobTitle', 'twitterHandle'] },
    after: { kind: 'person', pins: ['twitterHandle'] },
  })
  await set({ email: 'hand@example.com' }, false)
  await again()
  expect(await shown()).toMatchObject({ jobTitle: 'CFO', twitterHandle: 'hand' })
  const { change } = await set({ jobTitle: 'CEO' })
  const undone = await undoChange(t.database, change ?? 0, 'olga')
  expect(await shown()).toMatchObject({ jobTitle: 'CFO', pins: ['twitterHandle'] })
  await undoChange(t.database, undone, 'olga')
  expect(await shown()).toMatchObject({ jobTitle: 'CEO', pins: ['jobTitle', 'twitterHandle'] })
})

test('a set that is refused pins nothing, and what is not pinned can not be unpinned', async () => {
  const refused = set({ company: 'nowhere' }).catch((error: Error) => error.message)
  expect(await refused).toContain('company')
  expect(await shown()).toMatchObject({ pins: [] })
  const unpinned = unpinFields(t.database, COMMAND, 'person', 'ann', ['jobTitle'])
  expect(await unpinned.catch((error: Error) => error.message)).toBe(
    'jobTitle: not pinned; pinned: nothing',
  )
})

test('a set that the database does not take pins nothing', async () => {
  await t.sql.unsafe(`
    create function refuse_all() returns trigger language plpgsql as $$ begin raise 'no' using errcode = 'P0001'; end $$;
    create trigger refuse_all before update on people execute function refuse_all()`)
  const failed = set({ jobTitle: 'CTO' }).catch((error: Error) => error.message)
  expect(await failed).toBe('the database did not take a batch (P0001)')
  await t.sql`drop function refuse_all cascade`
  expect(await shown()).toMatchObject({ jobTitle: 'CFO', pins: [] })
})

test('a survivor has the pins of both, until the merge is undone', async () => {
  await load(t.database, 'people', [{ externalId: 'bob', firstName: 'Bob' }])
  await setRecord(t.database, 'person', 'bob', { jobTitle: 'Hand' }, 'olga')
  const { change } = await mergeRecords(t.database, 'person', ['bob', 'ann'], 'olga')
  expect((await again()).pinned).toBe(1)
  expect(await shown()).toMatchObject({ jobTitle: 'Hand', pins: ['jobTitle'] })
  await t.sql`delete from journal_entries where change > ${change}`
  await undoChange(t.database, change, 'olga')
  expect(await shown()).toMatchObject({ jobTitle: 'CFO', pins: [] })
})

test('a field that is set while an import is about to write it is not overwritten', async () => {
  let isSet = false
  const database: Database = {
    ...t.database,
    use: (work, options) =>
      t.database.use((connection) => {
        const { sql } = connection
        const unsafe = async (statement: string, values: never[]) => {
          if (statement.includes('lock_change_log()') && !isSet) {
            isSet = true
            await set({ jobTitle: 'CTO' })
          }
          return sql.unsafe(statement, values)
        }
        return work({ ...connection, sql: Object.assign(sql.bind(null), sql, { unsafe }) as never })
      }, options),
  }
  const rows = jsonl([{ ...ROW, jobTitle: 'COO' }])
  const summary = await importFiles(database, { people: rows })
  expect([isSet, summary.people?.pinned]).toEqual([true, 1])
  expect(await shown()).toMatchObject({ jobTitle: 'CTO' })
})
