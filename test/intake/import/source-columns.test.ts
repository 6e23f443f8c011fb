/** Columns of a source's nightly files: one that is missing or new since the last refuses the file until it is mapped or confirmed. */
import { beforeEach, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { ColumnMap, targetOf } from '../../../src/intake/import/column-meanings.ts'
import { type ImportOptions, importFiles } from '../../../src/intake/import/import.ts'
import type { Source } from '../../../src/intake/import/read.ts'
import { refusedColumns, refusedText } from '../../../src/intake/import/sources.ts'
import type { KindName } from '../../../src/intake/import/summary.ts'
import { company, counts, csv, emptyDatabase, jsonl, type Row } from './sources.ts'

const t = emptyDatabase()
beforeEach(async () => {
  await t.sql`truncate import_sources, import_runs, record_sources`
})

interface Given extends ImportOptions {
  map?: Record<string, string | null>
  confirmed?: boolean
  isSync?: boolean
}

async function load(
  kind: KindName,
  file: Source,
  { map = {}, confirmed, isSync = true, ...options }: Given = {},
) {
  const source = { name: 'crm', files: {}, isSync, areColumnsConfirmed: confirmed }
  const mappings = Object.entries(map).map(([column, target]) => ({
    column,
    given: `--map "${column}=${target ?? ''}"`,
    ...(target === null ? { field: null } : targetOf(target)),
  }))
  const summary = await importFiles(
    t.database,
    { [kind]: file },
    {
      columnMap: new ColumnMap(mappings),
      ...options,
      source: { ...source, mostRemoved: 100, mostRefused: 5 },
    },
  )
  const done = summary[kind]
  return done ? counts(done) : ''
}

const reason = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    ({ message }: Error) => message,
  )

const PEOPLE: Row[] = ['ann', 'ben', 'cem'].map((name) => ({
  externalId: name,
  'First Name': name,
  Email: `${name}@example.com`,
  Fax: 'none',
}))

/** The same rows with columns by other names, new e-mail addresses, and without the columns that are called null. */
const renamed = (names: Record<string, string | null>, rows = PEOPLE): Row[] =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) => {
        const other = names[name] === undefined ? name : names[name]
        return other === null ? [] : [[other, name === 'Email' ? `new.${value}` : value]]
      }),
    ),
  )

const emails = async () =>
  (await t.sql`select private_channels.email from private_channels order by 1`).map(
    ({ email }) => email,
  )
const refusals = async () => (await refusedColumns(t.database)).flatMap(refusedText)

const MOVED = renamed({ Email: 'Contact address' })
const CHANGED =
  'the columns of source crm changed: people: "Email" (email) is missing, "Contact address" is new. Say what a new one means, as in --map "Contact address=email" (nothing behind = leaves it out), or take them as they are from now on by --confirm-columns'

test('a renamed column of a nightly CSV file is refused before a row is stored, and the operator is told until it is mapped', async () => {
  await load('people', csv(PEOPLE))
  expect(await refusals()).toEqual([])
  const before = await emails()
  const file = [...MOVED, { externalId: 'dora', 'First Name': 'dora' }]
  expect(await reason(load('people', csv(file)))).toBe(CHANGED)
  expect(await reason(load('people', csv(file), { isStrict: true, isSync: false }))).toBe(CHANGED)
  expect(await emails()).toEqual(before)
  expect(await t.sql`select from people`).toHaveLength(3)
  expect(await refusals()).toEqual(['people: "Email" (email) is missing, "Contact address" is new'])
  const map = { 'Contact address': 'email' }
  expect(await load('people', csv(MOVED), { map })).toBe(
    '0 created, 3 updated, 0 unchanged, 0 refused',
  )
  expect(await emails()).toEqual(before.map((email) => `new.${email}`))
  expect(await refusals()).toEqual([])
})

test('the same file needs no options again, with its units and what is left out', async () => {
  await load('companies', csv([company({ externalId: 'a' })]))
  const rounds = (amount: string) => [
    { externalId: 'r', company: 'a', roundType: 'Seed', [amount]: '1.5', 'Announce date': '' },
  ]
  const map = { Raised: 'amountUsd*1e6', 'Announce date': null }
  await load('rounds', csv(rounds('Raised')), { map })
  expect(await load('rounds', csv(rounds('Raised')))).toBe(
    '0 created, 0 updated, 1 unchanged, 0 refused',
  )
  const [row] = await t.sql`select amount_usd::float8 as amount from funding_rounds`
  expect(row?.amount).toBe(1_500_000)
  // By another name, without the unit, it would be a millionth.
  expect(await reason(load('rounds', csv(rounds('Amount'))))).toContain(
    '"Raised" (amountUsd*1e6) is missing, "Amount" is new',
  )
})

test('confirmed columns are the source’s own, in a run that writes them down alone', async () => {
  await load('people', csv(PEOPLE))
  const less = renamed({ Email: null })
  expect(await reason(load('people', csv(less)))).toContain(
    '"Email" (email) is missing. Take them as they are',
  )
  expect(await reason(load('people', csv(less), { confirmed: true, isDryRun: true }))).toBe('taken')
  expect(await reason(load('people', csv(less)))).toContain('"Email" (email) is missing')
  const before = await emails()
  expect(await reason(load('people', csv(less), { confirmed: true }))).toBe('taken')
  expect(await reason(load('people', csv(less)))).toBe('taken')
  expect(await emails()).toEqual(before)
  expect(await refusals()).toEqual([])
})

