/**
 * Steps of a call: authenticate → parse → read → charge → respond.
 *
 * A refusal of `parse` goes on to the meter, because the rate limit (gate 4) comes before parameters and scope
 * (gates 5 and 6) and counts such calls too: one statement decides all gates in their order. The framework's
 * validation isn't used, because it answers at once. The directory is read before the charge and never after it.
 */

import { documentedPath, type Scope } from '../contract/endpoints.ts'
import { ApiError } from '../contract/errors.ts'
import { decode, type Parameters, parseQuery, type Values } from '../contract/query.ts'
import { DatabaseUnavailable } from '../database/client.ts'
import type { ResolvedKey } from '../money/accounts/key-cache.ts'
import { isAllowedFrom } from '../money/accounts/key-limits.ts'
import type { Call, Outcome } from '../money/charge/call.ts'
import { isAnswerable } from '../runtime.ts'
import { addressOf, clientOf, type RequestContext, sentKeyOf } from './context.ts'
import {
  bindingOf,
  checkIdempotencyKey,
  earlierFingerprint,
  idempotencyKeyOf,
} from './idempotency.ts'
import { nearValueRefusal } from './near-values.ts'
import { quoteReading } from './quote.ts'
import { outcomeRefusal, refusalPause, rejectedKeyRefusal } from './refusals.ts'
import { noteAnswer } from './request-notes.ts'
import { jsonResponse, liveResponse, quoteResponse, sampleResponse } from './responses.ts'
import { type ApiEndpoint, MISSING, type Reading } from './routes/endpoint.ts'

/** A call whose caller is known. */
interface AuthenticatedCall {
  context: RequestContext
  endpoint: ApiEndpoint
  key: ResolvedKey
}

/** A call's parameters, or its refusal. */
interface ParsedCall {
  refusal: ApiError | null
  /** null where the call is refused, unless it may repeat one that was charged when records had its values. */
  query: Values<Parameters> | null
  /** The id or slug in the path, '' where the endpoint has none. */
  id: string
  asksReveal: boolean
}

/** Answers a GET, or a HEAD, which passes the same gates but makes no answer and costs nothing. @throws ApiError, DatabaseUnavailable */
export async function answerCall(context: RequestContext, endpoint: ApiEndpoint) {
  const call = { context, endpoint, key: await authenticate(context, endpoint) }
  const parsed = parse(call)
  const reading = read(call, parsed)
  const outcome = await charge(call, parsed, reading)
  const response = await respond(call, parsed, reading, outcome)
  noteAnswer(context, outcome)
  return response
}

/** Gate 3, and gate 4 where the meter remembers that the account is over its rate. */
async function authenticate(
  context: RequestContext,
  { contract }: ApiEndpoint,
): Promise<ResolvedKey> {
  const { meter, chosenKeys } = context.services
  const key = chosenKeys.get(context.request) ?? (await resolveKey(context))
  if (!key) throw await rejectedKeyRefusal(context)
  context.caller = { key, contract }
  if (key.networks && !isAllowedFrom(key.networks, clientOf(context))) {
    throw await rejectedKeyRefusal(context)
  }
  if (meter.refused(key.accountId)) await refusalPause()
  const overRate = meter.refused(key.accountId)
  if (overRate) accept(context, overRate, null)
  return key
}

/** The key in the header; undefined where none resolves. */
async function resolveKey(context: RequestContext) {
  const { services } = context
  const sent = sentKeyOf(context)
  if (sent === undefined) return undefined
  return services.keys.resolve(sent, () => services.meter.standing(addressOf(context)).over)
}

/** Gates 5 and 6. */
function parse({ context, endpoint, key }: AuthenticatedCall): ParsedCall {
  const { contract, asksReveal, list } = endpoint
  try {
    const query = parseQuery(contract.parameters, context.query)
    const nearValue = list
      ? nearValueRefusal(context.services.directory, list, contract.parameters, query)
      : null
    const mayRepeat = idempotencyKeyOf(context) !== null && key.scopes.includes('read:metadata')
    if (nearValue && !mayRepeat) throw nearValue
    const id = contract.path.includes(':') ? parseId(context.path) : ''
    if (contract.credits > 0) checkIdempotencyKey(context)
    requireScope(key, 'read:metadata')
    const isReveal = asksReveal?.(query) ?? false
    if (isReveal) requireScope(key, 'read:contacts')
    return { refusal: nearValue, query, id, asksReveal: isReveal }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refusal: error, query: null, id: '', asksReveal: false }
  }
}

