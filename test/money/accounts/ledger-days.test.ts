/** Daily sums of the ledger: what they say is what the entries say, at every moment. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type postgres from 'postgres'
import { connect, type Database } from '../../../src/database/client.ts'
import { keysOf } from '../../../src/money/accounts/keys.ts'
import {
  creditsPerDay,
  type LedgerFilter,
  ledgerFilters,
  ledgerPage,
  usage,
} from '../../../src/money/accounts/ledger.ts'
import { sumLedger } from '../../../src/money/charge/ledger-days.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { shared } from '../../helpers/shared.ts'
import {
  grant,
  meterBench,
  newAccount,
  newKey,
  plainRead,
  type TestAccount,
} from '../charge/fixtures.ts'

const bench = shared(meterBench, ({ drop }) => drop())
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const BEGIN_MS = Date.parse('2025-03-01T00:00:00Z')
const KEYS = [crypto.randomUUID(), crypto.randomUUID()]
const ENDPOINTS = ['/v1/people', '/v1/search']

/** Adds up to `entries` entries of an account to its sums. */
const sumUp = (account: string, entries: number, sql: postgres.ISql = bench.sql) => sql`
  select ledger_sum(coalesce((select id from accounts where id < ${account} order by id desc limit 1), no_key()), 1, ${entries})`

/** Lets these accounts make a million calls in the window that holds now. */
const unlimit = (accounts: TestAccount[]) => bench.sql`
  update accounts set rate_started_at = meter_now(), rate_count = -1000000
   where id in ${bench.sql(accounts.map(({ id }) => id))}`

/** Charges since a moment by day, endpoint and key: as the sums tell, and by adding up, both in one snapshot. */
async function bothOf(account: string, sinceMs: number) {
  const [row] = await bench.sql<{ told: unknown; added: unknown }[]>`
    with since as (select to_timestamp(${sinceMs}::float8 / 1000) as at)
    select (select json_agg(json_build_array(day, endpoint, key_id, calls, credits, last_at) order by day, endpoint, key_id)
              from ledger_use(${account}, (select at from since))) as told,
           (select json_agg(json_build_array(day, endpoint, key_id, calls, credits, last_at) order by day, endpoint, key_id)
              from (select (at at time zone 'UTC')::date as day, endpoint, key_id, count(*) as calls,
                           -sum(credits) as credits, max(at) as last_at
                      from ledger where account_id = ${account} and kind = 'charge' and at >= (select at from since)
                     group by 1, 2, 3) l) as added`
  return row!
}

const entry = fc.record({
  /** Since the entry before; the clock may be set back. */
  step: fc.oneof(
    fc.integer({ min: -20 * 60_000, max: HOUR_MS }),
    fc.integer({ min: 0, max: 2 * DAY_MS }),
    fc.integer({ min: -5 * DAY_MS, max: 0 }),
  ),
  kind: fc.constantFrom('charge', 'charge', 'charge', 'grant', 'expiry', 'reversal'),
  credits: fc.integer({ min: 1, max: 10 }),
  endpoint: fc.constantFrom(...ENDPOINTS),
  key: fc.constantFrom(...KEYS),
})
const stretch = fc.record({
  entries: fc.array(entry, { minLength: 1, maxLength: 12 }),
  /** Entries that are summed afterwards. */
  summed: fc.integer({ min: 0, max: 9 }),
  sinceMs: fc.oneof(
    fc.integer({ min: -DAY_MS, max: 20 * DAY_MS }),
    fc.integer({ min: -1, max: 20 }).map((day) => day * DAY_MS),
  ),
})

type Stretch = typeof stretch extends fc.Arbitrary<infer S> ? S : never

