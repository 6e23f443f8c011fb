/** A record that somebody adds by hand, on a real PostgreSQL: by the import's rules, once, and never in the place of another. */
import { beforeEach, expect, test } from 'bun:test'
import { readAuditLog } from '../../../src/console/acts/audit-log.ts'
import { erasePerson } from '../../../src/intake/editing/data-subject.ts'
import {
  addRecord,
  deleteRecord,
  NamesakesThere,
  undoChange,
} from '../../../src/intake/editing/edit.ts'
import { readJournal } from '../../../src/intake/editing/journal.ts'
import { ChangeRefused, findRecord, showRecord } from '../../../src/intake/editing/records.ts'
import { ERASED } from '../../../src/intake/import/summary.ts'
import { uuidV7 } from '../../../src/intake/import/uuid-v7.ts'
import { emptyDatabase, load } from '../import/sources.ts'
import { refusal } from './traces.ts'

const t = emptyDatabase()
beforeEach(async () => {
  await t.sql`truncate record_pins, redirects, journal`
})

const ACME = { name: 'Acme Labs', companyType: 'project', domain: 'https://www.acme.example/about' }
type Added = Parameters<typeof addRecord>
const add = (kind: Added[1], fields: Added[2], how?: Added[4]) =>
  addRecord(t.database, kind, fields, 'olga', how)

test('is cleaned as a row of a file, pinned unless that is not wanted, in journal and audit log, and gone when that is taken back', async () => {
  const { id, change } = await add('company', { ...ACME, ticker: '$acme', size: ' ' })
  expect(await showRecord(t.database, 'company', 'acme-labs')).toMatchObject({
    id,
    name: 'Acme Labs',
    domain: 'acme.example',
    ticker: 'acme',
    size: null,
    pins: ['companyType', 'domain', 'name', 'ticker'],
  })
  const [line] = await readAuditLog(t.database, { subject: id, limit: 1 })
  expect(line).toMatchObject({
    act: 'directory.add',
    who: 'olga',
    after: { change, kind: 'company' },
  })
  expect(await readJournal(t.database, { id, limit: 2 })).toMatchObject([{ what: 'add', change }])
  const names = { investors: '', leadInvestors: 'Acme Labs', company: 'Acme Labs' }
  const round = await add('round', { ...names, roundType: 'seed' }, { isPinned: false })
  expect(await showRecord(t.database, 'round', round.id)).toMatchObject({
    company: 'acme-labs',
    pins: [],
    investors: [{ investor: 'acme-labs', isLead: true }],
  })
  await undoChange(t.database, round.change ?? 0, 'olga')
  await undoChange(t.database, change ?? 0, 'olga')
  expect(await refusal(findRecord(t.database, 'company', id))).toBe(`there is no company ${id}`)
})

test('that lacks what it needs, or has a value that can’t be stored, names the field, and nothing is added', async () => {
  await load(t.database, 'companies', [{ ...ACME, externalId: 'acme' }])
  const wrong: [Record<string, string>, string][] = [
    [{ companyType: 'project' }, 'name: missing'],
    [{ name: 'Beta' }, 'companyType: missing'],
    [{ name: 'Beta', companyType: 'shop' }, 'companyType: not one of project'],
    [
      { name: 'Beta', companyType: 'project', slug: 'acme-labs' },
      'slug: belongs to another record',
    ],
    [
      { name: 'Beta', companyType: 'project', externalId: 'acme' },
      'externalId: belongs to another',
    ],
    [{ name: 'Beta', nam: 'x' }, 'nam: no such field'],
  ]
  for (const [fields, reason] of wrong)
    expect(await refusal(add('company', fields))).toStartWith(reason)
  expect(await refusal(add('round', { company: 'nobody' }))).toStartWith('company: no such company')
  expect(await refusal(add('person', { jobTitle: 'CEO' }))).toContain('missing')
  expect(await t.sql`select from companies`).toHaveLength(1)
})

test('whose name is there is added once somebody says that it is another', async () => {
  const first = await add('person', { firstName: 'Ada', lastName: 'Ashford' })
  const again = { firstName: 'ADA', lastName: ' Ashford' }
  const refused = await add('person', again).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(NamesakesThere)
  expect(refused).toMatchObject({ ids: [first.id], message: expect.stringContaining(first.id) })
  const second = await add('person', again, { isNamesake: true })
  expect(second.id).not.toBe(first.id)
  expect(await t.sql`select from people`).toHaveLength(2)
})

test.each([
  ['company', ACME],
  ['person', { firstName: 'Ada', lastName: 'Ashford' }],
  ['round', { company: 'Home', roundType: 'seed', announceDate: '2026-01-02' }],
] as const)(
  'of a name that several people add a %s by at the same time is there once, and the others are told of it',
  async (kind, fields) => {
    await load(t.database, 'companies', [{ name: 'Home', companyType: 'project' }])
    const all = await Promise.allSettled(Array.from({ length: 6 }, () => add(kind, fields)))
    const [first, ...more] = all.flatMap((one) => (one.status === 'fulfilled' ? one.value.id : []))
    expect(more).toEqual([])
    const reasons = all.flatMap((one) => (one.status === 'rejected' ? one.reason : []))
    expect(reasons).toHaveLength(5)
    for (const reason of reasons) {
      expect(reason).toBeInstanceOf(NamesakesThere)
      expect(reason).toMatchObject({ ids: [first] })
    }
    // Whoever says that it is another adds it, whatever else is added.
    const others = [1, 2].map(() => add(kind, fields, { isNamesake: true }))
    expect(new Set((await Promise.all(others)).map(({ id }) => id)).size).toBe(2)
  },
)

test('that is asked for twice under one id is there once, also at the same time', async () => {
  const id = uuidV7()
  const both = await Promise.allSettled([1, 2].map(() => add('company', ACME, { id })))
  for (const one of both)
    if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(ChangeRefused)
  expect(await t.sql`select id from companies`).toEqual([{ id }] as never)
  expect(await refusal(add('company', ACME, { id }))).toBe('id: it was added already')
})

test('of somebody who was erased is refused with the import’s words', async () => {
  const ann = { firstName: 'Ann', email: 'ann@people.example' }
  const { id } = await add('person', ann)
  await erasePerson(t.database, id, 'olga')
  expect(await refusal(add('person', { ...ann, firstName: 'Anna' }))).toBe(ERASED)
})

test('under the id of a record that is gone it is refused, because who unlocked that one would see another’s channels', async () => {
  const { id } = await add('person', { firstName: 'Bob', email: 'bob@people.example' })
  await deleteRecord(t.database, 'person', id, 'olga')
  expect(await refusal(add('person', { firstName: 'Zoe' }, { id }))).toBe(
    'id: an earlier record had it',
  )
})
