/** Responses: the headers that each one carries (D8, D9) and the bodies of the contract. */
import { type ApiError, errorBody } from '../contract/errors.ts'
import { COMMON_HEADERS, OTHER_HEADERS, transportSecurity } from '../contract/headers.ts'
import type { Parameters, Values } from '../contract/query.ts'
import { API_VERSION } from '../contract/version.ts'
import { fill } from '../directory/template.ts'
import type { Outcome } from '../metering/call.ts'
import { addressOf, type RequestContext } from './context.ts'
import type { ApiEndpoint, Reading } from './endpoint.ts'

type Headers = Record<string, string>

const METHODS = 'GET, HEAD, OPTIONS'
const EXPOSED_HEADERS = Object.keys({ ...COMMON_HEADERS, ...OTHER_HEADERS })
  .sort()
  .join(', ')

function commonHeaders(context: RequestContext): Headers {
  const { services, request, requestId } = context
  const rate = context.rate ?? services.meter.standing(addressOf(context))
  return {
    'service-api-version': API_VERSION,
    'product-api-version': API_VERSION,
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-ratelimit-limit': String(rate.limit),
    'x-ratelimit-remaining': String(rate.remaining),
    'x-ratelimit-reset': String(Math.ceil(rate.resetMs / 1_000)),
    ...transportSecurity(services.baseUrl),
    ...corsHeaders(services.config.corsOrigins, request.headers.get('origin')),
  }
}

function corsHeaders(allowed: readonly string[], origin: string | null): Headers {
  if (allowed.length === 0) return {}
  const any = allowed.includes('*')
  if (!any && !(origin && allowed.includes(origin))) return { vary: 'Origin' }
  return {
    'access-control-allow-origin': any ? '*' : (origin ?? ''),
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': 'Authorization, Idempotency-Key, X-Request-Id',
    'access-control-expose-headers': EXPOSED_HEADERS,
    vary: 'Origin',
  }
}

/** A response with a body that is JSON already; HEAD gets its headers alone (D4). */
export function jsonResponse(
  context: RequestContext,
  body: string,
  extra: Readonly<Headers> = {},
  status = 200,
): Response {
  const headers = Object.assign(commonHeaders(context), extra)
  headers['content-type'] = 'application/json; charset=utf-8'
  return new Response(context.isHead ? null : body, { status, headers })
}

/** What OPTIONS answers (D4). */
export function optionsResponse(context: RequestContext): Response {
  const headers = { ...commonHeaders(context), allow: METHODS }
  return new Response(null, { status: 204, headers })
}

export function errorResponse(context: RequestContext, error: ApiError): Response {
  const { status, code, fields } = error
  const extra: Headers = {}
  if (code === 'unauthorized') {
    const keySent = context.request.headers.has('authorization')
    extra['www-authenticate'] = keySent ? 'Bearer error="invalid_token"' : 'Bearer'
  }
  if (code === 'missing_scope') extra['www-authenticate'] = 'Bearer error="insufficient_scope"'
  if (code === 'method_not_allowed') extra.allow = METHODS
  if (fields.retryAfter !== undefined) extra['retry-after'] = String(fields.retryAfter)
  return jsonResponse(context, errorBody(error, context.services.appUrl), extra, status)
}

/** Live data: puts unlocks, charge and balance into text that is ready. */
export function liveResponse(
  context: RequestContext,
  reading: Reading,
  asksReveal: boolean,
  { outcome, charged, balance, unlocked }: Outcome,
): Response {
  const billed = `"creditsCharged":${charged},"creditsBalance":${balance}`
  const contacts = new Map(unlocked?.map((contact) => [contact.id, contact]))
  const members = fill(reading.body, contacts, reading.channels)
  // A reveal bills by itself and says so at the top level as well, where there was something to reveal (D19).
  const isReveal = asksReveal && reading.person !== null && contacts.has(reading.person)
  const body = `{${members},${isReveal ? `${billed},` : ''}"meta":{${billed}}}`
  const isReplayed = outcome === 'replayed'
  return jsonResponse(context, body, isReplayed ? { 'idempotent-replayed': 'true' } : {})
}

/** A sample (D34): the live shape, and what says at every level that it is not live. */
export function sampleResponse(
  context: RequestContext,
  endpoint: ApiEndpoint,
  query: Values<Parameters>,
  { required, balance }: Outcome,
): Response {
  const { members, data, total } = endpoint.sample?.(query) ?? { members: '', data: '[]', total: 0 }
  const { appUrl, config } = context.services
  const upgradeUrl = `${appUrl}/credits`
  const hasId = endpoint.contract.path.includes(':')
  const looksNothingUp = hasId ? ' The id or slug of the request was not looked up.' : ''
  const notice =
    `NOT REAL DATA: a synthetic sample, because this call costs ${required} credits and the balance is ${balance}.` +
    `${looksNothingUp} Top up by ${required - balance} at ${upgradeUrl} to get live data from ${config.serviceName}.`
  const meta = {
    creditsCharged: 0,
    creditsBalance: balance,
    creditsRequired: required,
    sample: true,
    upgradeUrl,
  }
  const body =
    `{"notice":${JSON.stringify(notice)},"sample":true,"data":${data},"total":${total},` +
    `${members === '' ? '' : `${members},`}"meta":${JSON.stringify(meta)}}`
  return jsonResponse(context, body, { 'service-sample': 'true' })
}
