/** Single records changed, deleted and brought back, on a real PostgreSQL: undo is the inverse of every change. */
import { expect, test } from 'bun:test'
import { deleteRecord, setRecord, undoChange } from '../../../src/intake/editing/edit.ts'
import { readJournal } from '../../../src/intake/editing/journal.ts'
import { type RecordKind, showRecord } from '../../../src/intake/editing/records.ts'
import { importRows } from '../../../src/intake/import/import.ts'
import { clean } from '../../../src/money/charge/housekeeping.ts'
import {
  ADA,
  AURORA,
  AURORA_SEED,
  BEN,
  BOREALIS,
  fixtures,
  GLACIER,
  PRIVATE_VALUES,
} from '../../helpers/fixtures.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { newAccount } from '../../money/charge/fixtures.ts'
import { stateOf } from './state.ts'

const t = sharedDatabase(fixtures)

const set = (kind: RecordKind, name: string, fields: Record<string, string>) =>
  setRecord(t.database, kind, name, fields, 'olga')
const remove = (kind: RecordKind, name: string) => deleteRecord(t.database, kind, name, 'olga')
const undo = (change: number | null) => undoChange(t.database, change ?? 0, 'olga')

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'not refused',
    (error: Error) => `${error.name}: ${error.message}`,
  )
}

/** Does it, takes it back, takes that back, and takes that back too: each time all is as it was. */
async function expectInverse(work: () => Promise<{ change: number | null }>) {
  const before = await stateOf(t.sql)
  const { change } = await work()
  const after = await stateOf(t.sql)
  expect(after).not.toEqual(before)
  const undone = await undo(change)
  expect(await stateOf(t.sql)).toEqual(before)
  const redone = await undo(undone)
  expect(await stateOf(t.sql)).toEqual(after)
  await undo(redone)
  expect(await stateOf(t.sql)).toEqual(before)
}

test('set cleans a value as an import does, and a blank clears it', async () => {
  await set('person', ADA.slug, { twitterHandle: 'https://x.com/ada_new', jobTitle: '' })
  const shown = await showRecord(t.database, 'person', ADA.id)
  expect(shown).toMatchObject({ twitterHandle: 'ada_new', jobTitle: null, company: AURORA.slug })
})

test('show tells of private channels only that they are on file', async () => {
  const shown = JSON.stringify(await showRecord(t.database, 'person', ADA.slug))
  expect(shown).toContain('"hasEmail":true')
  expect(PRIVATE_VALUES.filter((value) => shown.includes(value))).toEqual([])
})

test('what an import would drop without a word is refused with its reason', async () => {
  const reasons = await Promise.all([
    refusal(set('person', ADA.id, { jobtitle: 'CTO' })),
    refusal(set('person', ADA.id, { updatedAt: '2020-01-01' })),
    refusal(set('person', ADA.id, { company: 'no-such-company' })),
    refusal(set('person', ADA.id, { slug: BEN.slug })),
    refusal(set('person', ADA.id, { slug: 'Not A Slug' })),
    refusal(set('company', AURORA.id, { slug: '' })),
    refusal(set('company', AURORA.id, { companyType: 'spaceship' })),
    refusal(set('person', 'nobody', { jobTitle: 'CTO' })),
    refusal(remove('round', 'nobody')),
  ])
  expect(reasons.map((reason) => reason.replace(/(there are|one of) .*/, '$1 …'))).toEqual([
    'ChangeRefused: jobtitle: no such field; there are …',
    'ChangeRefused: updatedAt: no such field; there are …',
    expect.stringContaining('ChangeRefused: company: no such company'),
    'ChangeRefused: slug: belongs to another record',
    'ChangeRefused: slug: expected 1 to 80 of a-z, 0-9 and -',
    "ChangeRefused: slug: can't be cleared",
    expect.stringContaining('ChangeRefused: companyType: '),
    'ChangeRefused: there is no person nobody',
    'ChangeRefused: there is no round nobody',
  ])
})

