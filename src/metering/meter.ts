/**
 * The meter as the API sees it: one call in, one outcome out. The rules themselves stand in
 * `drizzle/functions/charge.sql`; this file sends calls there in groups, and refuses by itself only where
 * the database has already said no for the rest of a window.
 */
import { LRUCache } from 'lru-cache'
import {
  REJECTED_KEYS_LIMIT,
  REJECTED_KEYS_SECONDS,
  TIER_RULES,
  type Tier,
  type TierRule,
} from '../contract/tiers.ts'
import type { PrivateChannels } from '../contract/vocabulary.ts'
import {
  type Connection,
  type Database,
  DatabaseUnavailable,
  errorCode,
} from '../database/client.ts'
import { GroupCommit } from './group-commit.ts'

/** One call to decide. Names are those of the SQL type `meter_call`, which explains each. */
export interface Call {
  account: string
  key: string
  /** Credits; 0 for a call that is free. */
  price: number
  reveal_price: number
  refusal: 'parameters' | 'scope' | null
  record_exists: boolean
  person: string | null
  reveal: boolean
  /** Ids of the contacts in the answer. */
  contacts: readonly string[]
  channels: boolean
  identity: boolean
  idempotency_key: string | null
  fingerprint: string | null
  request_id: string
  endpoint: string
}

export type OutcomeName =
  | 'revoked'
  | 'rate_limited'
  | 'refused'
  | 'key_reused'
  | 'free'
  | 'sample'
  | 'insufficient'
  | 'not_found'
  | 'replayed'
  | 'reveal_cap'
  | 'charged'

/** A contact in the answer that the account has unlocked; its channels are null unless they were asked for. */
export interface UnlockedContact extends PrivateChannels {
  id: string
}

/** Everything that `meta`, the headers and `/v1/me` say, from the same committed row (D6). */
export interface Outcome {
  outcome: OutcomeName
  /** Credits taken by this call. */
  charged: number
  /** Credits that this call costs, or would have cost. */
  required: number
  balance: number
  tier: Tier
  rateLimit: number
  rateRemaining: number
  /** Epoch milliseconds of the database's clock. */
  rateResetMs: number
  revealResetMs: number | null
  nowMs: number
  unlocked: UnlockedContact[] | null
  account: { name: string; email: string; organization: string | null } | null
}

/** Another transaction holds the account: nothing was decided or counted. */
export interface Busy {
  outcome: 'busy'
}

/** How an address stands with its failed authentications (D23). */
export interface RejectedAddress {
  /** More than the limit: the answer is 429, not 401. */
  over: boolean
  limit: number
  remaining: number
  resetMs: number
  nowMs: number
}

export interface Meter {
  /**
   * Decides and charges one call.
   * @throws DatabaseUnavailable; where it `isUnknown`, the call may have been charged, once at most. After
   *   any other error nothing was charged.
   */
  charge(call: Call): Promise<Outcome>
  /** The account's refusal, where the database has said lately that it is over its rate: nothing need be read. */
  refused(account: string): Outcome | undefined
  /** Counts a failed authentication of `address`. @throws DatabaseUnavailable */
  reject(address: string): Promise<RejectedAddress>
  /** What this instance knows of an address without asking: for headers where no key is read (D9). */
  standing(address: string): RejectedAddress
  /** Drops every refusal that is remembered: for whoever moves the clock, or wants a new tier to count at once. */
  forget(): void
}

/** A tier that changed must be seen within a second, so no refusal from memory lasts longer. */
const MAX_REFUSAL_MS = 1_000

/** Accounts and addresses whose refusals are remembered. */
const MAX_REFUSED = 10_000

/** The SQL type `meter_rule[]`, as text. */
const RULES = `{${Object.values(TIER_RULES).map(ruleAsText).join()}}`

function ruleAsText(rule: TierRule): string {
  const { tier, rateLimit, rateSeconds, revealLimit, revealSeconds, sampled, unlimited } = rule
  return `"(${tier},${rateLimit},${rateSeconds} s,${revealLimit},${revealSeconds} s,${sampled},${unlimited})"`
}

interface Remembered<T> {
  until: number
  sentAt: number
  answer: T
}

/**
 * @param database its connections are the groups that may be in flight; nothing else should use it.
 * @param maxWaitMs how long a call may wait for its turn before it is refused.
 */
