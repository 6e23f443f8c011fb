/** Responses: the headers that each one carries and the bodies of the contract. */
import { type ApiError, errorBody } from '../contract/errors.ts'
import {
  COMMON_HEADERS,
  OTHER_HEADERS,
  QUOTE_HEADERS,
  transportSecurity,
} from '../contract/headers.ts'
import type { Parameters, Values } from '../contract/query.ts'
import { API_VERSION } from '../contract/version.ts'
import { filled } from '../directory/records/ready-answer.ts'
import { GZIP_MIN_LENGTH, gzipOnce, gzipQuick, gzipWithEnd, takesGzip } from '../gzip.ts'
import type { Outcome } from '../money/charge/call.ts'
import { bodyOf, joinedPieces, type Piece } from '../runtime.ts'
import { type ApiServices, type RequestContext, rateOf } from './context.ts'
import { quoteHeaders } from './quote.ts'
import type { ApiEndpoint, Reading } from './routes/endpoint.ts'

type HeaderFields = Readonly<Record<string, string>>
/** JSON text, or compressed bytes. */
type Body = string | ReturnType<typeof bodyOf>

const METHODS = 'GET, HEAD, OPTIONS'
const ALLOWED_ORIGIN = 'access-control-allow-origin'
/** Seconds for which a browser may cache a preflight: Chromium's maximum. */
const PREFLIGHT_SECONDS = '7200'
const EXPOSED_HEADERS = Object.keys({ ...COMMON_HEADERS, ...OTHER_HEADERS, ...QUOTE_HEADERS })
  .sort()
  .join(', ')

/** Headers that all responses of a server share: built once, because each costs time on every call. */
export function fixedHeaders({ baseUrl, config }: ApiServices): Headers {
  const { corsOrigins } = config
  return new Headers({
    'service-api-version': API_VERSION,
    'product-api-version': API_VERSION,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    ...transportSecurity(baseUrl),
    vary: corsOrigins.length > 0 ? 'Accept-Encoding, Origin' : 'Accept-Encoding',
    ...(corsOrigins.includes('*') && corsHeaders('*')),
  })
}

function corsHeaders(origin: string): HeaderFields {
  return {
    [ALLOWED_ORIGIN]: origin,
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, X-Request-Id',
    'access-control-expose-headers': EXPOSED_HEADERS,
  }
}

/** A response with the common headers, and `extra`. */
function respond(
  context: RequestContext,
  status: number,
  body: Body | null,
  extra: HeaderFields,
): Response {
  const { services, request, requestId } = context
  const { corsOrigins } = services.config
  const rate = rateOf(context)
  const response = new Response(body, { status, headers: services.fixedHeaders })
  const { headers } = response
  headers.set('x-request-id', requestId)
  headers.set('x-ratelimit-limit', String(rate.limit))
  headers.set('x-ratelimit-remaining', String(rate.remaining))
  headers.set('x-ratelimit-reset', String(Math.ceil(rate.resetMs / 1_000)))
  if (corsOrigins.length > 0 && !corsOrigins.includes('*')) {
    const origin = request.headers.get('origin')
    if (origin && corsOrigins.includes(origin)) setAll(headers, corsHeaders(origin))
  }
  setAll(headers, extra)
  return response
}

function setAll(headers: Headers, fields: HeaderFields): void {
  for (const [name, value] of Object.entries(fields)) headers.set(name, value)
}

const GZIP = { 'content-encoding': 'gzip' }

/** Decides if a body is compressed. HEAD doesn't say it, because the length of a GET's body is unknown without reading. */
function isCompressed({ request }: RequestContext, length: number): boolean {
  return length >= GZIP_MIN_LENGTH && takesGzip(request)
}

/** A response of JSON text; HEAD gets its headers alone. */
export function jsonResponse(
  context: RequestContext,
  body: string,
  extra: HeaderFields = {},
  status = 200,
): Response {
  if (context.isHead) return respond(context, status, null, extra)
  if (!isCompressed(context, body.length)) return respond(context, status, body, extra)
  return respond(context, status, bodyOf([gzipQuick(body)]), { ...extra, ...GZIP })
}

