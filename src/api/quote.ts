/** What HEAD says: the price and the end of the GET that would follow at once. The meter decides both by one rule. */
import type { ErrorCode } from '../contract/errors.ts'
import type { DirectoryReads } from '../directory/records/directory.ts'
import type { Outcome, OutcomeName } from '../money/charge/call.ts'
import type { RequestContext } from './context.ts'
import { type ApiEndpoint, NO_RECORDS, type Reading } from './endpoint.ts'

/** Outcomes in which a price was compared with a balance. The others are decided before that. */
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

/** What a quote needs to know of the directory: whether the record is there, and no answer. A list always is. */
export function quoteReading(
  endpoint: ApiEndpoint,
  directory: DirectoryReads,
  id: string,
): Reading {
  return { ...NO_RECORDS, ...endpoint.find?.(directory, id) }
}

/** The headers of a quote. @param refusal the code of the error that the GET would get, if it would get one */
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

/** How the GET would be answered with a 200. @param credits of a call that reveals nothing for the first time */
function answerOf({ outcome, required }: Outcome, credits: number): string {
  if (outcome === 'sample' || outcome === 'replayed') return outcome
  return required > credits ? 'first_reveal' : 'live'
}
