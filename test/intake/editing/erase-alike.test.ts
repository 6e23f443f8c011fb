/** What an erasure takes for the person's, and what is other people's, on a real PostgreSQL. */
import { expect, test } from 'bun:test'
import { applyErasures, readErasures } from '../../../src/database/erasures.ts'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import { deleteRecord, mergeRecords, undoChange } from '../../../src/intake/editing/edit.ts'
import { importRows } from '../../../src/intake/import/import.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { testDatabase } from '../../helpers/postgres.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { newAccount, revealOf } from '../../money/charge/fixtures.ts'
import { somebody, tablesHolding, untilWaitingFor } from './traces.ts'

const t = sharedDatabase()

const load = (...rows: object[]) => importRows(t.database, 'people', rows)
const erase = (name: string) => erasePerson(t.database, name, 'olga')

let others = 0
/** A row of somebody else who is known by one value. */
const rowWith = (value: object) => ({
  firstName: 'Other',
  externalId: `other-${++others}`,
  ...value,
})

const PROFILES: [string, string, string][] = [
  ['a doubled slash', 'https://www.linkedin.com/in/ada-1', 'https://linkedin.com//in//ada-1/'],
  ['a language', 'https://www.linkedin.com/in/ada-2', 'https://de.linkedin.com/in/ADA-2/de'],
  ['a tracking part', 'https://www.linkedin.com/in/ada-3', 'linkedin.com/in/ada-3&trk=x'],
  ['an @', 'https://www.linkedin.com/in/ada-4', 'https://www.linkedin.com/in/@ada-4'],
  ['an old address', 'https://linkedin.com/pub/ada/1/2/3', 'http://linkedin.com/pub/Ada/1/2/3/?x'],
  [
    'an id in its query',
    'https://www.linkedin.com/profile/view?id=11',
    'https://linkedin.com/profile/view/?trk=x&id=11&y=1',
  ],
]

test.each(PROFILES)('a profile written with %s is the same profile', async (_, kept, written) => {
  const { row } = somebody()
  await load({ ...row, linkedinUrl: kept })
  await erase(row.id)
  expect(await load(rowWith({ linkedinUrl: written }))).toMatchObject({ erased: 1 })
})

test('another id in the query is another profile', async () => {
  const { row } = somebody()
  await load({ ...row, linkedinUrl: 'https://www.linkedin.com/profile/view?id=21' })
  await erase(row.id)
  const other = { linkedinUrl: 'https://www.linkedin.com/profile/view?id=22' }
  expect(await load(rowWith(other))).toMatchObject({ created: 1 })
})

test.each([
  ['https://www.linkedin.com/in/', 'https://linkedin.com/in/'],
  ['https://www.linkedin.com/in/me', 'https://linkedin.com/in/me/'],
  ['https://www.linkedin.com/pub/dir/Ada/King', 'https://www.linkedin.com/pub/dir/Ada/King'],
  ['https://linkedin.com/search/?keywords=ada', 'https://linkedin.com/search/?keywords=bob'],
])('a page of LinkedIn that names no profile is nobody’s: %s', async (kept, written) => {
  const { row } = somebody()
  await load(row)
  // As releases stored it that took any page.
  await t.sql`update private_channels set linkedin_url = ${kept} where person_id = ${row.id}`
  await erase(row.id)
  const given = JSON.stringify([{ linkedin_url: written }])
  expect((await t.sql`select from erased_among(${given}::text::jsonb)`).length).toBe(0)
})

test('a company’s X handle and its office’s e-mail address are not the person’s, but those of a company that is one person', async () => {
  const companies = await importRows(t.database, 'companies', [
    { name: 'Acme', companyType: 'project', twitterHandle: 'AcmeCo', domain: 'acme.example' },
    { name: 'Ada', companyType: 'investor', entityKind: 'individual', twitterHandle: 'AdaInvests' },
  ])
  expect(companies).toMatchObject({ created: 2 })
  const [one, two, three] = [somebody(), somebody(), somebody()]
  const office = { twitterHandle: 'acmeco', email: 'Info@acme.example' }
  await load(
    { ...one.row, ...office },
    { ...two.row, twitterHandle: 'adainvests', email: 'info@ada.example' },
    { ...three.row, email: 'ada@acme.example' },
  )
  for (const { row } of [one, two, three]) await erase(row.id)
  const rows = [
    office,
    { twitterHandle: 'AdaInvests' },
    { email: 'info@ada.example' },
    { email: 'ada@acme.example' },
  ]
  expect(await load(...rows.map(rowWith))).toMatchObject({ created: 1, erased: 3 })
})

test('a deleted colleague with the same office’s address is somebody else', async () => {
  const [one, two] = [somebody(), somebody()]
  await load({ ...two.row, email: 'team@nowhere.example' })
  const { change } = await deleteRecord(t.database, 'person', two.row.id, 'olga')
  await load({ ...one.row, email: 'team@nowhere.example' })
  await erase(one.row.id)
  expect(await tablesHolding(t.sql, one.mark)).toEqual([])
  expect(await tablesHolding(t.sql, two.mark)).toContain('journal_entries')
  expect(change).toBeGreaterThan(0)
})