/** Writes stretches of entries and sums up after each, then calls `look`. Clocks are set back by `setBackMs` at most. */
async function writeHistory(
  account: string,
  history: readonly Stretch[],
  setBackMs: number,
  look: (stretch: Stretch) => Promise<void> = async () => {},
) {
  let [atMs, latestMs] = [BEGIN_MS, BEGIN_MS]
  for (const stretch of history) {
    const rows = stretch.entries.map(({ step, kind, credits, endpoint, key }) => {
      atMs = Math.max(atMs + step, latestMs - setBackMs)
      latestMs = Math.max(latestMs, atMs)
      const isCharge = kind === 'charge'
      return {
        account_id: account,
        at: new Date(atMs).toISOString(),
        kind,
        credits: kind === 'grant' ? credits : -credits,
        balance_after: 0,
        endpoint: isCharge ? endpoint : null,
        key_id: isCharge ? key : null,
      }
    })
    await bench.sql`insert into ledger ${bench.sql(rows)}`
    if (stretch.summed > 0) await sumUp(account, stretch.summed)
    await look(stretch)
  }
}

describe('the sums', () => {
  test('are the entries added up, whatever was summed when, also where clocks are set back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stretch, { minLength: 1, maxLength: 5 }), async (history) => {
        const { id: account } = await newAccount(bench.sql)
        await writeHistory(account, history, HOUR_MS, async ({ sinceMs }) => {
          const { told, added } = await bothOf(account, BEGIN_MS + sinceMs)
          expect(told).toEqual(added)
        })
      }),
      { numRuns: Number(process.env.FOLD_RUNS ?? 40) },
    )
  })

  test('are exact in every snapshot while calls are charged, credits granted and several instances sum up', async () => {
    const accounts = await Promise.all(
      [1, 2, 3].map(() => newAccount(bench.sql, { tier: 'enterprise', credits: 100 })),
    )
    await unlimit(accounts)
    let isCharging = true
    const charging = Promise.all(
      accounts.flatMap((account) =>
        Array.from({ length: 8 }, async (_, caller) => {
          for (let call = 0; call < 15; call++) {
            await bench.meter.charge(plainRead(account))
            if (call % 5 === caller) await grant(bench.sql, account.id, 'topup', 3)
          }
        }),
      ),
    ).finally(() => {
      isCharging = false
    })
    const [one, other] = [1, 2].map(() =>
      connect({ url: bench.url, connections: 1, deadlineMs: PATIENCE_MS }),
    )
    const summing = [one, other].map(async (instance) => {
      while (isCharging) await sumLedger(instance!, { accounts: 2, entries: 7 })
    })
    let looks = 0
    while (isCharging) {
      for (const { id } of accounts) {
        const { told, added } = await bothOf(id, 0)
        expect(told).toEqual(added)
        looks++
      }
    }
    await Promise.all([charging, ...summing])
    expect(looks).toBeGreaterThan(3)
    await sumLedger(bench.database)
    const left = await bench.sql`
      select l.sequence from ledger l join ledger_folds f using (account_id)
       where l.sequence > f.sequence and l.account_id in ${bench.sql(accounts.map(({ id }) => id))}`
    expect([...left]).toEqual([])
    for (const { id } of accounts) {
      const { told, added } = await bothOf(id, 0)
      expect(told).toEqual(added)
    }
    await Promise.all([one!.close(), other!.close()])
  })
})

/** Pages of a filter, one after another, as one list of sequence numbers. */
async function pagesOf(account: string, filter: LedgerFilter, limit: number, searched?: number) {
  const sequences: number[] = []
  let before: number | undefined
  do {
    const page = await ledgerPage(bench.database, account, { ...filter, before }, limit, searched)
    sequences.push(...page.entries.map(({ sequence }) => sequence))
    before = page.next ?? undefined
  } while (before !== undefined)
  return sequences
}

