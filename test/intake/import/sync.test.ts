/** `import --source --sync`, on a real PostgreSQL: what a source drops goes, and nothing else does. */
import { beforeEach, expect, test } from 'bun:test'
import { PassThrough } from 'node:stream'
import type { Database } from '../../../src/database/client.ts'
import { lockInPostgres } from '../../../src/database/long-lock.ts'
import { mergeRecords, undoChange } from '../../../src/intake/editing/edit.ts'
import { readJournal } from '../../../src/intake/editing/journal.ts'
import { type ImportOptions, importFiles } from '../../../src/intake/import/import.ts'
import { listSources } from '../../../src/intake/import/sources.ts'
import type { KindName, Summary } from '../../../src/intake/import/summary.ts'
import { stateOf } from '../editing/state.ts'
import { refusal } from '../editing/traces.ts'
import { company, emptyDatabase, jsonl, load, type Row } from './sources.ts'

const t = emptyDatabase()
beforeEach(async () => {
  await t.sql`truncate import_runs, record_sources, record_pins, redirects, journal`
})

type Files = Partial<Record<KindName, readonly (Row | string)[]>>
type Given = ImportOptions & { mostRemoved?: number; confirm?: () => Promise<boolean> }

const ACME = company({ externalId: 'acme' })

/** Runs `import --source name --sync`, with every removal and change of columns allowed unless said otherwise. */
function sync(name: string, files: Files, given: Given = {}, into: Database = t.database) {
  const { mostRemoved = 100, confirm, ...options } = given
  const sources = Object.entries(files).map(([kind, rows]) => [kind, jsonl(rows)])
  const source = {
    name,
    files: {},
    isSync: true,
    mostRemoved,
    mostRefused: 5,
    confirm,
    areColumnsConfirmed: true,
  }
  return importFiles(into, Object.fromEntries(sources), { source, ...options })
}

const removed = (summary: Summary) =>
  Object.fromEntries(Object.entries(summary).map(([kind, done]) => [kind, done.removed]))

const people = (...names: string[]): Row[] =>
  names.map((name) => ({ externalId: name, firstName: name, email: `${name}@example.com` }))

async function names(): Promise<string> {
  const rows = await t.sql`
    select external_id from companies union all select external_id from people
     union all select external_id from funding_rounds order by 1`
  return rows.map(({ external_id }) => external_id).join(' ')
}

const lastChange = async () => (await readJournal(t.database, { limit: 1 }))[0]?.change ?? 0

test('what the files no longer hold is removed; undo takes the run back, removals and all', async () => {
  await sync('a', { people: people('ann', 'ben', 'cem') })
  const before = await stateOf(t.sql)
  const done = await sync('a', { people: people('ann', 'dora') })
  expect(removed(done)).toEqual({ people: 2 })
  expect(await names()).toBe('ann dora')
  const after = await stateOf(t.sql)
  const undone = await undoChange(t.database, await lastChange(), 'olga')
  expect(await stateOf(t.sql)).toEqual(before)
  await undoChange(t.database, undone, 'olga')
  expect(await stateOf(t.sql)).toEqual(after)
  await undoChange(t.database, undone + 1, 'olga')
  expect(removed(await sync('a', { people: people('ann') }))).toEqual({ people: 2 })
})

test("what another source has stays until that one drops it, and what was nobody's stays for good", async () => {
  await load(t.database, 'people', people('hand'))
  await sync('a', { people: people('hand', 'both', 'own') })
  await sync('b', { people: people('both', 'other') })
  await sync('a', { people: people('new') })
  expect(await names()).toBe('both hand new other')
  await sync('b', { people: people('other') })
  expect(await names()).toBe('hand new other')
})

test('a source drops nothing of a kind whose file was not given, and an import without --sync drops nothing', async () => {
  await sync('a', { companies: [company({ externalId: 'c' })], people: people('ann', 'ben') })
  expect(removed(await sync('a', { people: people('ann') }))).toEqual({ people: 1 })
  const source = { name: 'a', files: {}, isSync: false, mostRemoved: 0, mostRefused: 5 }
  await importFiles(t.database, { people: jsonl(people('dora')) }, { source })
  expect(await names()).toBe('ann c dora')
})

test('more than --max-removed takes a yes: else all rows are in, nothing is removed, and the message says how to go on', async () => {
  await sync('a', { people: people('ann', 'ben', 'cem', 'dora') })
  const message = await refusal(sync('a', { people: people('ann', 'eve') }, { mostRemoved: 10 }))
  expect(message).toBe(
    'people: 3 of 4 records of source a (75 %) are no longer in the file; --max-removed allows 10 %: nothing was removed. If they are to go, repeat it with --yes',
  )
  expect(await names()).toBe('ann ben cem dora eve')
  // What came with the refused run doesn't make the share smaller.
  const many = people('ann', 'eve', ...Array.from({ length: 40 }, (_, n) => `p${n}`))
  expect(await refusal(sync('a', { people: many }, { mostRemoved: 50 }))).toContain('3 of 4')
  expect(await refusal(sync('a', { people: many }, { mostRemoved: 50 }))).toContain('3 of 4')
  const asked: string[] = []
  const confirm = async (what?: string) => asked.push(what ?? '') > 0
  const done = await sync('a', { people: people('ann', 'eve') }, { mostRemoved: 10, confirm })
  expect([asked.length, removed(done).people]).toEqual([1, 43])
})