test('who was merged into somebody on file stays that one, though an address was once the same', async () => {
  const [gone, merged, kept] = [somebody(), somebody(), somebody()]
  await load(kept.row)
  await load({ ...merged.row, email: gone.row.email })
  await load(gone.row)
  await mergeRecords(t.database, 'person', [kept.row.id, merged.row.id], 'olga')
  await erase(gone.row.id)
  expect(await tablesHolding(t.sql, gone.mark)).toEqual([])
  const row = { externalId: merged.row.externalId, firstName: 'Same' }
  expect(await load(row)).toMatchObject({ updated: 1, erased: 0 })
})

test('of two people who were merged and parted again, no redirect of one has the other’s id', async () => {
  const [one, two] = [somebody(), somebody()]
  await load(one.row, two.row)
  const account = await newAccount(t.sql, { tier: 'pro', credits: 100 })
  await createMeter(t.database).charge(revealOf(account, one.row.id))
  const merge = await mergeRecords(t.database, 'person', [one.row.id, two.row.id], 'olga')
  const parted = await undoChange(t.database, merge.change, 'olga')
  const again = await undoChange(t.database, parted, 'olga')
  await undoChange(t.database, again, 'olga')
  await erase(one.row.id)
  expect(await tablesHolding(t.sql, one.mark)).toEqual([])
  expect(await tablesHolding(t.sql, one.row.id)).toEqual(['change_log'])
})

test('what a merge that was taken back had lent stays the other’s, who may change it and change it back', async () => {
  const [one, two] = [somebody(), somebody()]
  const { telegram, ...row } = { ...one.row, createdAt: '2010-01-01' }
  await load(row, two.row)
  const { change } = await mergeRecords(t.database, 'person', [one.row.id, two.row.id], 'olga')
  await undoChange(t.database, change, 'olga')
  await load({ id: two.row.id, telegram: `new_${telegram}` })
  await erase(one.row.id)
  expect(await tablesHolding(t.sql, one.row.id)).toEqual(['change_log'])
  expect(await load(two.row)).toMatchObject({ updated: 1, erased: 0 })
  expect(await load(row)).toMatchObject({ erased: 1 })
})

test('who was merged with one, came back and was merged with another leaves nothing in images of the first', async () => {
  const [one, two, three] = [somebody(), somebody(), somebody()]
  const { lastName, ...first } = { ...two.row, createdAt: '2010-01-01' }
  const second = { ...three.row, createdAt: '2011-01-01' }
  await load(one.row, first, second)
  await mergeRecords(t.database, 'person', [first.id, one.row.id], 'olga')
  await deleteRecord(t.database, 'person', first.id, 'olga')
  await load(one.row, first)
  await mergeRecords(t.database, 'person', [second.id, one.row.id], 'olga')
  await erase(second.id)
  expect(await tablesHolding(t.sql, one.mark)).toEqual([])
  expect(await tablesHolding(t.sql, two.mark)).toContain('people')
})

test('a database in which nothing changed for an hour takes erasures in', async () => {
  const { row } = somebody()
  await load(row)
  await erase(row.id)
  const list = await readErasures(t.database)
  const { database, sql, drop } = await testDatabase()
  await importRows(database, 'people', [row])
  // As housekeeping leaves it.
  await sql`delete from change_log`
  expect(await applyErasures(database, list, 'olga')).toMatchObject({ records: 1 })
  await drop()
})

test('of an older state that is put back, colleagues with an office’s address stay', async () => {
  const [one, two] = [somebody(), somebody()]
  const office = { email: 'office@nowhere.example' }
  await load({ ...one.row, ...office })
  await erase(one.row.id)
  const list = await readErasures(t.database)
  const { database, sql, drop } = await testDatabase()
  await importRows(database, 'people', [one.row, { ...two.row, ...office }])
  expect(await applyErasures(database, list, 'olga')).toMatchObject({ records: 1 })
  expect(await tablesHolding(sql, one.mark)).toEqual([])
  expect(await tablesHolding(sql, two.mark)).toContain('people')
  await drop()
})

test('reveals are charged while an erasure still looks who somebody is', async () => {
  const [one, two] = [somebody(), somebody()]
  await load(one.row, two.row)
  const account = await newAccount(t.sql, { tier: 'pro', credits: 100 })
  const erasing = await t.sql.begin(async (sql) => {
    await sql`lock table journal_entries`
    const begun = { end: erase(one.row.id) }
    await untilWaitingFor(t.sql, 'relation')
    const outcome = await createMeter(t.database).charge(revealOf(account, two.row.id))
    expect(outcome).toMatchObject({ outcome: 'charged' })
    return begun
  })
  expect(await erasing.end).toMatchObject({ records: 1 })
})
