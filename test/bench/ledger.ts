/**
 * A long ledger: what pages ask of it, before and after it is folded into daily sums, and what it takes to fold it (D163):
 * `bun run bench:ledger --entries 20000000 --own 5000000 --days 395`.
 *
 * One account has `--own` of the entries, evenly over `--days` days up to now; others share the rest. `--seconds N` is the length
 * of a measurement of charges, on this ledger and on an empty one in turns, on default settings: every commit reaches the disk.
 */
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { keysOf } from '../../src/accounts/keys.ts'
import { creditsPerDay, ledgerFilters, ledgerPage, usage } from '../../src/accounts/ledger.ts'
import { overviewOf } from '../../src/accounts/overview.ts'
import { connect } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { foldLedger, wrongLedgerDays } from '../../src/metering/ledger-days.ts'
import { startPostgres } from '../helpers/postgres.ts'
import type { TestAccount } from '../metering/calls.ts'
import { median } from './medians.ts'
import { grouped, type Way } from './ways.ts'

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    own: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '30' },
    accounts: { type: 'string', default: '10000' },
    times: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '6' },
  },
})
const [entries, own, days, accounts, times] = [
  Number(options.entries),
  Number(options.own),
  Number(options.days),
  Number(options.accounts),
  Number(options.times),
]
const DEADLINE_MS = 600_000
const HOUR_SECONDS = 3_600

const IN_FLIGHT = 64
const [forMs, rounds] = [Number(options.seconds) * 1_000, Number(options.rounds)]

const server = await startPostgres([], { durable: true })
try {
  await measure(server.url('postgres'))
  await compareCharges()
} finally {
  await server.stop()
}

/** Charges a second with `IN_FLIGHT` calls at once, on the long ledger and on one that is empty, in turns. */
async function compareCharges() {
  const admin = postgres(server.url('postgres'), { max: 1, onnotice: () => {} })
  await admin`create database empty`
  await admin`checkpoint`
  await admin.end()
  const empty = connect({ url: server.url('empty'), connections: 1 })
  await migrate(empty)
  await empty.close()
  const sql = postgres(server.url('empty'), { max: 1, onnotice: () => {} })
  await makeAccounts(sql)
  await sql`vacuum analyze`
  await sql.end()
  const ledgers = await Promise.all(
    ['postgres', 'empty'].map(async (name) => {
      const url = server.url(name)
      const sql = postgres(url, { max: 1, onnotice: () => {} })
      const callers = await sql<TestAccount[]>`
        select distinct on (account_id) account_id as id, id as key from api_keys where environment = 'live'`
      await sql`update accounts set tier = 'enterprise', rate_count = -1000000, rate_started_at = now()`
      await sql`vacuum analyze accounts`
      await sql.end()
      return {
        name,
        callers,
        way: grouped(connect({ url, connections: 3 })),
        perSecond: [] as number[],
      }
    }),
  )
  for (let turn = -1; turn < rounds; turn++) {
    for (const ledger of ledgers) {
      const perSecond = await chargesOf(ledger)
      if (turn >= 0) ledger.perSecond.push(Math.round(perSecond))
    }
  }
  for (const { name, way, perSecond } of ledgers) {
    console.log(
      `${name === 'empty' ? 'empty' : 'long'} ledger: ${median(perSecond)} charges/s (${perSecond.join(' ')})`,
    )
    await way.close()
  }
}

