/** People who asked to be forgotten, on a real PostgreSQL: nothing of them stays, nothing brings them back. */
import { expect, test } from 'bun:test'
import { createHmac, randomUUID } from 'node:crypto'
import { applyErasures, readErasures } from '../../../src/database/erasures.ts'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import {
  deleteRecord,
  mergeRecords,
  setRecord,
  undoChange,
} from '../../../src/intake/editing/edit.ts'
import { readJournal } from '../../../src/intake/editing/journal.ts'
import { importRows } from '../../../src/intake/import/import.ts'
import { findingsWriter } from '../../../src/intake/import/jobs/findings.ts'
import { cleanJobs } from '../../../src/intake/import/jobs/store.ts'
import type { ImportJob } from '../../../src/intake/import/jobs/types.ts'
import { askCheck } from '../../../src/intake/import/jobs/work.ts'
import { ERASED } from '../../../src/intake/import/summary.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { testDatabase } from '../../helpers/postgres.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { expectBooksToBalance, newAccount, revealOf } from '../../money/charge/fixtures.ts'
import { importing } from '../import/jobs/jobs.ts'
import { refusal, somebody, tablesHolding, untilWaitingFor } from './traces.ts'

const t = sharedDatabase()
const { added, checked, imported, current } = importing(t)

async function load(...rows: object[]) {
  const { refusals } = await importRows(t.database, 'people', rows)
  expect(refusals).toEqual([])
}
const erase = (name: string) => erasePerson(t.database, name, 'olga')
const undo = (change: number) => undoChange(t.database, change, 'olga')

const tablesWith = (...texts: string[]) => tablesHolding(t.sql, ...texts)

test('whatever became of a person before, no table holds a trace after the erasure but the id in the change log', async () => {
  const { mark, row } = somebody()
  const twin = somebody()
  await load(row, twin.row)
  await setRecord(
    t.database,
    'person',
    row.slug,
    { jobTitle: `Chair ${mark}`, email: `new.${mark}@people.example` },
    'olga',
  )
  const { id, merged } = await mergeRecords(t.database, 'person', [row.id, twin.row.id], 'olga')
  const { change } = await deleteRecord(t.database, 'person', id, 'olga')
  await undo(change)
  const account = await newAccount(t.sql, { tier: 'pro', credits: 100 })
  const meter = createMeter(t.database, { maxWaitMs: PATIENCE_MS })
  await meter.charge(revealOf(account, id))
  // Kept by the id of before the merge as well: a note and an entry have the id that was theirs when they were made.
  const [list] = await t.sql`
    insert into record_lists (account_id, name) values (${account.id}, 'Founders') returning id`
  for (const known of [id, merged]) {
    await t.sql`insert into contact_notes values (${account.id}, ${known}, ${`Met ${mark}`}, '{}', now())`
    await t.sql`insert into list_entries values (${list?.id}, ${known}, 'person', now())`
  }
  expect(await tablesWith(mark)).toEqual(
    expect.arrayContaining(['journal_entries', 'contact_notes']),
  )
  expect(await tablesWith(id)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ledger_2/),
      'unlocks',
      'people',
      'list_entries',
    ]),
  )

  const erased = await erase(id)
  expect(erased).toMatchObject({ records: 1, alike: [] })
  expect(await tablesWith(mark, twin.mark)).toEqual([])
  expect(await tablesWith(id, merged)).toEqual(['change_log'])
  await expectBooksToBalance(t.sql)
  const [kept] = await t.sql`
    select (select count(*)::int from unlocks where account_id = ${account.id}) as unlocks, sum(credits)::int as credits, count(*)::int as entries
      from ledger where account_id = ${account.id}`
  expect(kept).toEqual({ unlocks: 1, credits: 90, entries: 2 })
})