describe('pages of a key or an endpoint', () => {
  test('have every entry once, newest first, whatever is summed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stretch, { minLength: 1, maxLength: 4 }),
        fc.constantFrom<LedgerFilter>(
          { key: KEYS[0] },
          { endpoint: ENDPOINTS[1] },
          { key: KEYS[1], endpoint: ENDPOINTS[0] },
          { key: crypto.randomUUID() },
        ),
        fc.integer({ min: 1, max: 5 }),
        async (history, filter, limit) => {
          const { id: account } = await newAccount(bench.sql)
          await writeHistory(account, history, 9 * DAY_MS)
          const { key = null, endpoint = null } = filter
          const rows = await bench.sql<{ sequence: number }[]>`
            select sequence::float8 from ledger
             where account_id = ${account} and (${key}::uuid is null or key_id = ${key}::uuid)
               and (${endpoint}::text is null or endpoint = ${endpoint}::text)
             order by sequence desc`
          expect(await pagesOf(account, filter, limit)).toEqual(
            rows.map(({ sequence }) => sequence),
          )
        },
      ),
      { numRuns: Number(process.env.FOLD_RUNS ?? 25) },
    )
  })

  test('a request’s entries are found however old they are', async () => {
    const account = crypto.randomUUID()
    await bench.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, request_id)
      select ${account}, timestamptz '2025-03-01' + n * interval '20 hours', 'charge', -5, 0,
             case when n between 20 and 21 then 'a run' else n::text end
        from generate_series(1, 60) n`
    expect(await pagesOf(account, { request: 'a run' }, 1)).toHaveLength(2)
    expect(await pagesOf(account, { request: 'none' }, 1)).toEqual([])
    // Callers name their requests as they like, so two of one name may be months apart.
    await bench.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, request_id)
      values (${account}, '2025-09-01', 'charge', -5, 0, 'a run')`
    expect(await pagesOf(account, { request: 'a run' }, 1)).toHaveLength(3)
    expect(await pagesOf(account, { request: 'a run' }, 2, 7)).toHaveLength(3)
    expect(await pagesOf(account, { request: 'none' }, 2, 7)).toEqual([])
    const page = await ledgerPage(bench.database, account, { request: '3' }, 2, 7)
    expect(page).toEqual({ entries: [], next: expect.any(Number) })
  })
})

/** Entries that were read from the ledger since the database began. */
const rowsRead = (session: Database) =>
  session.use(async ({ sql }) => {
    await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<{ rows: number }[]>`
      select sum(seq_tup_read + idx_tup_fetch)::integer as rows from pg_stat_user_tables
       where relid in (select relid from pg_partition_tree('ledger'))`
    return row?.rows ?? 0
  })

