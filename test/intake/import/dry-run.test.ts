/** What a dry run says, and that it leaves nothing behind. */
import { expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { connect } from '../../../src/database/client.ts'
import { onCopies } from '../../../src/intake/import/dry-run.ts'
import { importFiles } from '../../../src/intake/import/import.ts'
import type { KindName, Summary } from '../../../src/intake/import/summary.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { company, counts, emptyDatabase, jsonl, load, type Row } from './sources.ts'

const t = emptyDatabase()

/** Every table of the database as text, every sequence, and the versions of rows. */
async function dump(): Promise<string> {
  const names = await t.sql`
    select c.relname as name, c.relkind::text as kind from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'S') order by 1`
  const parts: unknown[] = []
  for (const { name, kind } of names) {
    const table = t.sql(name)
    parts.push(
      name,
      kind === 'S'
        ? await t.sql`select last_value, is_called from ${table}`
        : await t.sql`select xmin::text, to_jsonb(x)::text as row from ${table} x order by 2`,
    )
  }
  return JSON.stringify(parts)
}

type Files = Partial<Record<KindName, readonly Row[]>>

const importing = (
  files: Files,
  options: { isDryRun?: boolean; isGentle?: () => Promise<boolean> } = {},
) =>
  importFiles(
    t.database,
    Object.fromEntries(Object.entries(files).map(([kind, rows]) => [kind, jsonl(rows)])),
    options,
  )

const countsOf = (summary: Summary) =>
  Object.entries(summary).map(([kind, done]) => `${kind}: ${counts(done)}, ${done.warned} warned`)

const FILES = {
  companies: [
    company({ externalId: 'a', ticker: 'NEW', sectors: ['DeFi'] }),
    company({ name: 'Fund', slug: 'fund' }),
    company({ name: 'Fund', externalId: 'f2', followers: 'many' }),
    { externalId: 'x', companyType: 'shop' },
  ],
  people: [
    { externalId: 'p', firstName: 'Ann', company: 'fund', email: 'new@example.com' },
    { firstName: 'Ben', company: 'acme', twitterHandle: 'ben' },
    { firstName: 'Ben', twitterHandle: 'ben', jobTitle: 'CTO' },
    { firstName: 'Cem' },
    { firstName: 'Cem' },
  ],
  rounds: [
    { externalId: 'r', company: 'acme', investors: [{ investor: 'fund', isLead: true }] },
    { company: 'fund', roundType: 'Seed', investors: [{ investor: 'f2' }, { investor: 'who' }] },
  ],
} satisfies Files

async function start() {
  await load(t.database, 'companies', [company({ externalId: 'a', ticker: 'OLD' })])
  const email = 'old@example.com'
  await load(t.database, 'people', [{ externalId: 'p', firstName: 'Ann', company: 'acme', email }])
  await load(t.database, 'rounds', [
    { externalId: 'r', company: 'acme', investors: [{ investor: 'acme' }] },
  ])
}

test('a dry run leaves tables, sequences and the change log as they are; its counts are those of the import that follows', async () => {
  await start()
  const before = await dump()
  const tried = await importing(FILES, { isDryRun: true })
  expect(await dump()).toBe(before)
  expect(countsOf(await importing(FILES))).toEqual(countsOf(tried))
  const again = await importing(FILES, { isDryRun: true })
  expect(countsOf(await importing(FILES))).toEqual(countsOf(again))
})

test('its differences say what would change, of private channels no value', async () => {
  await start()
  const { companies, people, rounds } = await importing(FILES, { isDryRun: true })
  expect(companies?.differences).toMatchObject([
    { row: 1, record: 'acme', field: 'sectors', before: [], after: ['DeFi'] },
    { row: 1, record: 'acme', field: 'ticker', before: 'OLD', after: 'NEW' },
  ])
  expect(people?.differences?.map(({ line, ...one }) => one)).toEqual([
    { row: 1, record: 'ann', field: 'company', before: 'acme', after: 'fund' },
    { row: 1, record: 'ann', field: 'email' },
    { row: 3, record: 'ben', field: 'jobTitle', before: null, after: 'CTO' },
    { row: 3, record: 'ben', field: 'roles', before: [], after: ['executive', 'engineering'] },
  ])
  expect(rounds?.differences).toMatchObject([
    { row: 1, record: 'r', field: 'investors', before: ['acme'], after: ['fund (lead)'] },
  ])
  expect(JSON.stringify(people)).not.toContain('@example.com')
  expect(Object.keys((await importing(FILES)).people ?? {})).not.toContain('differences')
})

test('a later batch sees what an earlier one would have written', async () => {
  const rows = Array.from({ length: 600 }, (_, i) =>
    company({ externalId: `${i % 300}`, size: `${i}` }),
  )
  const { companies } = await importing(
    { companies: rows },
    { isDryRun: true, isGentle: async () => true },
  )
  expect(companies).toMatchObject({ created: 300, updated: 300 })
  expect(companies?.differences?.length).toBe(20)
})

test('other writers neither wait for a dry run nor change what it says', async () => {
  await start()
  const aiSummary = 'x'.repeat(1_000)
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => company({ externalId: `d${from + i}`, aiSummary }))
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('')
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  // The rest of the file comes when the other writer is done: where that waited for the dry run, neither would end.
  async function* file() {
    yield Buffer.from(lines(0, 300))
    await begun
    await load(t.database, 'companies', [company({ externalId: 'd499', name: 'Other' })])
    yield Buffer.from(lines(300, 500))
  }
  const tried = await importFiles(
    t.database,
    { companies: { stream: Readable.from(file()), format: 'jsonl' } },
    { isDryRun: true, isGentle: async () => true, onProgress: () => begin() },
  )
  expect(tried.companies).toMatchObject({ created: 500 })
  expect((await t.sql`select from companies`).length).toBe(2)
})