test('a new column is refused whether it means a field or none; another name for the same field is the same', async () => {
  await load('people', csv(PEOPLE))
  expect(await reason(load('people', csv(renamed({ Email: 'e-mail', Fax: 'fax' }))))).toBe('taken')
  const more = (column: string) => PEOPLE.map((row) => ({ ...row, [column]: 'x' }))
  expect(await reason(load('people', csv(more('Job Title'))))).toContain('"Job Title" is new')
  expect(await reason(load('people', csv(more('Bemerkung'))))).toContain('"Bemerkung" is new')
  expect(await reason(load('people', csv(renamed({ Fax: null }))))).toBe('taken')
})

test('a dry run is refused as the import would be, and tells nobody', async () => {
  await load('people', csv(PEOPLE))
  expect(await reason(load('people', csv(MOVED), { isDryRun: true }))).toBe(CHANGED)
  expect(await refusals()).toEqual([])
})

test('JSON: a new key that means no field is refused before its batch is stored, a field is missing where no row of a sync has it', async () => {
  const rows = renamed({ Email: 'email' })
  await load('people', jsonl(rows))
  const before = await emails()
  const [first, ...others] = rows
  // A row may leave a field out, and bring one that no row had.
  const optional = [{ ...first, email: undefined, telegramHandle: 'anntg' }, ...others]
  expect(await reason(load('people', jsonl(optional)))).toBe('taken')
  const moved = renamed({ email: 'contactAddress' }, rows)
  const message = await reason(load('people', jsonl(moved)))
  expect(message).toContain(
    'people: the columns of source crm changed: "email", "telegramHandle" (telegram) are missing, "contactAddress" is new',
  )
  expect(await emails()).toEqual(before)
  const none = renamed({ email: null }, rows)
  expect(await reason(load('people', jsonl(none)))).toContain(
    '"telegramHandle" (telegram) are missing.',
  )
  // A part of the source's people says nothing of the others.
  expect(await reason(load('people', jsonl(none.slice(1)), { isSync: false }))).toBe('taken')
  expect(await reason(load('people', jsonl(moved), { isSync: false }))).toContain(
    '"contactAddress" is new',
  )
  expect(await reason(load('people', jsonl(none), { confirmed: true }))).toBe('taken')
  expect(await reason(load('people', jsonl(none)))).toBe('taken')
})

test('what a file has in place of names is in no message: it may be a person’s data', async () => {
  await load('people', jsonl([{ externalId: 'ann', firstName: 'Ann' }]))
  const file = [{ externalId: 'ann', firstName: 'Ann', 'ann@example.com': 1 }]
  const message = await reason(load('people', jsonl(file)))
  expect(message).toContain('changed: (not a field name) is new. Take them')
  expect(JSON.stringify(await t.sql`select * from import_sources`)).not.toContain('example.com')
})

test('one kind’s file that is refused refuses all files of the run; each kind is remembered by itself', async () => {
  const both = (people: Row[]) => ({
    companies: csv([company({ externalId: 'c', name: 'New' })]),
    people: csv(people),
  })
  const source = { name: 'crm', files: {}, isSync: false, mostRemoved: 10, mostRefused: 5 }
  await load('people', csv(PEOPLE))
  expect(await reason(importFiles(t.database, both(MOVED), { source }))).toBe(CHANGED)
  expect(await t.sql`select from companies`).toHaveLength(0)
  expect(await reason(importFiles(t.database, both(PEOPLE), { source }))).toBe('taken')
})

test('a source of keys that are data keeps the first thousand, and is not refused for more', async () => {
  const keys = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({
      [`key ${from + n}`]: 1,
    }))
  await load('people', jsonl(keys(0, 1_200)))
  expect(await reason(load('people', jsonl(keys(1_200, 2_400))))).toBe('taken')
  const [row] =
    await t.sql`select count(*)::integer as columns from import_sources, jsonb_object_keys(columns->'people'->'columns')`
  expect(row?.columns).toBe(1_000)
})

test('rows of a stream are read to its end once it is refused, so that all that changed is told', async () => {
  await load('people', jsonl(PEOPLE))
  const stream = Readable.from(
    [...PEOPLE, { b: 1 }].map(
      (row, n) => `${JSON.stringify({ ...row, [`x${'yz'[n % 2]}`]: 1 })}\n`,
    ),
  )
  expect(await reason(load('people', { stream, format: 'jsonl' }))).toContain(
    '"xy", "xz", "b" are new',
  )
})

test('a first file without rows says nothing of columns, and a name of several lines is remembered', async () => {
  await load('people', { stream: Readable.from([Buffer.from('')]), format: 'csv' })
  const file = renamed({ Email: 'Your\ne-mail\nplease' })
  await load('people', csv(file), { map: { 'Your\ne-mail\nplease': 'email' } })
  expect(await load('people', csv(file))).toBe('0 created, 0 updated, 3 unchanged, 0 refused')
  expect(await reason(load('people', csv(renamed({ Email: null }))))).toContain(
    '"Your e-mail please" (email) is missing',
  )
})

test('each kind that is refused waits for the operator by itself', async () => {
  const companies = (name: string) => csv([company({ externalId: 'c', [name]: 'x' })])
  await load('people', csv(PEOPLE))
  await load('companies', companies('Remarks'))
  await reason(load('people', csv(MOVED)))
  await reason(load('companies', companies('Bemerkung')))
  expect(await refusals()).toEqual([
    'companies: "Bemerkung" is new',
    'people: "Email" (email) is missing, "Contact address" is new',
  ])
  await load('companies', companies('Remarks'))
  expect(await refusals()).toEqual(['people: "Email" (email) is missing, "Contact address" is new'])
})

test('a name of a column is no command for who pastes the option that a refusal names', async () => {
  await load('people', csv(PEOPLE))
  const file = csv(renamed({ Email: 'Mail $(touch here)' }))
  expect(await reason(load('people', file))).toContain(`--map 'Mail $(touch here)=email'`)
})