test('an empty file removes nothing, nor does one of whose rows too many were refused, nor one that breaks off', async () => {
  await sync('a', { people: people('ann', 'ben') })
  expect(await refusal(sync('a', { people: [] }))).toBe(
    'people: the file has no rows: nothing was removed',
  )
  expect(await refusal(sync('a', { people: ['{"firstName":"ann"', ...people('ann')] }))).toBe(
    'people: too many rows were refused to tell what is missing: nothing was removed',
  )
  const cut = { stream: jsonl(people('ann')).stream, format: 'json' as const }
  cut.stream.once('data', () => cut.stream.destroy(new Error('cut off')))
  const source = { name: 'a', files: {}, isSync: true, mostRemoved: 100, mostRefused: 5 }
  expect(await refusal(importFiles(t.database, { people: cut }, { source }))).not.toBe(
    'not refused',
  )
  expect(await names()).toBe('ann ben')
})

test('the record of a refused row is not removed, whichever of its keys can be read, or by its name without one', async () => {
  const many = people(...Array.from({ length: 100 }, (_, n) => `p${n}`))
  await sync('a', {
    companies: [company({ slug: 'one', externalId: 'one' })],
    people: [
      ...many,
      ...people('ann', 'ben'),
      { externalId: 'x', firstName: 'Same', email: 'x@example.com' },
    ],
  })
  const done = await sync('a', {
    people: [
      ...many,
      { externalId: 'ann', firstName: { not: 'text' } },
      { externalId: 'y'.repeat(2_000), slug: 'ben', firstName: 'ben' },
      { firstName: 'Same', email: 'other@example.com' },
    ],
  })
  expect(done.people?.refused).toBe(3)
  expect(removed(done)).toEqual({ people: 0 })
})

test('a company stays as long as what stays hangs on it, and goes with the rest of it', async () => {
  const fund = company({ externalId: 'fund', name: 'Fund', companyType: 'investor' })
  const round = { externalId: 'round', company: 'acme', investors: [{ investor: 'fund' }] }
  await sync('a', { companies: [ACME, fund, company({ externalId: 'c', name: 'C' })] })
  await sync('b', { rounds: [round, { ...round, externalId: 'r2' }] })
  expect(
    removed(await sync('a', { companies: [company({ externalId: 'c', name: 'C' })] })),
  ).toEqual({
    companies: 0,
  })
  await sync('b', { rounds: [{ externalId: 'r3', company: 'c' }] })
  expect(
    removed(await sync('a', { companies: [company({ externalId: 'c', name: 'C' })] })),
  ).toEqual({
    companies: 2,
  })
  expect(await names()).toBe('c r3')
})

test('a survivor has the sources of both, and undo of the merge gives each its own', async () => {
  await sync('a', { people: people('ann', 'ben', 'cem', 'last') })
  await sync('b', { people: people('bob') })
  await load(t.database, 'people', people('hand'))
  await mergeRecords(t.database, 'person', ['ann', 'bob'], 'olga')
  await mergeRecords(t.database, 'person', ['ben', 'hand'], 'olga')
  const { change } = await mergeRecords(t.database, 'person', ['cem', 'last'], 'olga')
  await undoChange(t.database, change, 'olga')
  await sync('a', { people: people('last') })
  expect(await names()).toBe('ann ben last')
})

test('a dry run says what would be removed, and removes and notes nothing', async () => {
  await sync('a', { people: people('ann', 'ben', 'cem') })
  const notes = () => t.sql`select * from record_sources order by record_id`
  const before = [
    await stateOf(t.sql),
    [...(await notes())],
    (await t.sql`select * from import_runs`).length,
  ]
  const tried = await sync('a', { people: people('ann', 'dora') }, { isDryRun: true })
  expect([tried.people?.removed, tried.people?.removals?.toSorted()]).toEqual([2, ['ben', 'cem']])
  const message = await refusal(
    sync('a', { people: people('dora') }, { isDryRun: true, mostRemoved: 10 }),
  )
  expect(message).toContain('3 of 3 records')
  expect([
    await stateOf(t.sql),
    [...(await notes())],
    (await t.sql`select * from import_runs`).length,
  ]).toEqual(before)
})

test('sources are listed with their counts and their last run', async () => {
  await sync('a', { people: people('ann', 'ben') })
  await sync('b', { companies: [company({ externalId: 'c' })], people: people('ann') })
  const listed = await listSources(t.database)
  expect(listed.map(({ source, companies, people }) => [source, companies, people])).toEqual([
    ['a', 0, 2],
    ['b', 1, 1],
  ])
  expect(listed[1]?.lastRun).toMatchObject({
    synced: ['company', 'person'],
    change: await lastChange(),
  })
})