/** The response to HEAD where a GET would get a 200: its headers, and its price. */
export function quoteResponse(context: RequestContext, outcome: Outcome): Response {
  return jsonResponse(context, '', { ...marksOf(outcome), ...quoteHeaders(context, null) })
}

/** The headers that tell a sample and a repeat from any other 200. */
function marksOf({ outcome }: Outcome): HeaderFields {
  if (outcome === 'sample') return { 'service-sample': 'true' }
  return outcome === 'replayed' ? { 'idempotent-replayed': 'true' } : {}
}

/** The response to OPTIONS. */
export function optionsResponse(context: RequestContext): Response {
  const response = respond(context, 204, null, { allow: METHODS })
  const { headers } = response
  headers.delete('content-type')
  if (headers.has(ALLOWED_ORIGIN)) headers.set('access-control-max-age', PREFLIGHT_SECONDS)
  return response
}

/** True for a preflight of an allowed origin, whose browser sends the call only after a success. */
export function isPreflight({ services, request }: RequestContext): boolean {
  if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) {
    return false
  }
  const { corsOrigins } = services.config
  const origin = request.headers.get('origin')
  return origin !== null && (corsOrigins.includes('*') || corsOrigins.includes(origin))
}

export function errorResponse(context: RequestContext, error: ApiError): Response {
  const { status, code, fields } = error
  const extra = context.isHead ? quoteHeaders(context, code) : {}
  if (code === 'unauthorized') {
    const keySent = context.request.headers.has('authorization')
    extra['www-authenticate'] = keySent ? 'Bearer error="invalid_token"' : 'Bearer'
  }
  if (code === 'missing_scope') extra['www-authenticate'] = 'Bearer error="insufficient_scope"'
  if (code === 'method_not_allowed' || code === 'unknown_method') extra.allow = METHODS
  if (fields.retryAfter !== undefined) extra['retry-after'] = String(fields.retryAfter)
  return jsonResponse(context, errorBody(error, context.services.appUrl), extra, status)
}

/** Live data: puts unlocks, charge and balance into a ready answer. */
export async function liveResponse(
  context: RequestContext,
  reading: Reading,
  asksReveal: boolean,
  outcome: Outcome,
): Promise<Response> {
  const { charged, balance, unlocked } = outcome
  const billed = `"creditsCharged":${charged},"creditsBalance":${balance}`
  const contacts = new Map(unlocked?.map((contact) => [contact.id, contact]))
  // A reveal that had something to show states its charge at the top level as well.
  const isReveal = asksReveal && reading.person !== null && contacts.has(reading.person)
  const end = `,${isReveal ? `${billed},` : ''}"meta":{${billed}}}`
  const { answer, channels } = reading
  const isSmaller = isCompressed(context, answer.bytes.length + end.length)
  // Unlocked contacts differ by account, so such a body is compressed for this caller and not cached.
  const beginning = isSmaller && contacts.size === 0 ? answer.compressed?.() : undefined
  if (beginning) return liveBody(context, outcome, gzipWithEnd(beginning, end), GZIP)
  const pieces = ['{', ...filled(answer, contacts, channels), end]
  if (!isSmaller) return liveBody(context, outcome, pieces)
  return liveBody(context, outcome, [await gzipOnce(joinedPieces(pieces))], GZIP)
}

function liveBody(
  context: RequestContext,
  outcome: Outcome,
  pieces: readonly Piece[],
  extra: HeaderFields = {},
): Response {
  return respond(context, 200, bodyOf(pieces), { ...marksOf(outcome), ...extra })
}

/** A sample: the live shape, marked at every level as not real. */
export function sampleResponse(
  context: RequestContext,
  endpoint: ApiEndpoint,
  query: Values<Parameters>,
  outcome: Outcome,
): Response {
  const { required, balance } = outcome
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
  return jsonResponse(context, body, marksOf(outcome))
}