test('checks and imports of files of people forget what they found of single rows, and a file that waits is to be checked again', async () => {
  const { mark, row } = somebody()
  await load(row, { ...row, id: randomUUID(), externalId: 'a', slug: `slug-${mark}-2` })
  const { firstName, lastName } = row
  const rows = [
    // A value that is left out, a name that fits two, spelled otherwise, and a value that would change.
    { externalId: 'b', firstName: firstName.toUpperCase(), lastName, avatarUrl: `no ${mark}` },
    { firstName, lastName, jobTitle: 'CFO' },
    { externalId: row.externalId, jobTitle: `Boss ${mark}` },
  ]
  const content = rows.map((one) => JSON.stringify(one)).join('\n')
  const [open, ended] = [await added('people', content, 'a.jsonl'), await added('people', content)]
  await imported(ended)
  const { preview } = await checked(open)
  expect(preview).toMatchObject({ refused: 1, warned: 1, differences: expect.any(Array) })
  expect(await tablesWith(mark)).toEqual(
    expect.arrayContaining(['import_jobs', 'import_job_findings']),
  )
  await erase(row.id)
  await erase('a')
  await t.sql`delete from people where external_id = 'b'`
  await t.sql`truncate journal_entries, journal_created, change_log`
  expect(await tablesWith(mark)).toEqual([])
  const now = await current(open.id)
  expect(now).toMatchObject({ state: 'checked', hasFile: true, isPreviewCurrent: false })
  expect(now.preview).toMatchObject({
    refused: 1,
    reasons: expect.arrayContaining([expect.objectContaining({ count: 1 })]),
  })
})

test('a check that was under way meanwhile keeps nothing of single rows either', async () => {
  const { mark, row } = somebody()
  await load(row)
  const job = await added('people', `externalId,firstName,avatarUrl\nc,${mark},no ${mark}\n`)
  const done = await checked(job, {
    // Rows are named when the dry run has ended.
    async onCopy(work) {
      const found = await work(t.database)
      await erase(row.id)
      return found
    },
  })
  expect(done).toMatchObject({ state: 'checked', isPreviewCurrent: false, preview: { warned: 1 } })
  expect(await t.sql`select from import_job_findings where job_id = ${job.id}`).toHaveLength(0)
})

test.each([
  ['cleans up', () => cleanJobs(t.database)],
  ['is asked for something else', (id: string) => askCheck(t.database, id)],
])(
  'a check whose process was killed meanwhile keeps nothing of single rows either, once the service %s',
  async (_, then) => {
    const { mark, row } = somebody()
    await load(row)
    const [killed, later] = [
      await added('people', 'firstName\n'),
      await added('people', 'firstName\n'),
    ]
    const finding = {
      severity: 'warning',
      row: 1,
      field: 'avatarUrl',
      reason: 'no address',
    } as const
    const find = async ({ id }: ImportJob) => {
      const findings = await findingsWriter(t.database, id)
      const value = `no ${mark}`
      await findings.add({ ...finding, line: 1, column: 'avatarUrl', value }, {})
      await findings.flush()
    }
    const findingsOf = ({ id }: ImportJob) =>
      t.sql`select from import_job_findings where job_id = ${id}`
    await askCheck(t.database, killed.id)
    await erase(row.id)
    await find(killed)
    // As long as it is at work it may go on; its end does the same.
    await cleanJobs(t.database)
    expect(await findingsOf(killed)).toHaveLength(1)
    await t.sql`update import_jobs set beat_at = beat_at - interval '1 minute' where id = ${killed.id}`
    await askCheck(t.database, later.id)
    await find(later)
    await t.sql`update import_jobs set beat_at = beat_at - interval '1 minute' where id = ${later.id}`
    await then(killed.id)
    expect(await findingsOf(killed)).toHaveLength(0)
    // What was begun after the erasure has nothing of anybody who was erased.
    expect(await findingsOf(later)).toHaveLength(1)
    await t.sql`delete from import_jobs`
  },
)

const SPELLINGS: [string, (row: ReturnType<typeof somebody>['row']) => object][] = [
  ['e-mail in other case', ({ email }) => ({ externalId: 'a', email: email.toUpperCase() })],
  ['e-mail with a tag', ({ email }) => ({ slug: 'b', email: email.replace('@', '+list@') })],
  [
    'telephone written otherwise',
    ({ phone }) => ({ externalId: 'c', phone: `00${phone.replace(/\D/g, '')}` }),
  ],
  [
    'X handle as an address',
    ({ twitterHandle }) => ({ twitterHandle: `https://x.com/${twitterHandle.toUpperCase()}` }),
  ],
  ['Telegram with @', ({ telegram }) => ({ externalId: 'd', telegram: `@${telegram}` })],
  [
    'LinkedIn of another country',
    ({ linkedinUrl }) => ({ linkedinUrl: `${linkedinUrl.replace('www', 'de')}/?trk=x` }),
  ],
  ['externalId', ({ externalId }) => ({ externalId })],
  ['id', ({ id }) => ({ id })],
]

