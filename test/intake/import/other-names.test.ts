/** A key whose record has another name: what the import says, and whom accounts that have paid for the record read. */
import { expect, test } from 'bun:test'
import { mergeRecords, setRecord } from '../../../src/intake/editing/edit.ts'
import { importFiles } from '../../../src/intake/import/import.ts'
import { REPORT_HEADER, reportLine } from '../../../src/intake/import/report.ts'
import { createMeter } from '../../../src/money/charge/meter.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { newAccount, revealOf } from '../../money/charge/fixtures.ts'
import {
  company,
  counts,
  emptyDatabase,
  jsonl,
  load,
  type Row,
  reasons,
  warnings,
} from './sources.ts'

const t = emptyDatabase()

const VERA = {
  externalId: 'crm:1',
  firstName: 'Vera',
  lastName: 'Quist',
  email: 'vera@quist.example',
}
const SVEN = {
  externalId: 'crm:1',
  firstName: 'Sven',
  lastName: 'Aldo',
  email: 'sven@aldo.example',
}

async function reveal(slug = 'vera-quist') {
  const [person] = await t.sql`select id from people where slug = ${slug}`
  const account = await newAccount(t.sql, { tier: 'pro', credits: 100 })
  const meter = createMeter(t.database, { maxWaitMs: PATIENCE_MS })
  expect(await meter.charge(revealOf(account, person?.id))).toMatchObject({ outcome: 'charged' })
}
const stored = async () => {
  const [row] = await t.sql`
    select concat_ws(' ', first_name, last_name) as name, email
      from people left join private_channels on person_id = id`
  return [row?.name, row?.email]
}

test('rows of one externalId with different names are warned of, with the id in the report', async () => {
  const lines: string[] = []
  const { people: done } = await importFiles(
    t.database,
    { people: jsonl([VERA, SVEN]) },
    { onFinding: (_, finding) => void lines.push(reportLine('people.jsonl', finding)) },
  )
  if (!done) throw new Error('no summary')
  const reason =
    'its externalId was that of Vera Quist and is that of Sven Aldo now: if these are two, give each a key of its own'
  expect(warnings(done)).toEqual([`2 null: ${reason}`])
  expect(done).toMatchObject({ created: 1, updated: 1, warned: 1, refused: 0 })
  expect(REPORT_HEADER + lines.join('')).toBe(
    `file,line,column,field,value,severity,reason\r\npeople.jsonl,2,,,crm:1,warning,"${reason}"\r\n`,
  )
})

test('also of companies, by whichever key, and in a dry run', async () => {
  await load(t.database, 'companies', [company({ slug: 'acme', domain: 'acme.example' })])
  const source = jsonl([
    { slug: 'acme', name: 'Borealis' },
    { slug: 'acme', name: 'ACMÉ' },
  ])
  const { companies } = await importFiles(t.database, { companies: source }, { isDryRun: true })
  expect(companies?.warnings.map(({ reason }) => reason)).toEqual([
    'its slug was that of Acme and is that of Borealis now: if these are two, give each a key of its own',
    'its slug was that of Borealis and is that of ACMÉ now: if these are two, give each a key of its own',
  ])
})

test.each([
  ['in another case and without accents', { firstName: 'véra', lastName: 'QUIST' }],
  ['written together', { firstName: 'Vera Quist', lastName: null }],
  ['not said at all', { firstName: undefined, lastName: undefined }],
])('the same name is nothing to be warned of: %s', async (_, names) => {
  await load(t.database, 'people', [VERA])
  expect((await load(t.database, 'people', [{ ...VERA, ...names }])).warned).toBe(0)
})

test('rows without a key are known by their names: there is nothing to be warned of', async () => {
  const rows = ['Bjørn', 'Bjorn', 'BJØRN'].map((firstName) => ({ firstName, email: 'b@x.example' }))
  expect(await load(t.database, 'people', rows)).toMatchObject({
    created: 1,
    updated: 2,
    warned: 0,
  })
})

