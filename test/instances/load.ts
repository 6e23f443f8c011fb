/** A mixed load over HTTP, and what must hold of the ledger afterwards. */
import { expect } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type postgres from 'postgres'
import { TIER_RULES, TIERS, type Tier } from '../../src/contract/tiers.ts'
import type { Database } from '../../src/database/client.ts'
import { newCaller } from '../helpers/caller.ts'
import { ADA, AURORA, BEN } from '../helpers/fixtures.ts'

/**
 * How many workers each of two instances has. Unless INSTANCE_WORKERS says otherwise (`2,2`), one process shares
 * limits and balances with a service of two workers.
 */
export const INSTANCE_WORKERS = (
  process.env.INSTANCE_WORKERS ?? (process.platform === 'linux' ? '1,2' : '1,1')
).split(',')

/** The worker processes of a service, by its own process; none where it is alone. */
export function workersOf({ pid }: { pid: number }): number[] {
  if (process.platform !== 'linux') return []
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

export interface LoadAccount {
  id: string
  key: string
  tier: Tier
}

/** One call as the client saw it. */
export interface Seen {
  requestId: string
  account: LoadAccount
  /** 0 where no answer came. */
  status: number
  /** `error.code`, or undefined. */
  code: string | undefined
  charged: number
  rateReset: string | null
  tookMs: number
}

const PATHS = [
  '/v1/search?q=aurora',
  '/v1/people?limit=5',
  '/v1/projects?sector=DeFi',
  `/v1/people/${ADA.id}?include=private`,
  `/v1/people/${BEN.slug}?include=private`,
  `/v1/people/${ADA.slug}`,
  `/v1/projects/${AURORA.slug}`,
  '/v1/projects/nothing-of-this-name',
  '/v1/investors?limit=x',
  '/v1/me',
]

/** Accounts of every tier, with few and with many credits. */
export async function loadAccounts(database: Database, count: number): Promise<LoadAccount[]> {
  const accounts: LoadAccount[] = []
  for (let number = 0; number < count; number++) {
    const tier = TIERS[number % TIERS.length] ?? 'free'
    const credits = number % 3 === 0 ? 103 : 5_000
    accounts.push({ ...(await newCaller(database, { tier, credits })), tier })
  }
  return accounts
}

export interface LoadOptions {
  urls: readonly string[]
  accounts: readonly LoadAccount[]
  connections: number
  calls: number
  /** Longest that a client waits, in milliseconds. */
  patienceMs?: number
  /** The host that is asked for, where a proxy answers for several. */
  host?: string
}

export type PlannedCall = Pick<Seen, 'requestId' | 'account'> & { path: string }

/** The calls of a load: every path early on, and in time every account on every path. */
export function callsOf(accounts: readonly LoadAccount[], count: number): PlannedCall[] {
  const calls: PlannedCall[] = []
  for (let number = 0; number < count; number++) {
    const account = accounts[number % accounts.length]
    const path = PATHS[(number + Math.floor(number / accounts.length)) % PATHS.length]
    if (account && path) calls.push({ requestId: randomUUID(), account, path })
  }
  return calls
}

/** Makes `calls` calls from `connections` clients at once, over the instances and accounts in turn. */
export async function load({
  urls,
  accounts,
  connections,
  calls,
  patienceMs = 30_000,
  host,
}: LoadOptions): Promise<Seen[]> {
  const seen: Seen[] = []
  const planned = callsOf(accounts, calls)
  let next = 0
  async function client() {
    while (next < planned.length) {
      const number = next++
      const url = urls[number % urls.length]
      const plan = planned[number]
      if (plan) seen.push(await call(`${url}${plan.path}`, plan, patienceMs, host))
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  return seen
}

async function call(
  url: string,
  { requestId, account }: PlannedCall,
  patienceMs: number,
  host?: string,
): Promise<Seen> {
  const startedMs = performance.now()
  const result = { requestId, account, code: undefined, charged: 0, rateReset: null }
  try {
    const response = await fetch(url, {
      headers: {
        authorization: `Bearer ${account.key}`,
        'x-request-id': requestId,
        ...(host && { host }),
      },
      // On a connection that it keeps, `fetch` sends a call again by itself when the connection ends without an answer:
      // the first of the two may have been charged by a worker that was killed.
      keepalive: false,
      signal: AbortSignal.timeout(patienceMs),
    })
    const body = await response.json()
    expect(response.headers.get('x-request-id')).toBe(requestId)
    return {
      ...result,
      status: response.status,
      code: body.error?.code,
      charged: body.meta?.creditsCharged ?? 0,
      rateReset: response.headers.get('x-ratelimit-reset'),
      tookMs: performance.now() - startedMs,
    }
  } catch {
    return { ...result, status: 0, tookMs: performance.now() - startedMs }
  }
}

/** No answer, or one that may say that nobody knows whether the call was charged: the service's own, and of proxies. */
const UNKNOWN = new Set([0, 502, 503, 504])

/** No money lost or made: what the clients were told is what the ledger says. */
export async function expectLedgerToAgree(
  sql: postgres.Sql,
  accounts: readonly LoadAccount[],
  seen: readonly Seen[],
): Promise<void> {
  const rows = await sql<{ account: string; request: string | null; credits: number }[]>`
    select account_id as account, request_id as request, credits from ledger
     where account_id = any (${accounts.map(({ id }) => id)}::uuid[])`
  const balances = await sql<{ id: string; balance: number; unlocks: number; kept: number }[]>`
    select id, balance::integer, unlock_count as unlocks,
           (select count(*)::integer from unlocks u where u.account_id = a.id) as kept
      from accounts a`
  for (const account of accounts) {
    const { balance, unlocks, kept } = balances.find(({ id }) => id === account.id) ?? {
      balance: -1,
      unlocks: -1,
      kept: -2,
    }
    const entries = rows.filter((row) => row.account === account.id)
    expect(entries.reduce((sum, { credits }) => sum + credits, 0)).toBe(balance)
    expect(kept).toBe(unlocks)
    if (!TIER_RULES[account.tier].unlimited) expect(balance).toBeGreaterThanOrEqual(0)
  }
  const entriesOf = new Map<string, number[]>()
  for (const { request, credits } of rows) {
    if (request !== null) entriesOf.set(request, [...(entriesOf.get(request) ?? []), -credits])
  }
  for (const { requestId, status, charged } of seen) {
    const entries = entriesOf.get(requestId) ?? []
    if (status === 200) expect(entries).toEqual(charged > 0 ? [charged] : [])
    // Without an answer nobody can know; but never twice, and an error of the service means nothing.
    else if (UNKNOWN.has(status)) expect(entries.length).toBeLessThanOrEqual(1)
    else expect(entries).toEqual([])
    entriesOf.delete(requestId)
  }
  expect([...entriesOf.keys()]).toEqual([])
}

/** Expects that no window let more calls through than the limit allows. */
export function expectLimitsToHold(seen: readonly Seen[]): void {
  const admitted = new Map<string, number>()
  for (const { account, status, code, rateReset } of seen) {
    if (status === 0 || status === 503 || code === 'rate_limited') continue
    const window = `${account.id} ${rateReset}`
    admitted.set(window, (admitted.get(window) ?? 0) + 1)
  }
  for (const [window, count] of admitted) {
    const account = seen.find((one) => window.startsWith(one.account.id))?.account
    const { rateLimit, rateSeconds } = TIER_RULES[account?.tier ?? 'free']
    // The header is in whole seconds: of a one-second window two may round to the same one.
    expect(count).toBeLessThanOrEqual(rateSeconds === 1 ? 2 * rateLimit : rateLimit)
  }
}