/** A database of which only the first `n` statements or transactions come to be, and the last without being told. */
function breaking(n: number): Database {
  let uses = 0
  return {
    ...t.database,
    async use(work, options) {
      if (++uses > n) throw new Error('broken off')
      const done = await t.database.use(work, options)
      if (uses === n) throw new Error('broken off')
      return done
    },
  }
}

const RUNS = Number(process.env.SYNC_RUNS ?? 2)

test('wherever a sync breaks off, it has removed nothing that it has not seen is gone, and repeating it ends as if it had not', async () => {
  const each = RUNS > 2 ? 1 : 3
  let end = ''
  for (let n = 1; end !== 'not refused'; n += each) {
    await t.sql`truncate import_runs, record_sources, companies, people, funding_rounds cascade`
    await load(t.database, 'people', people('hand'))
    await sync('a', { people: people('ann', 'ben', 'hand', 'gone'), companies: [ACME] })
    end = await refusal(sync('a', { people: people('ann', 'new') }, {}, breaking(n)))
    const left = (await names()).split(' ')
    expect(left).toContain('ann')
    expect(left).toContain('hand')
    expect(left.includes('ben')).toBe(left.includes('gone'))
    await sync('a', { people: people('ann', 'new') })
    expect([n, await names()]).toEqual([n, 'acme ann hand new'])
  }
})

/** Pseudo-random numbers from 0 to below `below`, the same for a seed. */
function random(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test(`${RUNS} random histories: sync is idempotent and order-free, and a source's removal touches only its own`, async () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const next = random(seed)
    await t.sql`truncate import_runs, record_sources, companies, people, funding_rounds cascade`
    const all = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7']
    const some = () => all.filter(() => next(2) === 0)
    const shuffled = <T>(list: readonly T[]) =>
      list
        .map((one) => ({ one, at: next(1_000_000) }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one)
    const nobodys = new Set(some().slice(0, 2))
    await load(t.database, 'people', people(...nobodys))
    // What there must be: what nobody's was, and what a source has.
    const has = new Map<string, Set<string>>()
    for (let step = 0; step < 6; step++) {
      const name = ['a', 'b', 'c'][next(3)] ?? 'a'
      const now = some()
      if (now.length === 0) continue
      has.set(name, new Set(now))
      await sync(name, { people: people(...shuffled(now)) })
      const expected = all.filter(
        (one) => nobodys.has(one) || [...has.values()].some((set) => set.has(one)),
      )
      expect([seed, step, await names()]).toEqual([seed, step, expected.join(' ')])
      if (next(3) > 0) continue
      const state = await stateOf(t.sql)
      const again = await sync(name, { people: people(...shuffled(now)) })
      expect(removed(again)).toEqual({ people: 0 })
      expect(await stateOf(t.sql)).toEqual(state)
    }
  }
})

test('a night in which nothing changed writes nothing of the records that are there', async () => {
  const night = { companies: [ACME], people: people('ann', 'ben', 'cem') }
  await sync('a', night)
  await sync('b', { people: people('ann') })
  await sync('a', { ...night, people: people('ann', 'ben') })
  const rows = () => t.sql`
    select ctid::text, xmin::text from record_sources union all select ctid::text, xmin::text from people order by 1, 2`
  const before = await rows()
  expect(before.length).toBe(7)
  await sync('a', { ...night, people: people('ben', 'ann') })
  expect(await rows()).toEqual(before)
  // What is there again is the source's again.
  await sync('a', night)
  expect(removed(await sync('a', { people: people('ann', 'ben') }))).toEqual({ people: 1 })
})

test('while a run of a source goes on no other of it begins; one that ends, or breaks off, leaves the next its turn', async () => {
  const takeLongLock = lockInPostgres({ url: t.url })
  const source = {
    name: 'a',
    files: {},
    isSync: true,
    mostRemoved: 100,
    mostRefused: 5,
    takeLongLock,
  }
  const run = (name: string, signal?: AbortSignal) =>
    importFiles(
      t.database,
      { people: jsonl(people(name)) },
      { source: { ...source, name }, signal },
    )
  const stream = new PassThrough()
  const first = importFiles(t.database, { people: { stream, format: 'jsonl' } }, { source })
  // Blank lines, so that there is enough to tell what file it is.
  stream.write(`${JSON.stringify(people('ann')[0])}${'\n'.repeat(100_000)}`)
  while ((await t.sql`select from import_runs where source = 'a'`).length === 0) await Bun.sleep(5)
  expect(await refusal(run('a'))).toMatch(
    /^source a: another run of it goes on, since .*Z. Repeat this one when that has ended$/,
  )
  expect(removed(await run('b'))).toEqual({ people: 0 })
  stream.destroy(new Error('cut off'))
  expect(await refusal(first)).toContain('cut off')
  expect(removed(await run('a'))).toEqual({ people: 0 })
})
