/** Transport of calls to `meter_charge`, as the text of its SQL types. */
import { TIER_RULES, type TierRule } from '../../contract/tiers.ts'
import { type Connection, DatabaseUnavailable, errorCode } from '../../database/client.ts'
import type { Busy, Call, Outcome } from './call.ts'

/** The SQL type `meter_rule[]`, as text. */
const RULES = `{${Object.values(TIER_RULES).map(ruleAsText).join()}}`
/** The rules stand in the statement, so that each session reads them once. */
const STATEMENT = `
  select * from meter_charge($1::text::meter_call[], '${RULES}'::meter_rule[], $2::text::boolean[])`

function ruleAsText(rule: TierRule): string {
  const { tier, rateLimit, rateSeconds, revealLimit, revealSeconds, sampled, unlimited } = rule
  return `"(${tier},${rateLimit},${rateSeconds} s,${revealLimit},${revealSeconds} s,${sampled},${unlimited})"`
}

/** A call that can't be written as text, and was never sent. */
class UnsendableCall extends Error {
  override name = 'UnsendableCall'
  override message = 'a call of the meter holds a character it may not'
}

/** Decides and charges a group, at most one call per account, in one statement. @returns outcomes in that order. */
export async function chargeGroup(sql: Connection['sql'], calls: readonly Call[]) {
  const values = [callsAsText(calls), quotesAsText(calls)]
  return sql.unsafe<(Outcome | Busy)[]>(STATEMENT, values, { prepare: true })
}

/** The calls' `quote` as the SQL type `boolean[]`; empty where none is a quote. */
function quotesAsText(calls: readonly Call[]): string {
  if (!calls.some(({ quote }) => quote)) return '{}'
  return `{${calls.map(({ quote }) => quote === true).join()}}`
}

/** The SQL type `meter_call[]` as text, fields in the type's order: read in half the time that JSON takes. */
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
    ].join()
    // Nothing in a call needs quoting: ids, numbers, and texts that were checked where they came in.
    if (!FIFTEEN_UNQUOTED.test(fields)) throw new UnsendableCall()
    return `"(${fields})"`
  })
  return `{${text.join()}}`
}
const FIFTEEN_UNQUOTED = /^(?:[\w.:/{} -]*,){14}[\w.:/{} -]*$/

/**
 * Throws the error of a failed group. Calls that the server refused with an error code, or that were never sent, were certainly
 * not charged and may be tried one by one; any other error, such as the driver's own, leaves their end unknown.
 */
export function throwOutcome(error: unknown): never {
  const isCertain = error instanceof UnsendableCall || /^[0-9A-Z]{5}$/.test(errorCode(error) ?? '')
  if (isCertain || error instanceof DatabaseUnavailable) throw error
  throw new DatabaseUnavailable('the driver failed', { cause: error, isUnknown: true })
}