test('nobody who has paid for a contact reads somebody else there: the row is refused', async () => {
  await load(t.database, 'people', [VERA])
  await reveal()
  const done = await load(t.database, 'people', [SVEN])
  expect(counts(done)).toBe('0 created, 0 updated, 0 unchanged, 1 refused')
  expect(reasons(done)).toEqual([
    '1 externalId: is that of Vera Quist, for whom accounts have paid, and neither a name nor a channel is the same: give the row a key of its own or, if it is the same person, set the new name by `person set` first',
  ])
  expect(await stored()).toEqual(['Vera Quist', 'vera@quist.example'])
})

test.each(['id', 'externalId', 'slug'])('whichever key leads to the contact: %s', async (key) => {
  const { people } = await importFiles(t.database, { people: jsonl([VERA]) })
  expect(people?.created).toBe(1)
  await reveal()
  const [person] = await t.sql`select id, external_id as "externalId", slug from people`
  const { externalId: _, ...sven } = SVEN
  const done = await load(t.database, 'people', [{ [key]: person?.[key], ...sven }])
  expect(done.refusals.map(({ field }) => field)).toEqual([key])
  expect(await stored()).toEqual(['Vera Quist', 'vera@quist.example'])
})

test('also where an operator has pinned the name', async () => {
  await load(t.database, 'people', [VERA])
  await reveal()
  await setRecord(t.database, 'person', 'crm:1', { firstName: 'V.' }, 'olga')
  expect((await load(t.database, 'people', [SVEN])).refused).toBe(1)
  expect(await stored()).toEqual(['V. Quist', 'vera@quist.example'])
})

test.each<[string, Row, Row]>([
  ['a part of the name stays', {}, { lastName: 'Aldo', email: 'vera@aldo.example' }],
  ['the e-mail stays', {}, { ...SVEN, email: 'VERA@quist.example' }],
  ['the X handle stays', { twitterHandle: 'vera' }, { ...SVEN, twitterHandle: 'Vera' }],
  [
    'the LinkedIn profile stays',
    { linkedinUrl: 'linkedin.com/in/vq' },
    { ...SVEN, linkedinUrl: 'https://www.linkedin.com/in/VQ/?x=1' },
  ],
])('a person who was paid for gets another name where %s', async (_, before, after) => {
  await load(t.database, 'people', [{ ...VERA, ...before }])
  await reveal()
  expect(await load(t.database, 'people', [{ externalId: 'crm:1', ...after }])).toMatchObject({
    updated: 1,
    refused: 0,
    warned: 1,
  })
})

test.each<[string, Row, Row]>([
  ['an office', { email: 'info@quist.example' }, { ...SVEN, email: 'info@quist.example' }],
  ['a telephone', { phone: '+1 555 010-0123' }, { ...SVEN, phone: '+1 555 010-0123' }],
])('what many people of a company use tells nobody: %s', async (_, before, after) => {
  await load(t.database, 'people', [{ ...VERA, ...before }])
  await reveal()
  expect((await load(t.database, 'people', [after])).refused).toBe(1)
})

test('who set the new name by hand imports on', async () => {
  await load(t.database, 'people', [VERA])
  await reveal()
  await setRecord(t.database, 'person', 'crm:1', { firstName: 'Sven', lastName: 'Aldo' }, 'olga')
  expect(await load(t.database, 'people', [SVEN])).toMatchObject({
    updated: 1,
    refused: 0,
    warned: 0,
  })
})

test('rows of both keys of a person merged from two go in, whichever name came last', async () => {
  const twin = { ...SVEN, externalId: 'crm:2' }
  await load(t.database, 'people', [VERA, twin])
  await reveal()
  const [kept, other] = await t.sql<{ id: string }[]>`select id from people order by external_id`
  await mergeRecords(t.database, 'person', [kept?.id ?? '', other?.id ?? ''], 'olga')
  for (const row of [twin, VERA, twin])
    expect(await load(t.database, 'people', [row])).toMatchObject({ refused: 0, updated: 1 })
})