function parseId(path: string): string {
  const sent = path.slice(path.lastIndexOf('/') + 1)
  // A plus in a path is no space. Slugs are lower case, and ids mean the same in either case.
  return decode(sent.replaceAll('+', '%2B'), 'id').toLowerCase()
}

function requireScope(key: ResolvedKey, scope: Scope): void {
  if (key.scopes.includes(scope)) return
  throw new ApiError('missing_scope', `The key lacks the scope ${scope}.`, { allowed: [scope] })
}

function read({ context, endpoint }: AuthenticatedCall, { query, id }: ParsedCall): Reading {
  if (!query) return MISSING
  const { directory } = context.services
  if (context.isHead) return quoteReading(endpoint, directory, id)
  return endpoint.read(directory, query, id)
}

/** Gates 4 to 10, in one statement. */
async function charge(
  { context, endpoint, key }: AuthenticatedCall,
  { refusal, query, asksReveal }: ParsedCall,
  { exists, person, contacts, channels }: Reading,
): Promise<Outcome> {
  const { contract, describeAccount } = endpoint
  const { services, isHead, requestId } = context
  const price = contract.credits
  const call: Call = {
    quote: isHead,
    account: key.accountId,
    key: key.id,
    price,
    reveal_price: asksReveal ? contract.revealCredits : price,
    refusal:
      refusal && (query ? 'values' : refusal.code === 'missing_scope' ? 'scope' : 'parameters'),
    record_exists: exists,
    person,
    reveal: asksReveal,
    contacts,
    channels,
    identity: describeAccount !== undefined && !isHead,
    ...bindingOf(context, price),
    request_id: requestId,
    endpoint: documentedPath(contract.path),
    isWanted: () => isAnswerable(context.request),
  }
  const outcome = await decide(context, call).catch((error: unknown) => {
    const isUnknown = error instanceof DatabaseUnavailable && error.isUnknown
    context.mayBeCharged = isUnknown && price > 0 && !refusal && !isHead
    throw error
  })
  context.mayBeCharged = outcome.charged > 0
  if (outcome.outcome === 'revoked') {
    services.keys.revoked(key)
    context.caller = undefined
    throw await rejectedKeyRefusal(context)
  }
  return accept(context, outcome, refusal)
}

/** Charges a call, and again with the earlier fingerprint where another release may have bound its key. */
async function decide(context: RequestContext, call: Call): Promise<Outcome> {
  const { meter } = context.services
  const outcome = await meter.charge(call)
  if (outcome.outcome !== 'key_reused') return outcome
  const fingerprint = earlierFingerprint(context)
  return fingerprint === call.fingerprint ? outcome : meter.charge({ ...call, fingerprint })
}

/** Notes the account's rate. @throws ApiError where the meter refused the call */
function accept(context: RequestContext, outcome: Outcome, refusal: ApiError | null): Outcome {
  const { rateLimit: limit, rateRemaining: remaining, rateResetMs: resetMs } = outcome
  context.rate = { limit, remaining, resetMs }
  context.quoted = outcome
  const error = outcome.outcome === 'refused' ? refusal : outcomeRefusal(outcome)
  if (error) throw error
  return outcome
}

function respond(
  { context, endpoint, key }: AuthenticatedCall,
  { query, asksReveal }: ParsedCall,
  reading: Reading,
  outcome: Outcome,
): Response | Promise<Response> {
  if (context.isHead || !query) return quoteResponse(context, outcome)
  const account = endpoint.describeAccount?.(context.services, key, outcome)
  if (account) return jsonResponse(context, JSON.stringify(account))
  if (outcome.outcome === 'sample') return sampleResponse(context, endpoint, query, outcome)
  return liveResponse(context, reading, asksReveal, outcome)
}
