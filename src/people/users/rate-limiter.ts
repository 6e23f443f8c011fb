/** A rate limiter of fixed windows, counted in one small PostgreSQL statement, so that instances share the counts. */
import { LRUCache } from 'lru-cache'
import { type Tier, tierHas } from '../../contract/tiers.ts'
import type { Connection, Database } from '../../database/client.ts'
import { isTrue } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'

export interface Limit {
  limit: number
  seconds: number
}

/** A window to count in. `limit: null` counts and refuses nothing. */
export interface Window {
  /** Name of the counter: `link address 192.0.2.1`. E-mail addresses are hashed. */
  subject: string
  limit: number | null
  seconds: number
}

/** One attempt more: how many the window has counted with it, and the whole seconds until the window ends. */
export interface WindowCount {
  count: number
  endsIn: number
}

/** Attempts per client address. Limits on passwords are in `password-check.ts`, those on mails in `mail-queue.ts`. */
export const RATE_LIMITS = {
  signUp: { address: { limit: 10, seconds: 3_600 } },
  /** Asking for a mail: to reset a password, or to change an address. */
  reset: { address: { limit: 10, seconds: 3_600 } },
  /** Opening links of resets, confirmations and invitations. */
  link: { address: { limit: 60, seconds: 900 } },
  /** Pages of the directory for visitors who are not signed in. */
  visit: { address: { limit: 200, seconds: 600 } },
  /** Suggestions for the same visitors: six for each page. */
  suggestions: { address: { limit: 1_200, seconds: 600 } },
} as const satisfies Record<string, { address: Limit }>

export interface Attempt {
  kind: keyof typeof RATE_LIMITS
  /** The client's, as `limitedAs` gives it. */
  address: string
}

/** How long a refusal is repeated without asking the database: a flood of one address must not reach it. */
const REFUSED_MS = 1_000
const MAX_REFUSED = 10_000

type AttemptAnswer = { allowed: boolean; count: number; retryAfter: number }

/** Refusals of each database, by kind and address. */
const refusals = new WeakMap<Database, LRUCache<string, AttemptAnswer>>()

function refusalsOf(database: Database) {
  const existing = refusals.get(database)
  if (existing) return existing
  const cache = new LRUCache<string, AttemptAnswer>({ max: MAX_REFUSED, ttl: REFUSED_MS })
  refusals.set(database, cache)
  return cache
}

/** Drops the refusals that are remembered, for tests that move the clock or empty the accounts. */
export function forgetRefusals(database: Database) {
  refusals.delete(database)
}

/** Counts one attempt more. @returns `retryAfter` in whole seconds, 0 where allowed. @throws DatabaseUnavailable */
export async function countAttempt(
  database: Database,
  { kind, address }: Attempt,
): Promise<AttemptAnswer> {
  const { address: limit } = RATE_LIMITS[kind]
  const window = { subject: `${kind} address ${address}`, ...limit }
  const cache = refusalsOf(database)
  const refusal = cache.get(window.subject)
  if (refusal) return refusal
  const counts = await (isOfPages(kind) ? countPages : countWindows)(database, [window])
  const over = firstOver([window], counts)
  const count = counts[0]?.count ?? 0
  const answer = { allowed: !over, count, retryAfter: over?.endsIn ?? 0 }
  if (over) cache.set(window.subject, answer)
  return answer
}

/** Pages and suggestions, which come by the dozen. */
const isOfPages = (kind: Attempt['kind']) => kind === 'visit' || kind === 'suggestions'

/** The first count that is over its window's limit; undefined if none is. @param counts the result of `countWindows` */
export function firstOver(
  windows: readonly Window[],
  counts: readonly WindowCount[],
): WindowCount | undefined {
  return counts.find(({ count }, index) => count > (windows[index]?.limit ?? count))
}

/**
 * Counts one attempt more in each window, up to the first that is over its limit: one address can't use up what
 * belongs to others. Callers name windows of different kinds in one order. @returns those that were counted, in order.
 */
export function countWindows(
  database: Database,
  windows: readonly Window[],
): Promise<WindowCount[]> {
  return database.use(
    ({ sql }) => sql<WindowCount[]>`
      select turn_count as count, ends_in as "endsIn" from ${turnsOf(sql, windows)}`,
  )
}

/**
 * Counts windows of reading alone, like `countWindows`: the statement doesn't wait until its commit is on the disk, where it would
 * hold up charges that wait for the same. When PostgreSQL crashes, what was counted in the last second may be lost.
 */
export function countPages(database: Database, windows: readonly Window[]): Promise<WindowCount[]> {
  return database.use(
    // The setting ends with the statement.
    ({ sql }) => sql<WindowCount[]>`
      select turn_count as count, ends_in as "endsIn"
        from (select set_config('synchronous_commit', 'off', true)) quick, ${turnsOf(sql, windows)}`,
  )
}

/** Tells whether a window has counted something and has not ended. */
export async function isCounted(database: Database, subject: string): Promise<boolean> {
  return database.use(({ sql }) =>
    isTrue(
      sql`select exists (select from turns where subject = ${subject} and ends_at > meter_now())`,
    ),
  )
}

function turnsOf(sql: Connection['sql'], windows: readonly Window[]) {
  return sql`
    count_turns(${textArray(windows.map(({ subject }) => subject))}::text[],
                ${textArray(windows.map(({ limit }) => limit))}::integer[],
                ${textArray(windows.map(({ seconds }) => seconds))}::integer[])`
}

/**
 * Takes a counted attempt back from these subjects. Locks them in the order given, as `count_turns` does, so that
 * counting and refunding at once don't deadlock.
 */
export async function refundWindows(database: Database, subjects: string[]): Promise<void> {
  const list = textArray(subjects)
  await database.use(
    ({ sql }) => sql`
      with locked as (
        select subject from turns where subject = any (${list}::text[])
         order by array_position(${list}::text[], subject) for no key update
      )
      update turns t set count = greatest(0, t.count - 1) from locked where t.subject = locked.subject`,
  )
}

/** Pages of the directory that an account may read: more than a person does, fewer than a program wants. */
export interface PageQuota {
  perMinute: number
  perDay: number
}

/** The members of a workspace read together. */
const WORKSPACE_FACTOR = 5

/** Factor for suggestions while typing: six lists of eight names hold no more than a page of fifty. */
const SUGGESTIONS_FACTOR = 6

/** Counts one page or one list of suggestions more, exactly between instances. @returns whole seconds to wait, 0 where allowed. @throws DatabaseUnavailable */
export async function countPage(
  database: Database,
  { perMinute, perDay }: PageQuota,
  { id, tier }: { id: string; tier: Tier },
  what: 'pages' | 'suggestions' = 'pages',
): Promise<number> {
  const ofPlan = tierHas(tier, 'workspace') ? WORKSPACE_FACTOR : 1
  const factor = what === 'suggestions' ? ofPlan * SUGGESTIONS_FACTOR : ofPlan
  const windows = [
    { subject: `${what} minute ${id}`, limit: perMinute * factor, seconds: 60 },
    { subject: `${what} day ${id}`, limit: perDay * factor, seconds: 86_400 },
  ]
  return firstOver(windows, await countPages(database, windows))?.endsIn ?? 0
}