export function createMeter(database: Database, groupsInFlight = 2, maxWaitMs = 900): Meter {
  const overRate = new LRUCache<string, Remembered<Outcome>>({ max: MAX_REFUSED })
  const addresses = new LRUCache<string, Remembered<RejectedAddress>>({ max: MAX_REFUSED })
  const group = new GroupCommit<Call, Outcome | Busy>({
    commit,
    isBusy: (outcome) => outcome.outcome === 'busy',
    // Calls that were waiting when the database refused their account.
    known: ({ account }) => refused(account),
    maxGroupsInFlight: groupsInFlight,
    maxWaitMs,
  })

  async function commit(calls: readonly Call[]) {
    // Counted from before the question, so that a refusal ends no later than the database's own window.
    const sentAt = performance.now()
    const outcomes = await database.use(({ sql }) => chargeGroup(sql, calls)).catch(rethrow)
    calls.forEach(({ account }, position) => {
      const answer = outcomes[position]
      if (answer?.outcome !== 'rate_limited') return
      const leftMs = Math.min(answer.rateResetMs - answer.nowMs, MAX_REFUSAL_MS)
      overRate.set(account, { until: sentAt + leftMs, sentAt, answer })
    })
    return outcomes
  }

  function refused(account: string): Outcome | undefined {
    const known = overRate.get(account)
    if (known && performance.now() < known.until) return elapsed(known)
  }

  async function charge(call: Call): Promise<Outcome> {
    return refused(call.account) ?? ((await group.submit(call)) as Outcome)
  }

  async function reject(address: string): Promise<RejectedAddress> {
    const known = addresses.get(address)
    if (known?.answer.over && performance.now() < known.until) return elapsed(known)
    const sentAt = performance.now()
    const answer = await rejectAddress(database, address)
    addresses.set(address, { until: sentAt + answer.resetMs - answer.nowMs, sentAt, answer })
    return answer
  }

  function standing(address: string): RejectedAddress {
    const known = addresses.get(address)
    if (known && performance.now() < known.until) return elapsed(known)
    const nowMs = Date.now()
    return {
      over: false,
      limit: REJECTED_KEYS_LIMIT,
      remaining: REJECTED_KEYS_LIMIT,
      resetMs: nowMs + REJECTED_KEYS_SECONDS * 1_000,
      nowMs,
    }
  }

  function forget() {
    overRate.clear()
    addresses.clear()
  }

  return { charge, refused, reject, standing, forget }
}

function elapsed<T extends { nowMs: number }>({ answer, sentAt }: Remembered<T>): T {
  return { ...answer, nowMs: answer.nowMs + Math.floor(performance.now() - sentAt) }
}

/** A call that was never sent, because it can't be written as text. */
class UnsendableCall extends Error {
  override name = 'UnsendableCall'
  override message = 'a call of the meter holds a character it may not'
}

/**
 * Only what the server turned away, or was never sent, has certainly not happened, and may be tried
 * again call by call. Any other error (the driver's own) leaves that open: it is an outage.
 */
function rethrow(error: unknown): never {
  const isCertain = error instanceof UnsendableCall || /^[0-9A-Z]{5}$/.test(errorCode(error) ?? '')
  if (isCertain || error instanceof DatabaseUnavailable) throw error
  throw new DatabaseUnavailable('the driver failed', { cause: error, isUnknown: true })
}

/**
 * The SQL type `meter_call[]` as text, fields in the type's order; an empty one is null. Text of
 * composites, because the database takes it apart in half the time that JSON costs it.
 */
function callsAsText(calls: readonly Call[]): string {
  const text = calls.map((call) => {
    const fields = [
      call.account,
      call.key,
      call.price,
      call.reveal_price,
      call.refusal,
      call.record_exists,
      call.person,
      call.reveal,
      call.contacts.join(' '),
      call.channels,
      call.identity,
      call.idempotency_key,
      call.fingerprint,
      call.request_id,
      call.endpoint,
    ]
    // Nothing in a call needs quoting: ids, numbers, and texts that were checked where they came in.
    if (!UNQUOTED.test(fields.join(''))) throw new UnsendableCall()
    return `"(${fields.join()})"`
  })
  return `{${text.join()}}`
}
const UNQUOTED = /^[\w.:/{} -]*$/

/**
 * Decides and charges a group in one statement.
 * @param calls at most one per account.
 * @returns outcomes in the calls' order.
 */
export async function chargeGroup(
  sql: Connection['sql'],
  calls: readonly Call[],
): Promise<readonly (Outcome | Busy)[]> {
  return sql<(Outcome | Busy)[]>`
    select * from meter_charge(${callsAsText(calls)}::text::meter_call[], ${RULES}::text::meter_rule[])`
}

async function rejectAddress(database: Database, address: string): Promise<RejectedAddress> {
  return database.use(async ({ sql }) => {
    const [row] = await sql<{ answer: { count: number; resetMs: number; nowMs: number } }[]>`
      select meter_reject(${address}, ${REJECTED_KEYS_SECONDS}::integer) as answer`
    if (!row) throw new Error('the database did not count a rejected key')
    const { count, resetMs, nowMs } = row.answer
    return {
      over: count > REJECTED_KEYS_LIMIT,
      limit: REJECTED_KEYS_LIMIT,
      remaining: Math.max(0, REJECTED_KEYS_LIMIT - count),
      resetMs,
      nowMs,
    }
  })
}
