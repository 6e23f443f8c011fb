/** Calls without end from many clients, some of which are repeated with their idempotency key until their end is known. */
import { expect } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import { ADA, AURORA, BEN } from '../helpers/fixtures.ts'
import { startGivenTime } from '../helpers/given-time.ts'
import type { LoadAccount } from './load.ts'

const PATHS = [
  '/v1/people?limit=5',
  '/v1/search?q=aurora',
  `/v1/people/${ADA.id}?include=private`,
  `/v1/people/${BEN.slug}?include=private`,
  `/v1/projects/${AURORA.slug}`,
  '/v1/projects?sector=DeFi',
]
const PATIENCE_MS = 30_000
/** Not so many that repeats are over the rate, and few enough that a key's repeats outlast an outage. */
const REPEAT_MS = 100
const LIMIT_MS = 90_000

/** A call with its repeats, as the client saw its end. */
export interface Repeated {
  account: LoadAccount
  /** The request id of each try. */
  ids: string[]
  /** Status of the last try; 0 without an answer. */
  status: number
  charged: number
}

export type Load = ReturnType<typeof startLoad>

/** Calls `url` from so many clients at once, until it is stopped. */
export function startLoad(url: string, accounts: readonly LoadAccount[], connections: number) {
  const calls: Repeated[] = []
  /** Share of its time that a machine with five more processes gives to this one and its servers. */
  const clock = startGivenTime()
  /** When each charged answer came. */
  const chargedMs: number[] = []
  let isOver = false
  let next = 0

  async function call(): Promise<void> {
    const number = next++
    const account = accounts[number % accounts.length]
    const path = PATHS[(number + Math.floor(number / accounts.length)) % PATHS.length]
    if (!account) return
    const key = number % 2 === 0 ? randomUUID() : undefined
    const made: Repeated = { account, ids: [], status: 0, charged: 0 }
    calls.push(made)
    do {
      Object.assign(made, await tryOnce(`${url}${path}`, made, key))
      if (made.charged > 0) chargedMs.push(clock.now())
      if (made.status === 0 || made.status === 503) await pause(REPEAT_MS)
    } while (key && (made.status === 0 || made.status === 503))
  }

  const clients = Array.from({ length: connections }, async () => {
    while (!isOver) await call()
  })

  return {
    now: clock.now,
    /** Waits until so many more calls were charged. */
    async untilCharges(count: number) {
      const wanted = chargedMs.length + count
      const deadline = performance.now() + LIMIT_MS
      while (chargedMs.length < wanted) {
        if (performance.now() > deadline) throw new Error('nothing is charged any more')
        await pause(20)
      }
    },
    /** The longest time without a charged answer from then on, in milliseconds. @param sinceMs by `now` */
    longestGapSince(sinceMs: number): number {
      const times = [sinceMs, ...chargedMs.filter((time) => time > sinceMs)]
      return Math.max(...times.map((time, at) => time - (times[at - 1] ?? time)))
    },
    /** Lets calls in hand end. @returns all of them */
    async stop(): Promise<readonly Repeated[]> {
      isOver = true
      await Promise.all(clients)
      clock.stop()
      return calls
    },
  }
}

async function tryOnce(url: string, { account, ids }: Repeated, key: string | undefined) {
  const id = randomUUID()
  ids.push(id)
  try {
    const response = await fetch(url, {
      headers: {
        authorization: `Bearer ${account.key}`,
        'x-request-id': id,
        ...(key && { 'idempotency-key': key }),
      },
      // On a connection that it keeps, `fetch` sends a call again by itself when it ends without an answer.
      keepalive: false,
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const body = await response.json()
    return { status: response.status, charged: body.meta?.creditsCharged ?? 0 }
  } catch {
    return { status: 0, charged: 0 }
  }
}

interface Charge {
  account: string
  request: string
  credits: number
}

const chargesOf = (sql: postgres.Sql, accounts: readonly LoadAccount[]) =>
  sql<Charge[]>`
    select account_id as account, request_id as request, -credits as credits from ledger
     where account_id = any (${accounts.map(({ id }) => id)}::uuid[]) and request_id is not null`

/** Answered calls and their entries: how many answers said that they were charged and have none, and how many have more than one. */
export async function countedCharges(
  sql: postgres.Sql,
  accounts: readonly LoadAccount[],
  calls: readonly Repeated[],
) {
  const entries = Map.groupBy(await chargesOf(sql, accounts), ({ request }) => request)
  const counts = calls.map(({ ids, charged }) => ({
    charged,
    count: ids.reduce((sum, id) => sum + (entries.get(id)?.length ?? 0), 0),
  }))
  return {
    lost: counts.filter(({ charged, count }) => charged > 0 && count === 0).length,
    twice: counts.filter(({ count }) => count > 1).length,
  }
}

/** Each answer that was charged has its entry, once; balances are the sums of their entries, and unlocks are counted. */
export async function expectEachChargeOnce(
  sql: postgres.Sql,
  accounts: readonly LoadAccount[],
  calls: readonly Repeated[],
): Promise<void> {
  expect(await countedCharges(sql, accounts, calls)).toEqual({ lost: 0, twice: 0 })
  const entries = new Map((await chargesOf(sql, accounts)).map((it) => [it.request, it.credits]))
  for (const { ids, status, charged } of calls) {
    const last = entries.get(ids.at(-1) ?? '') ?? 0
    // The repeat of a charged try that got no answer isn't charged again.
    if (status === 200) expect(last).toBe(charged)
    else if (status !== 0 && status !== 503) expect(last).toBe(0)
  }
  const wrong = await sql`
    select a.id from accounts a
     where a.id = any (${accounts.map(({ id }) => id)}::uuid[])
       and (a.balance <> (select coalesce(sum(credits), 0) from ledger where account_id = a.id)
         or a.unlock_count <> (select count(*) from unlocks where account_id = a.id))`
  expect([...wrong]).toEqual([])
}