async function chargesOf({ callers, way }: { callers: TestAccount[]; way: Way }) {
  let [turn, charged] = [Math.floor(Math.random() * callers.length), 0]
  const beganMs = performance.now()
  const caller = async () => {
    while (performance.now() < beganMs + forMs) {
      await way.charge(callers[turn++ % callers.length]!)
      charged++
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
  return charged / ((performance.now() - beganMs) / 1_000)
}

async function measure(url: string) {
  const database = connect({ url, connections: 2, deadlineMs: DEADLINE_MS })
  await migrate(database)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const account = await fill(sql)
  const [size] = await sql<{ bytes: number }[]>`
    select (select sum(pg_total_relation_size(relid)) from pg_partition_tree('ledger'))::float8 / greatest(1, count(*)) as bytes
      from ledger`
  console.log(`${entries} entries, ${own} of one account, ${size?.bytes.toFixed(0)} bytes each`)
  const asked: Record<string, () => Promise<unknown>> = {
    'days of the Usage page': () => creditsPerDay(database, account),
    'filters of the Usage page': () => ledgerFilters(database, account),
    'a page of the ledger': () => ledgerPage(database, account),
    'a page of a key without calls': () => ledgerPage(database, account, { key: account }),
    'a page of an old request': () => ledgerPage(database, account, { request: 'the first' }),
    keys: () => keysOf(database, account),
    'usage, a year': () => usage(database, account, 365 * 24 * HOUR_SECONDS, 'endpoint'),
    'usage, 12 hours': () => usage(database, account, 12 * HOUR_SECONDS, 'day'),
    overview: () => overviewOf(database, account),
  }
  const before = await timed(asked)
  const beganMs = performance.now()
  await foldLedger(database, { forMs: DEADLINE_MS })
  const tookMs = performance.now() - beganMs
  console.log(`folded in ${(tookMs / 1_000).toFixed(1)} s`)
  await sql`vacuum analyze ledger_days`
  const after = await timed(asked)
  const restMs = performance.now()
  await foldLedger(database)
  console.log(`a round with nothing to fold: ${(performance.now() - restMs).toFixed(1)} ms`)
  const checkMs = performance.now()
  const wrong = await wrongLedgerDays(database)
  console.log(
    `checked in ${((performance.now() - checkMs) / 1_000).toFixed(1)} s: ${wrong.length} wrong`,
  )
  const [sums] = await sql`
    select count(*)::integer as rows, pg_total_relation_size('ledger_days')::float8 as bytes from ledger_days`
  console.log(`${sums?.rows} sums, ${(sums?.bytes / 1e6).toFixed(1)} MB`)
  console.table(
    Object.fromEntries(
      Object.keys(asked).map((name) => [
        name,
        {
          'p50 before, ms': before[name]?.p50,
          'p50, ms': after[name]?.p50,
          'most, ms': after[name]?.most,
        },
      ]),
    ),
  )
  await Promise.all([database.close(), sql.end()])
}

async function makeAccounts(sql: postgres.Sql) {
  await sql`
    insert into accounts (name, email, tier) select 'Ada', 'ada@example.com', 'team' from generate_series(1, ${accounts}::integer)`
  await sql`
    insert into api_keys (account_id, hash, prefix, label)
    select id, gen_random_uuid()::text, 'ck_live_test', 'key ' || n from accounts, generate_series(1, 3) n`
}

/** The tables of the months before this one, as a service would have made them that began `days` ago. */
async function makeMonths(sql: postgres.Sql) {
  await sql.unsafe(`
    do $$
    declare
      v_month timestamptz;
    begin
      drop table ledger_first;
      for v_month in
        select generate_series(month_start(now() - interval '${days} days'), month_start(now()), interval '1 month')
      loop
        continue when exists (select from ledger_parts() p where p.since = v_month);
        execute format('create table ledger_%s partition of ledger (primary key (account_id, sequence)) for values from (%L) to (%L)',
                       to_char(v_month, 'YYYY_MM'), v_month, next_month(v_month));
      end loop;
    end $$`)
}

async function fill(sql: postgres.Sql): Promise<string> {
  await makeAccounts(sql)
  const [account] = await sql<{ id: string }[]>`select id from accounts order by id limit 1`
  const id = account?.id ?? ''
  await sql`set maintenance_work_mem = '512MB'`
  await sql`set synchronous_commit = off`
  await makeMonths(sql)
  // In the order of their time, as a ledger is written; every `share`th entry is the one account's.
  await sql`
    insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
    select case when n * ${own}::bigint / ${entries}::bigint <> (n - 1) * ${own}::bigint / ${entries}::bigint
                then ids[1] else ids[2 + n * 7919 % (${accounts}::bigint - 1)] end,
           now() - (${entries}::bigint - n)::float8 / ${entries}::bigint * ${days}::integer * interval '1 day',
           'charge', -5, -5 * n, case when n < 10 then 'the first' else gen_random_uuid()::text end,
           (array['/v1/people', '/v1/search', '/v1/people/{id}', '/v1/projects'])[1 + n % 4], keys[1 + n % 3]
      from (select array_agg(id order by id) as ids from accounts) a,
           (select array_agg(id) as keys from api_keys where account_id = ${id}) k,
           generate_series(1, ${entries}::bigint) n order by n`
  await sql`
    update accounts a set balance = coalesce((select sum(credits) from ledger l where l.account_id = a.id), 0)`
  await sql`vacuum analyze`
  return id
}

async function timed(asked: Record<string, () => Promise<unknown>>) {
  const figures: Record<string, { p50: number; most: number }> = {}
  for (const [name, ask] of Object.entries(asked)) {
    const took: number[] = []
    for (let time = 0; time < times; time++) {
      const beganMs = performance.now()
      await ask()
      took.push(performance.now() - beganMs)
    }
    figures[name] = { p50: round(median(took)), most: round(Math.max(...took.slice(1))) }
  }
  return figures
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