test.each(SPELLINGS)(
  'a row that tells an erased person by %s is refused, the others go in',
  async (_, spelling) => {
    const { row } = somebody()
    const other = somebody()
    await load(row)
    await erase(row.slug)
    const rows = [{ firstName: 'Somebody', ...spelling(row) }, other.row]
    const done = await importRows(t.database, 'people', rows)
    expect(done).toMatchObject({ read: 2, created: 1, refused: 1, erased: 1 })
    expect(done.refusals).toEqual([{ row: 1, field: null, reason: ERASED }])
  },
)

test('a namesake is somebody else, with the same slug too', async () => {
  const { row } = somebody()
  await load(row)
  await erase(row.id)
  const { firstName, lastName, slug, jobTitle } = row
  expect(
    await importRows(t.database, 'people', [{ firstName, lastName, slug, jobTitle }]),
  ).toMatchObject({ created: 1 })
})

test('set refuses what is an erased person’s with the import’s words, and changes nothing', async () => {
  const { mark, row } = somebody()
  const other = somebody()
  await load(row, other.row)
  await erase(row.id)
  for (const field of ['email', 'twitterHandle', 'externalId'] as const) {
    const set = setRecord(t.database, 'person', other.row.id, { [field]: row[field] }, 'olga')
    expect(await refusal(set)).toBe(ERASED)
  }
  expect(await tablesWith(mark)).toEqual([])
})

test('what somebody was known by before is remembered, too', async () => {
  const { row } = somebody()
  await load(row)
  await setRecord(t.database, 'person', row.id, { twitterHandle: 'after_that', email: '' }, 'olga')
  await erase(row.id)
  const rows = [
    { firstName: 'A', email: row.email },
    { firstName: 'B', twitterHandle: row.twitterHandle },
  ]
  expect(await importRows(t.database, 'people', rows)).toMatchObject({ created: 0, erased: 2 })
})

test('the journal has the erasure by its number, and nothing of the person is undone any more', async () => {
  const { mark, row } = somebody()
  await load(row)
  const set = await setRecord(t.database, 'person', row.id, { jobTitle: 'CTO' }, 'olga')
  const { number, change } = await erase(row.id)
  const [noted] = await readJournal(t.database, { limit: 1 })
  expect(noted).toMatchObject({
    change,
    who: 'olga',
    what: 'erase',
    kind: 'person',
    id: number,
    records: 0,
  })
  for (const one of [set.change ?? 0, change]) {
    expect(await refusal(undo(one))).toBe(
      `change ${one} is of a person who was erased at the person's request: it can't be undone`,
    )
  }
  expect(JSON.stringify(await readJournal(t.database, { limit: 100 }))).not.toContain(mark)
})

test('an import that brought an erased person is undone without them', async () => {
  const { mark, row } = somebody()
  const other = somebody()
  await load(row, other.row)
  const [imported] = await readJournal(t.database, { limit: 1 })
  await erase(row.id)
  const undone = await undo(imported?.change ?? 0)
  expect(await tablesWith(mark)).toEqual([])
  await undo(undone)
  expect(await tablesWith(other.mark)).toContain('people')
  expect(await tablesWith(mark)).toEqual([])
})

test('somebody who was deleted is erased by id; a second erasure finds nobody', async () => {
  const { mark, row } = somebody()
  await load(row)
  const { change } = await deleteRecord(t.database, 'person', row.id, 'olga')
  expect(await refusal(erase(row.slug))).toBe(`there is no person ${row.slug}`)
  expect(await erase(row.id)).toMatchObject({ records: 0 })
  expect(await tablesWith(mark)).toEqual([])
  expect(await refusal(erase(row.id))).toBe(`there is no person ${row.id}`)
  expect(await refusal(undo(change))).toContain('erased')
  expect(await importRows(t.database, 'people', [row])).toMatchObject({ erased: 1 })
})

test('of two people who were merged and parted again, one goes whole and the other stays', async () => {
  const [one, two] = [somebody(), somebody()]
  await load(one.row, { ...two.row, email: undefined, phone: undefined })
  const { change } = await mergeRecords(t.database, 'person', [two.row.id, one.row.id], 'olga')
  const set = await setRecord(t.database, 'person', two.row.id, { jobTitle: 'both' }, 'olga')
  await undo(set.change ?? 0)
  await undo(change)
  await erase(one.row.id)
  expect(await tablesWith(one.mark)).toEqual([])
  expect(await tablesWith(two.mark)).toContain('people')
  expect(await importRows(t.database, 'people', [two.row])).toMatchObject({ updated: 1 })
})

