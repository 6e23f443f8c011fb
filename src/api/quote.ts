/** Quotes: HEAD says the price and the end of the GET that would follow at once. The meter decides both by one rule. */
import type { ErrorCode } from '../contract/errors.ts'
import type { DirectoryReads } from '../directory/records/directory.ts'
import type { Outcome, OutcomeName } from '../money/charge/call.ts'
import type { RequestContext } from './context.ts'
import { type ApiEndpoint, NO_RECORDS, type Reading } from './routes/endpoint.ts'

/** Outcomes that come after the price is compared with the balance. */
const PRICED: ReadonlySet<OutcomeName> = new Set([
  'free',
  'quoted',
  'replayed',
  'sample',
  'insufficient',
  'key_cap',
  'not_found',
  'reveal_cap',
])

/** The reading of a quote: whether the record exists, without an answer. A list always exists. */
export function quoteReading(
  endpoint: ApiEndpoint,
  directory: DirectoryReads,
  id: string,
): Reading {
  return { ...NO_RECORDS, ...endpoint.find?.(directory, id) }
}

/** The headers of a quote. @param refusal the code of the GET's error; null for a 200 */
export function quoteHeaders(
  { quoted, caller }: RequestContext,
  refusal: ErrorCode | null,
): Record<string, string> {
  const isPriced = quoted !== undefined && PRICED.has(quoted.outcome)
  const outcome = refusal ?? (quoted && caller && answerOf(quoted, caller.contract.credits))
  return {
    ...(outcome && { 'service-outcome': outcome }),
    ...(isPriced && {
      'service-credits-required': String(quoted.outcome === 'replayed' ? 0 : quoted.required),
      'service-credits-balance': String(quoted.balance),
    }),
  }
}

/** The kind of a 200. @param credits the price of a call that is no first reveal */
function answerOf({ outcome, required }: Outcome, credits: number): string {
  if (outcome === 'sample' || outcome === 'replayed') return outcome
  return required > credits ? 'first_reveal' : 'live'
}