test('a connection that was lost half-way writes nothing on its next one', async () => {
  const rows = Array.from({ length: 900 }, (_, i) => company({ externalId: `k${i}` }))
  const before = await dump()
  const tried = importFiles(
    t.database,
    { companies: jsonl(rows) },
    {
      isDryRun: true,
      isGentle: async () => true,
      onFinding: () => {},
      onProgress: async () => {
        await t.sql`select pg_terminate_backend(pid) from pg_stat_activity
                     where state = 'idle in transaction' and datname = current_database()`
      },
    },
  )
  await expectRejection(tried)
  expect(await dump()).toBe(before)
})

test('a kind is tried on copies of its own tables, which refuse what theirs refuse; the others are read where they are', async () => {
  await start()
  for (const [kind, tables] of [
    ['companies', ['companies']],
    ['people', ['people', 'private_channels']],
    ['rounds', ['funding_rounds', 'round_investors']],
  ] as const) {
    const before = await dump()
    const tried = await importing({ [kind]: FILES[kind] }, { isDryRun: true })
    expect(await dump()).toBe(before)
    const copied = await onCopies(t.database, { kinds: [kind], hasSource: false }, (copies) =>
      copies.use(({ sql }) => indexesIn(sql, 'pg_my_temp_schema()')),
    )
    const own = (await indexesIn(t.sql, "'public'::regnamespace")).filter(({ table }) =>
      [...tables, 'record_sources'].includes(table),
    )
    expect(copied).toEqual(own)
    expect(countsOf(await importing({ [kind]: FILES[kind] }))).toEqual(countsOf(tried))
  }
})

/** The indexes of a schema's tables by table and columns, and whether they are unique. */
const indexesIn = async (sql: typeof t.sql, schema: string) => [
  ...(await sql.unsafe<{ table: string; columns: string; unique: boolean }[]>(`
    select c.relname as table, i.indisunique as unique,
           substring(pg_get_indexdef(i.indexrelid) from ' USING .*') as columns
      from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = ${schema} and c.relkind = 'r' order by 1, 3`)),
]

test('after an import on the same connection, whose statements are planned, a dry run reads its copies', async () => {
  const database = connect({ url: t.url, connections: 1 })
  const twice = (externalId: string) => [
    company({ externalId, followers: 1 }),
    company({ externalId, followers: 2 }),
  ]
  const run = async (externalId: string, isDryRun: boolean) =>
    countsOf(await importFiles(database, { companies: jsonl(twice(externalId)) }, { isDryRun }))
  try {
    const said = await run('seen-0', true)
    for (const n of [1, 2, 3, 4, 5, 6, 7]) expect(await run(`seen-${n}`, false)).toEqual(said)
    expect(await run('seen-8', true)).toEqual(said)
  } finally {
    await database.close()
  }
})