describe('summing', () => {
  test('takes every entry of every account, whatever one statement takes', async () => {
    const accounts = [await newAccount(bench.sql, { credits: 500 }), await newAccount(bench.sql)]
    for (let call = 0; call < 5; call++) await bench.meter.charge(plainRead(accounts[0]!))
    for (const size of [{ accounts: 1, entries: 2 }, {}]) {
      await bench.meter.charge(plainRead(accounts[0]!))
      await sumLedger(bench.database, size)
      const [row] = await bench.sql`
        select count(*)::integer as behind from ledger l join accounts a on a.id = l.account_id
          left join ledger_folds f on f.account_id = l.account_id where l.sequence > coalesce(f.sequence, 0)`
      expect(row).toEqual({ behind: 0 })
    }
    expect(await usage(bench.database, accounts[0]!.id, 60, 'key')).toMatchObject([{ calls: 7 }])
  })

  test('it waits for no charge, and no charge for it', async () => {
    const account = await newAccount(bench.sql, { credits: 1_000 })
    await bench.meter.charge(plainRead(account))
    // A charge that is not committed yet.
    await bench.sql.begin(async (sql) => {
      await sql`select meter_grant(${account.id}, 'topup', 10, null, null)`
      await sumUp(account.id, 10)
      const [row] =
        await bench.sql`select sequence::integer from ledger_folds where account_id = ${account.id}`
      expect(row?.sequence).toBeGreaterThan(0)
    })
    await bench.sql.begin(async (sql) => {
      await sumUp(account.id, 10, sql)
      expect(await bench.meter.charge(plainRead(account))).toMatchObject({ outcome: 'charged' })
      expect(await bothOf(account.id, 0)).toMatchObject({
        told: [[expect.anything(), expect.anything(), account.key, 2, 10, expect.anything()]],
      })
    })
  })

  test('of two that sum up at once, the second finds what the first has added', async () => {
    const account = await newAccount(bench.sql, { credits: 100 })
    await bench.meter.charge(plainRead(account))
    let second: Promise<unknown> | undefined
    await bench.sql.begin(async (sql) => {
      await sumUp(account.id, 10, sql)
      second = sumUp(account.id, 10).execute()
      const isWaiting = async () => (await sql`select from pg_locks where not granted`).length > 0
      while (!(await isWaiting())) await Bun.sleep(10)
    })
    await second
    // Also since the very moment of the call.
    for (const sinceMs of [0, bench.clock.now()]) {
      const { told, added } = await bothOf(account.id, sinceMs)
      expect(told).toEqual(added)
    }
  })

  test('it reads no more of a long ledger than it takes, whatever the planner knows of others', async () => {
    const { id: busy } = await newAccount(bench.sql)
    await bench.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, endpoint, key_id)
      select case when n % 2 = 0 then ${busy}::uuid else others[1 + n % 40] end, now(), 'charge', -5, 0, '/v1/people', ${busy}
        from (select array_agg(gen_random_uuid()) as others from generate_series(1, 40)) o, generate_series(1, 20000) n`
    const session = connect({ url: bench.url, connections: 1, deadlineMs: PATIENCE_MS })
    const rows = () => rowsRead(session)
    await session.use(({ sql }) => sql`vacuum analyze ledger`)
    const before = await rows()
    await session.use(({ sql }) => sumUp(busy, 1_000, sql))
    expect((await rows()) - before).toBeLessThan(1_500)
    await session.close()
  })

  test('what pages ask reads no entry that is in the sums', async () => {
    const { id } = await newAccount(bench.sql)
    const [key, nowMs] = [await newKey(bench.sql, id), bench.clock.now()]
    await bench.sql`
      insert into ledger (account_id, at, kind, credits, balance_after, endpoint, key_id)
      select ${id}, to_timestamp(${nowMs}::float8 / 1000 - (4000 - n) * 600), 'charge', -5, 0,
             case when n > 5 then '/v1/people' else '/v1/old' end, ${key}
        from generate_series(1, 4000) n`
    await sumUp(id, 10_000)
    const unused = await newKey(bench.sql, id)
    const session = connect({ url: bench.url, connections: 1, deadlineMs: PATIENCE_MS })
    const rows = () => rowsRead(session)
    await session.use(({ sql }) => sql`vacuum analyze ledger`)
    const asked: [string, number, () => Promise<unknown>][] = [
      ['days', 0, () => creditsPerDay(session, id)],
      ['keys', 0, () => keysOf(session, id)],
      ['filters', 0, () => ledgerFilters(session, id)],
      ['a key that made no call', 0, () => ledgerPage(session, id, { key: unused })],
      ['an endpoint of the first day', 160, () => ledgerPage(session, id, { endpoint: '/v1/old' })],
      // It looks through the newest entries, twice.
      ['a request', 200, () => ledgerPage(session, id, { request: 'none' }, 50, 100)],
      // The day on which a week began.
      ['a week', 160, () => usage(session, id, 7 * 86_400, 'key')],
    ]
    for (const [what, most, ask] of asked) {
      const before = await rows()
      await ask()
      expect([what, (await rows()) - before < most + 150]).toEqual([what, true])
    }
    const days = await creditsPerDay(session, id)
    expect(days.reduce((sum, { calls }) => sum + calls, 0)).toBe(4_000)
    expect(await keysOf(session, id)).toMatchObject([
      { calls30Days: 0 },
      { calls30Days: 4_000 },
      { calls30Days: 0 },
    ])
    await session.close()
  })
})
