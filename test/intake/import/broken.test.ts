/** Imports that end early, and imports that run beside each other. */
import { expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { ImportStopped, importFiles } from '../../../src/intake/import/import.ts'
import { company, emptyDatabase, jsonl } from './sources.ts'

const t = emptyDatabase()

const line = (i: number) =>
  `${JSON.stringify(company({ externalId: `${i}`, name: `Acme ${i}` }))}\n`
const stored = async () => Number((await t.sql`select count(*) from companies`)[0]?.count)

async function stopped(work: Promise<unknown>): Promise<ImportStopped> {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  if (!(error instanceof ImportStopped)) throw new Error('the import went through')
  return error
}

test('a stream that fails half-way leaves whole batches only', async () => {
  async function* failing() {
    for (let i = 0; i < 2_500; i++) yield Buffer.from(line(i))
    throw new Error('disk gone')
  }
  const error = await stopped(
    importFiles(t.database, { companies: { stream: Readable.from(failing()), format: 'jsonl' } }),
  )
  expect(error.message).toBe('companies: disk gone')
  expect(error.interrupted).toBe(false)
  expect(error.summary.companies).toMatchObject({ read: 2_000, created: 2_000 })
  expect(await stored()).toBe(2_000)
})

test('a last line that is cut off is one refused row', async () => {
  const done = await importFiles(t.database, { companies: jsonl([company(), '{"name":"Ac']) })
  expect(done.companies).toMatchObject({ created: 1, refused: 1 })
})

test('a value of lists within lists costs itself', async () => {
  const deep = `{"name":"Deep","companyType":"project","twitterHandle":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
  const done = await importFiles(
    t.database,
    { companies: jsonl([deep, company()]) },
    { onFinding: () => {} },
  )
  expect(done.companies).toMatchObject({ read: 2, created: 2, warned: 1 })
})

test('a service that is called slows an import after the batch in hand, one that rests lets it go on', async () => {
  const rows = Array.from({ length: 4_030 }, (_, i) => company({ externalId: `${i}` }))
  const progress: number[] = []
  const calls = [false, false, true, true, false]
  await importFiles(
    t.database,
    { companies: jsonl(rows) },
    {
      isGentle: async () => calls.shift() === true,
      onProgress: ({ rows }) => progress.push(rows),
    },
  )
  expect(progress).toEqual([1_000, 2_000, 2_025, 2_050, 3_050, 4_030])
})

test('rows of which findings are shown wait in memory in batches of 16 million characters', async () => {
  const rows = Array.from({ length: 40 }, (_, i) =>
    company({ externalId: `${i}`, notes: ['x'.repeat(1_000_000)] }),
  )
  const progress: number[] = []
  const onProgress = ({ rows }: { rows: number }) => progress.push(rows)
  await importFiles(t.database, { companies: jsonl(rows) }, { onProgress, onFinding: () => {} })
  expect(progress).toEqual([17, 34, 40])
})

test('rows that wait for others of their file count as read when they are done', async () => {
  const rows = Array.from({ length: 4_000 }, (_, i) => company({ name: `Company ${i}` }))
  const size = rows.map((row) => JSON.stringify(row)).join('\n').length
  const progress: number[] = []
  const onProgress = ({ bytes }: { bytes: number }) => progress.push(bytes / size)
  await importFiles(t.database, { companies: jsonl(rows) }, { onProgress })
  expect(progress.map((part) => part.toFixed(2))).toEqual(['0.25', '0.50', '0.75', '1.00', '1.00'])
})

test('an interrupted import finishes the batch in hand', async () => {
  const interrupted = new AbortController()
  async function* endless() {
    for (let i = 0; ; i++) yield Buffer.from(line(i))
  }
  const error = await stopped(
    importFiles(
      t.database,
      { companies: { stream: Readable.from(endless()), format: 'jsonl' } },
      {
        onProgress: ({ rows }) => {
          if (rows === 3_000) interrupted.abort()
        },
        signal: interrupted.signal,
      },
    ),
  )
  expect(error.interrupted).toBe(true)
  expect(error.summary.companies).toMatchObject({ read: 3_000, created: 3_000 })
  expect(await stored()).toBe(3_000)
})

test('an import that waits for its input can be interrupted', async () => {
  const interrupted = new AbortController()
  const stream = new Readable({ read() {} })
  const work = stopped(
    importFiles(t.database, { companies: { stream } }, { signal: interrupted.signal }),
  )
  setTimeout(() => interrupted.abort(), 20)
  expect((await work).interrupted).toBe(true)
})

test('a batch that the database refuses leaves nothing of itself, and no value in the reason', async () => {
  await t.sql`alter table private_channels add constraint nobody check (email <> 'secret@example.com')`
  const people = [
    { firstName: 'Ann', email: 'ann@example.com' },
    { firstName: 'Ben', email: 'secret@example.com' },
  ]
  const error = await stopped(importFiles(t.database, { people: jsonl(people) }))
  await t.sql`alter table private_channels drop constraint nobody`
  expect(error.message).toBe('people: the database did not take a batch (23514)')
  const everything = inspect(error, { depth: 20 }) + JSON.stringify(error)
  expect(everything).not.toContain('@example.com')
  expect((await t.sql`select from people`).length).toBe(0)
})

test('imports beside each other store every record once', async () => {
  const rows = Array.from({ length: 3_000 }, (_, i) =>
    company({ externalId: `${i}`, name: `Acme ${i % 50}` }),
  )
  const other = rows.toReversed().map((row, i) => ({ ...row, size: `${i}` }))
  const all = await Promise.all([
    importFiles(t.database, { companies: jsonl(rows) }),
    importFiles(t.database, { companies: jsonl(other) }),
    importFiles(t.database, { companies: jsonl(rows) }),
  ])
  expect(await stored()).toBe(3_000)
  expect(all.reduce((sum, { companies }) => sum + (companies?.created ?? 0), 0)).toBe(3_000)
  expect(all.reduce((sum, { companies }) => sum + (companies?.read ?? 0), 0)).toBe(9_000)
  // Each file's fields survive the others': nothing is written over by what another one read before.
  expect((await t.sql`select from companies where size is null`).length).toBe(0)
})

test('channels that two imports bring for one person both stay', async () => {
  const people = Array.from({ length: 500 }, (_, i) => ({
    externalId: `${i}`,
    firstName: `Ann ${i}`,
  }))
  await importFiles(t.database, { people: jsonl(people) })
  await Promise.all([
    importFiles(t.database, {
      people: jsonl(people.map((one) => ({ ...one, email: 'a@example.com' }))),
    }),
    importFiles(t.database, {
      people: jsonl(people.map((one) => ({ ...one, phone: '+1-555-0100' }))),
    }),
  ])
  const [both] =
    await t.sql`select count(*) from private_channels where email is not null and phone is not null`
  expect(Number(both?.count)).toBe(500)
})