test('a set that changes nothing is no change of the journal', async () => {
  const { slug } = await showRecord(t.database, 'company', BOREALIS.id)
  expect((await set('company', BOREALIS.id, { slug: String(slug) })).change).toBeNull()
})

test('undo is the inverse of set, of delete and of itself', async () => {
  const { id: account } = await newAccount(t.sql)
  await t.sql`insert into unlocks values (${account}, ${BEN.id}, now())`
  await expectInverse(() =>
    set('person', BEN.id, { email: '', phone: '+1 202 555 0143', slug: '' }),
  )
  await expectInverse(() => set('round', AURORA_SEED.id, { investors: '[]', amountUsd: '5' }))
  await expectInverse(() => remove('person', BEN.id))
  await expectInverse(() => remove('company', AURORA.id))
  await expectInverse(() => remove('company', BOREALIS.id))
  await expectInverse(() => remove('round', AURORA_SEED.id))
})

test('however often a change is taken back and done again, the journal says of each whether it is undone and by which', async () => {
  const { change } = await set('person', BEN.id, { jobTitle: 'Again' })
  const first = change ?? 0
  const second = await undo(first)
  const third = await undo(second)
  const fourth = await undo(third)
  const fifth = await undo(fourth)
  const journal = await readJournal(t.database, { id: BEN.id, limit: 5 })
  expect(journal.map(({ change, undoes, undoneBy }) => [change, undoes, undoneBy])).toEqual([
    [fifth, fourth, null],
    [fourth, third, fifth],
    [third, second, null],
    [second, first, third],
    [first, null, null],
  ])
  await undo(fifth)
  const again = await readJournal(t.database, { id: BEN.id, limit: 6 })
  expect(again.map(({ undoneBy }) => undoneBy)).toEqual([
    null,
    again[0]?.change ?? 0,
    null,
    fourth,
    null,
    second,
  ])
  expect(await refusal(undo(first))).toBe(
    `ChangeRefused: change ${first} was undone already, by change ${second}`,
  )
})

test('an import is one change: all that it created and updated goes back together', async () => {
  await expectInverse(async () => {
    await importRows(t.database, 'companies', [
      { slug: 'newly', name: 'Newly', companyType: 'project' },
      { id: GLACIER.id, externalId: 'other-key', slug: 'moved-slug', ticker: 'NEW' },
    ])
    const [newest] = await readJournal(t.database, { limit: 1 })
    expect(newest).toMatchObject({ what: 'import', who: 'a program', records: 2 })
    return newest!
  })
})

test('undo is refused where a later change touched the same record, and names that change', async () => {
  const first = await set('person', BEN.id, { jobTitle: 'First' })
  const second = await set('person', BEN.id, { jobTitle: 'Second' })
  expect(await refusal(undo(first.change))).toBe(
    `ChangeRefused: change ${second.change} touched the same record later: undo that one first`,
  )
  const undone = await undo(second.change)
  expect(await refusal(undo(second.change))).toBe(
    `ChangeRefused: change ${second.change} was undone already, by change ${undone}`,
  )
  // What was taken back is in nobody's way.
  await undo(first.change)
  expect(await showRecord(t.database, 'person', BEN.id)).toMatchObject({ jobTitle: BEN.jobTitle })
})

test('undo never takes along what later changes made', async () => {
  const before = await stateOf(t.sql)
  await importRows(t.database, 'companies', [
    { slug: 'host', name: 'Host', companyType: 'investor' },
  ])
  const [made] = await readJournal(t.database, { limit: 1 })
  await importRows(t.database, 'rounds', [{ externalId: 'of-host', company: 'host' }])
  const [round] = await readJournal(t.database, { limit: 1 })
  expect(await refusal(undo(made!.change))).toBe(
    `ChangeRefused: change ${round!.change} made what hangs on its records: undo that one first`,
  )
  await undo(round!.change)
  await undo(made!.change)
  expect(await stateOf(t.sql)).toEqual(before)
})

