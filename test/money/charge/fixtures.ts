/** A database with the meter in it, a clock to set, and short ways to make and read accounts. */
import { expect } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from 'postgres'
import type { GrantSource, PlanName, Tier } from '../../../src/contract/tiers.ts'
import { PLANS } from '../../../src/contract/tiers.ts'
import type { Call, Outcome } from '../../../src/money/charge/call.ts'
import { createMeter, type Meter } from '../../../src/money/charge/meter.ts'
import { type Clock, startClock } from '../../helpers/clock.ts'
import { PATIENCE_MS } from '../../helpers/limit.ts'
import { type TestDatabase, testDatabase } from '../../helpers/postgres.ts'
import { shared } from '../../helpers/shared.ts'
import type { TestAccount } from './calls.ts'

export * from './calls.ts'

export const START = '2026-01-31T10:00:00.000Z'

export interface LedgerEntry {
  kind: string
  credits: number
  balance: number
  request: string | null
  person: string | null
  at: string
}

export interface Bench extends TestDatabase {
  clock: Clock
  meter: Meter
  /** Another instance of the service: it shares nothing with `meter` but the database. */
  anotherMeter(): Meter
}

export async function meterBench(connections?: number): Promise<Bench> {
  const test = await testDatabase(connections)
  const clock = await startClock(test.sql, START)
  const anotherMeter = () => createMeter(test.database, { maxWaitMs: PATIENCE_MS })
  return { ...test, clock, meter: anotherMeter(), anotherMeter }
}

/** A bench that the tests of a file share. After them the books of all its accounts balance. */
export function sharedBench(): Bench {
  return shared(meterBench, async ({ sql, drop }) => {
    await expectBooksToBalance(sql)
    await drop()
  })
}

/** An account with one key, and with credits that never expire if any are asked for. */
export async function newAccount(
  sql: Sql,
  { tier = 'free', credits = 0 }: { tier?: Tier; credits?: number } = {},
): Promise<TestAccount> {
  const [account] = await sql<{ id: string }[]>`
    insert into accounts (name, email, tier) values ('Ada', 'ada@example.com', ${tier}) returning id`
  const id = account!.id
  const key = await newKey(sql, id)
  if (credits > 0) await grant(sql, id, 'topup', credits)
  return { id, key }
}

export async function newKey(sql: Sql, account: string): Promise<string> {
  const [key] = await sql<{ id: string }[]>`
    insert into api_keys (account_id, hash, prefix, label)
    values (${account}, ${randomUUID()}, 'ck_live_test', 'test') returning id`
  return key!.id
}

/** A contact; `channels: false` leaves nothing on file. */
export async function newContact(sql: Sql, channels = true): Promise<string> {
  const id = randomUUID()
  await sql`insert into people (id, first_name, last_name) values (${id}, 'Grace', 'Hopper')`
  if (channels) {
    await sql`
      insert into private_channels (person_id, email, telegram)
      values (${id}, 'grace@example.com', '@grace')`
  }
  return id
}

/** `lasts` is an interval (`7 days`) or an ISO time; null is for ever. */
export async function grant(
  sql: Sql,
  account: string,
  source: GrantSource,
  amount: number,
  lasts: string | null = null,
): Promise<number | null> {
  const iso = lasts?.includes('T') ? lasts : null
  const [row] = await sql<{ balance: string | null }[]>`
    select meter_grant(${account}, ${source}, ${amount}, ${iso ? null : lasts}::interval,
                       ${iso}::text::timestamptz) as balance`
  return row?.balance == null ? null : Number(row.balance)
}

export async function startPlan(sql: Sql, account: string, name: PlanName, renews = false) {
  const { tier, credits } = PLANS[name]
  const [row] = await sql<{ done: boolean }[]>`
    select meter_start_plan(${account}, ${name}, ${tier}, ${credits ?? 0}, ${renews}) as done`
  return row?.done
}

export async function stopPlan(sql: Sql, account: string, atEnd = false) {
  const [row] = await sql<{ done: boolean }[]>`
    select meter_stop_plan(${account}, ${atEnd}) as done`
  return row?.done
}

/** Makes `count` calls one after another; the last outcome. */
export async function repeat(meter: Meter, count: number, call: () => Call): Promise<Outcome> {
  let outcome: Outcome | undefined
  for (let made = 0; made < count; made++) outcome = await meter.charge(call())
  return outcome!
}

export async function ledgerOf(sql: Sql, account: string): Promise<LedgerEntry[]> {
  const rows = await sql`
    select kind, credits, balance_after, request_id, person_id, at
      from ledger where account_id = ${account} order by sequence`
  return rows.map((row) => ({
    kind: row.kind,
    credits: row.credits,
    balance: Number(row.balance_after),
    request: row.request_id,
    person: row.person_id,
    at: new Date(row.at).toISOString(),
  }))
}

interface AccountRow {
  tier: Tier
  balance: number
  rate_count: number
  reveal_count: number
  unlock_count: number
  plan: string | null
  plan_ends_at: Date | null
}

export async function accountOf(sql: Sql, account: string): Promise<AccountRow> {
  const [row] = await sql<AccountRow[]>`
    select tier, balance::integer, rate_count, reveal_count, unlock_count, plan, plan_ends_at
      from accounts where id = ${account}`
  return row!
}

/** What is left of each grant, soonest to expire first. */
export async function grantsOf(sql: Sql, account: string) {
  const rows = await sql`
    select source, amount, unspent from meter_grants(${account})
     order by expires_at nulls last, created_at`
  return rows.map((row) => [row.source, row.amount, Number(row.unspent)])
}

/** For every account of the database: balance, ledger and grants tell the same story. */
export async function expectBooksToBalance(sql: Sql) {
  const wrong = await sql`
    select a.id, a.balance, a.unallotted, l.credits as ledger, g.credits as grants, u.unlocks, a.unlock_count
      from accounts a
      cross join lateral (select coalesce(sum(credits), 0) as credits from ledger where account_id = a.id) l
      cross join lateral (select coalesce(sum(remaining), 0) as credits from credit_grants where account_id = a.id) g
      cross join lateral (select count(*) as unlocks from unlocks where account_id = a.id) u
     where a.balance <> l.credits or a.balance + a.unallotted <> g.credits
        or a.unallotted < 0 or a.unlock_count <> u.unlocks`
  expect([...wrong]).toEqual([])
  const broken = await sql`
    select account_id, sequence, credits, balance_after, before from (
      select *, coalesce(lag(balance_after) over (partition by account_id order by sequence), 0) as before
        from ledger) entries
     where balance_after <> before + credits`
  expect([...broken]).toEqual([])
}