test('a value that others on file have is nobody’s alone: it is named, and not remembered', async () => {
  const [one, two] = [somebody(), somebody()]
  await load(one.row, { ...two.row, phone: one.row.phone })
  expect(await erase(one.row.id)).toMatchObject({ alike: [two.row.id] })
  expect(
    await importRows(t.database, 'people', [{ ...two.row, phone: one.row.phone }]),
  ).toMatchObject({ unchanged: 1 })
})

test('companies that may be theirs or speak of them are named, and stay', async () => {
  const { row, mark } = somebody()
  await load(row)
  const made = await importRows(t.database, 'companies', [
    {
      slug: `c1-${mark}`,
      name: 'An angel',
      companyType: 'investor',
      twitterHandle: row.twitterHandle.toUpperCase(),
    },
    {
      slug: `c2-${mark}`,
      name: 'Lab',
      companyType: 'project',
      aiSummary: `By ${row.firstName} ${row.lastName}.`,
    },
    { slug: `c3-${mark}`, name: 'Else', companyType: 'project' },
  ])
  expect(made.created).toBe(3)
  const { companies } = await erase(row.id)
  const slugs =
    await t.sql`select slug from companies where id = any (${companies}::uuid[]) order by 1`
  expect(slugs.map(({ slug }) => slug)).toEqual([`c1-${mark}`, `c2-${mark}`])
})

test('a deleted record with the same e-mail address goes along, and its deletion is not undone', async () => {
  const [one, two] = [somebody(), somebody()]
  await load({ ...two.row, email: one.row.email })
  const { change } = await deleteRecord(t.database, 'person', two.row.id, 'olga')
  await load(one.row)
  await erase(one.row.id)
  expect(await tablesWith(one.mark, two.mark)).toEqual([])
  expect(await refusal(undo(change))).toContain('erased')
})

test('hashes are HMAC-SHA-256 with a key of this database', async () => {
  const { row } = somebody()
  await load(row)
  await erase(row.id)
  const { keys, marks } = await readErasures(t.database)
  expect(keys).toHaveLength(1)
  const key = Buffer.from(keys[0]?.inner ?? '', 'hex').map((byte) => byte ^ 0x36)
  const hash = createHmac('sha256', key).update(`email:${row.email}`).digest('hex')
  expect(marks.map((mark) => mark.hash)).toContain(hash)
})

test('an older state that is put back forgets them again', async () => {
  const [one, two] = [somebody(), somebody()]
  await load(one.row, two.row)
  await erase(one.row.id)
  const list = await readErasures(t.database)
  const { database, sql, drop } = await testDatabase()
  // As the backup had them: one under another id, merged and journalled.
  await importRows(database, 'people', [{ ...one.row, id: randomUUID() }, two.row])
  expect(await applyErasures(database, list, 'olga')).toMatchObject({ records: 1 })
  const [left] =
    await sql`select string_agg(p::text || coalesce(e.before::text, ''), '') as text from people p full join journal_entries e on true`
  expect(left?.text).toContain(two.mark)
  expect(left?.text).not.toContain(one.mark)
  expect(await importRows(database, 'people', [one.row])).toMatchObject({ erased: 1 })
  expect(await applyErasures(database, list, 'olga')).toBeNull()
  await drop()
})

test('an import that had looked at its rows before the erasure looks again', async () => {
  const { mark, row } = somebody()
  await load(row)
  await erase((await loaded()).id)
  const waiting = t.sql.begin(async (sql) => {
    await sql`select lock_change_log()`
    const importing = importRows(t.database, 'people', [{ ...row, jobTitle: 'again' }])
    await untilWaitingFor(t.sql, 'advisory')
    await sql`select erase_people(${`{${row.id}}`}::uuid[], 'olga')`
    return { importing }
  })
  const { importing } = await waiting
  expect(await importing).toMatchObject({ created: 0, updated: 0, erased: 1 })
  expect(await tablesWith(mark)).toEqual([])
})

/** Somebody else: the first erasure of all makes imports look. */
async function loaded() {
  const { row } = somebody()
  await load(row)
  return row
}

test('nothing else of the ledger changes, even while an erasure goes on', async () => {
  const account = await newAccount(t.sql, { tier: 'pro', credits: 10 })
  const change = t.sql.begin(async (sql) => {
    await sql`select set_config('chainkin.erasing', 'on', true)`
    await sql`update ledger set credits = 0 where account_id = ${account.id}`
  })
  expect(await refusal(change)).toBe('ledger entries are never changed')
  expect(await refusal(t.sql`update ledger set person_id = null`)).toBe(
    'ledger entries are never changed',
  )
})
