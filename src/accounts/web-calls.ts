/**
 * What people do in the web application, charged by the same meter at the same prices: reads, reveals,
 * exports, bulk searches. The caller is the account's credential of the application, whose id is the
 * account's own (`drizzle/0004_users.sql`); the ledger shows it as `web`.
 */
import { createHash } from 'node:crypto'
import type { Call, Meter, Outcome, UnlockedContact } from '../metering/meter.ts'
import {
  documentedPath,
  type Endpoint,
  WEB_OPERATIONS,
  type WebOperation,
} from '../metering/prices.ts'

/** What a read of the directory found; names as in `Call`. */
export interface WebReading {
  found: boolean
  /** The contact whose unlock sets the price, if one person is read. */
  person: string | null
  /** The person asked for the channels, and there is something to reveal. */
  reveal: boolean
  /** Ids of the contacts on the page. */
  contacts: readonly string[]
  /** Whether the page shows the channels of those that are unlocked. */
  channels: boolean
}

export interface WebCallOptions {
  requestId: string
  /**
   * `key`: a random value that the form carried; `fingerprint`: what was asked for. The same again within a day
   * is charged once (D20a).
   */
  once?: { key: string; fingerprint: string } | undefined
}

export type WebOutcome =
  | { outcome: 'charged'; charged: number; balance: number; unlocked: readonly UnlockedContact[] }
  | { outcome: 'insufficient'; required: number; balance: number }
  | { outcome: 'not_found' }
  /** Over the rate, or this hour's first reveals are used up. */
  | { outcome: 'limited'; reason: 'rate' | 'reveals'; retryAfter: number }

const NO_READING = { person: null, reveal: false, contacts: [], channels: false }

/** One read or reveal. @throws DatabaseUnavailable */
export async function webCall(
  meter: Meter,
  accountId: string,
  endpoint: Endpoint,
  { found, ...reading }: WebReading,
  { requestId, once }: WebCallOptions,
): Promise<WebOutcome> {
  return answerOf(
    await meter.charge({
      ...callOf(accountId, requestId),
      ...reading,
      price: endpoint.credits,
      reveal_price: reading.reveal ? endpoint.revealCredits : endpoint.credits,
      record_exists: found,
      endpoint: documentedPath(endpoint.path),
      // Hashed: whatever a form holds, and apart from the keys that API clients choose.
      idempotency_key: once ? sha256(`web ${once.key}`) : null,
      fingerprint: once ? sha256(once.fingerprint) : null,
    }),
  )
}

/** How an export ended. */
export interface ExportEnd {
  rows: number
  charged: number
  /** Why it stopped before the last row; null where it didn't. */
  stopped: 'credits' | null
}

/**
 * The rows of an export, a hundred at a time, each hundred charged before it is handed out. Where credits end,
 * the export ends. Where the account is over its rate, it waits: nobody looks at a file that is being written.
 * @param pause waits so many seconds.
 * @throws DatabaseUnavailable
 */
export async function* exportRows<T>(
  meter: Meter,
  accountId: string,
  requestId: string,
  rows: readonly T[],
  pause: (seconds: number) => Promise<void> = wait,
): AsyncGenerator<readonly T[], ExportEnd> {
  const { rows: perUnit } = WEB_OPERATIONS.csvExport
  const end: ExportEnd = { rows: 0, charged: 0, stopped: null }
  while (end.rows < rows.length) {
    const outcome = await chargeUnits(meter, accountId, WEB_OPERATIONS.csvExport, 1, requestId)
    if (outcome.outcome === 'limited') {
      await pause(outcome.retryAfter)
      continue
    }
    if (outcome.outcome !== 'charged') return { ...end, stopped: 'credits' }
    const next = rows.slice(end.rows, end.rows + perUnit)
    end.rows += next.length
    end.charged += outcome.charged
    yield next
  }
  return end
}

/**
 * `lines` lines of a bulk search, in one charge: all of them, else as many as the balance covers.
 * @returns how many may be answered; 0 goes with the refusal.
 */
export async function chargeLines(
  meter: Meter,
  accountId: string,
  lines: number,
  requestId: string,
): Promise<{ lines: number; outcome: WebOutcome }> {
  const operation = WEB_OPERATIONS.bulkSearch
  const outcome = await chargeUnits(meter, accountId, operation, lines, requestId)
  if (outcome.outcome === 'charged') return { lines, outcome }
  const affordable =
    outcome.outcome === 'insufficient' ? Math.floor(outcome.balance / operation.credits) : 0
  if (affordable <= 0) return { lines: 0, outcome }
  const rest = await chargeUnits(meter, accountId, operation, affordable, requestId)
  return { lines: rest.outcome === 'charged' ? affordable : 0, outcome: rest }
}

/** Credits of an export of so many rows: what is said before it begins. */
export function exportCredits(rows: number): number {
  const { credits, rows: perUnit } = WEB_OPERATIONS.csvExport
  return Math.ceil(rows / perUnit) * credits
}

async function chargeUnits(
  meter: Meter,
  accountId: string,
  operation: WebOperation,
  units: number,
  requestId: string,
): Promise<WebOutcome> {
  const price = operation.credits * units
  return answerOf(
    await meter.charge({
      ...callOf(accountId, requestId),
      ...NO_READING,
      price,
      reveal_price: price,
      record_exists: true,
      endpoint: operation.path,
      idempotency_key: null,
      fingerprint: null,
    }),
  )
}

function callOf(accountId: string, requestId: string) {
  const call = { account: accountId, key: accountId, refusal: null, identity: false }
  return { ...call, request_id: requestId } satisfies Partial<Call>
}

function answerOf(outcome: Outcome): WebOutcome {
  const { charged, balance, required, nowMs } = outcome
  switch (outcome.outcome) {
    case 'charged':
    case 'replayed':
      return { outcome: 'charged', charged, balance, unlocked: outcome.unlocked ?? [] }
    case 'sample':
    case 'insufficient':
      return { outcome: 'insufficient', required, balance }
    case 'rate_limited':
      return {
        outcome: 'limited',
        reason: 'rate',
        retryAfter: secondsUntil(outcome.rateResetMs, nowMs),
      }
    case 'reveal_cap':
      return {
        outcome: 'limited',
        reason: 'reveals',
        retryAfter: secondsUntil(outcome.revealResetMs ?? nowMs, nowMs),
      }
    // `revoked`: there is no such account. `key_reused`: the form's value was made for another page.
    default:
      return { outcome: 'not_found' }
  }
}

function secondsUntil(untilMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((untilMs - nowMs) / 1_000))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
}