test('a deleted record whose slug another took comes back only once that is free', async () => {
  const { change } = await remove('person', BEN.id)
  await importRows(t.database, 'people', [{ slug: BEN.slug, firstName: 'Other', lastName: 'Ben' }])
  expect(await refusal(undo(change))).toBe(
    `ChangeRefused: a slug or external id that change ${change} took away belongs to another record now`,
  )
  await set('person', BEN.slug, { slug: 'other-ben' })
  await undo(change)
  expect(await showRecord(t.database, 'person', BEN.slug)).toMatchObject({ id: BEN.id })
})

test('the journal names who, when and what before, also of statements by hand; of channels only that they changed', async () => {
  await set('person', ADA.id, { jobTitle: 'Chair', email: 'new@private.example' })
  await t.sql`update people set job_title = 'By hand' where id = ${ADA.id}`
  const [byHand, bySet] = await readJournal(t.database, { id: ADA.id, limit: 2 })
  expect(byHand).toMatchObject({
    who: 'database user postgres',
    what: 'sql',
    fields: [{ of: 'person', field: 'jobTitle', before: 'Chair', after: 'By hand' }],
  })
  expect(bySet).toMatchObject({ who: 'olga', what: 'set', kind: 'person', id: ADA.id, records: 1 })
  expect(bySet!.fields).toContainEqual({ of: 'channels', record: ADA.id, field: 'email' })
  const shown = JSON.stringify(await readJournal(t.database, { limit: 1_000 }))
  const hidden = [...PRIVATE_VALUES, 'new@private.example']
  expect(hidden.filter((value) => shown.includes(value))).toEqual([])
})

test('of a change of many records a record’s journal has what it did to this one, as the whole change has it', async () => {
  const stored = [AURORA, BOREALIS].map(({ id }) => ({ id, aiSummary: 'Both' }))
  const made = { externalId: 'third', name: 'Third', companyType: 'project' }
  await importRows(t.database, 'companies', [...stored, made])
  const [whole] = await readJournal(t.database, { limit: 1 })
  expect(whole).toMatchObject({ what: 'import', records: 3 })
  const third = await showRecord(t.database, 'company', 'third')
  for (const { id } of [AURORA, BOREALIS, third]) {
    const [own] = await readJournal(t.database, { id, limit: 1 })
    expect(own).toMatchObject({ change: whole!.change, records: 3 })
    expect(own!.fields).toEqual(whole!.fields!.filter(({ record }) => record === id))
    expect(own!.fields).not.toEqual([])
  }
})

test('of a record that an import made the journal says what the import wrote, whatever later changes wrote', async () => {
  const logo = (name: string) => `https://logos.example/${name}.png`
  const others = [1, 2].map((n) => ({
    externalId: `beside-${n}`,
    name: `Beside ${n}`,
    companyType: 'project',
  }))
  const row = { externalId: 'made', name: 'Made', companyType: 'project', logoUrl: logo('first') }
  await importRows(t.database, 'companies', [...others, row])
  const { id } = await showRecord(t.database, 'company', 'made')
  const said = async () =>
    (await readJournal(t.database, { id, limit: 9 })).map(({ what, fields }) => {
      const of = fields?.find(({ field }) => field === 'logoUrl')
      return [what, of?.before, of?.after]
    })
  const made = ['import', null, logo('first')]
  expect(await said()).toEqual([made])
  await set('company', id, { logoUrl: logo('second') })
  await set('company', id, { logoUrl: logo('third') })
  const changed = [
    ['set', logo('second'), logo('third')],
    ['set', logo('first'), logo('second')],
  ]
  expect(await said()).toEqual([...changed, made])
  await remove('company', id)
  expect(await said()).toEqual([['delete', logo('third'), null], ...changed, made])
})

test('a change of more than 30 days ago can’t be undone, and housekeeping forgets what was before it', async () => {
  const { change } = await set('person', BEN.id, { jobTitle: 'Long ago' })
  await t.sql`update journal set at = now() - interval '31 days' where change = ${change}`
  expect(await refusal(undo(change))).toBe(
    `ChangeRefused: there is no change ${change}, or it is older than 30 days`,
  )
  await clean(t.database)
  const left = await t.sql`select from journal_entries where change = ${change}`
  expect(left.count).toBe(0)
})
