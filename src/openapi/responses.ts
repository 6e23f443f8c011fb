/** Responses as OpenAPI writes them: statuses from the code table, headers from the contract. */
import type { TSchema } from '@sinclair/typebox'
import { documentedPath, ENDPOINTS, type Endpoint } from '../contract/endpoints.ts'
import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import type { Parameters } from '../contract/query.ts'
import { BODIES } from '../contract/schemas/bodies.ts'
import { API_VERSION } from '../contract/version.ts'
import { type JsonObject, reference } from './schemas.ts'

function header(
  description: string,
  schema: JsonObject,
  example: string | number | boolean,
): JsonObject {
  return { description, schema, example }
}

const TEXT = { type: 'string' }
const WHOLE = { type: 'integer' }
const TRUE = { type: 'boolean', enum: [true] }

/** Response headers, by name. */
export const RESPONSE_HEADERS: Readonly<Record<string, JsonObject>> = {
  'Service-API-Version': header('The build that answered.', TEXT, API_VERSION),
  'Product-API-Version': header('The same value.', TEXT, API_VERSION),
  'X-Request-Id': header(
    'Names the request; the log has the same.',
    TEXT,
    'import-2025-01-15.0042',
  ),
  'X-RateLimit-Limit': header('Requests that the window allows.', WHOLE, 120),
  'X-RateLimit-Remaining': header('Requests that are left in it.', WHOLE, 119),
  'X-RateLimit-Reset': header('Epoch second at which the window ends.', WHOLE, 1_736_933_460),
  'Cache-Control': header('Answers are for the caller alone.', TEXT, 'no-store'),
  'Service-Sample': header('Only on a sample: the data is not real.', TRUE, true),
  'Idempotent-Replayed': header('Only on a repeat that cost nothing.', TRUE, true),
  'Retry-After': header(
    'Seconds to wait before the next try.',
    { type: 'integer', minimum: 1 },
    42,
  ),
  'WWW-Authenticate': header(
    'How to authenticate, and what was wrong.',
    TEXT,
    'Bearer error="invalid_token"',
  ),
}

/** On every response. */
const COMMON = Object.keys(RESPONSE_HEADERS).slice(0, 7)
const CHALLENGED = new Set([401, 403])
const DELAYED = new Set([429, 503])

function headersOf(names: readonly string[]): JsonObject {
  return Object.fromEntries(
    [...COMMON, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
}

/** A 200: live, or a sample where the endpoint is billed. Names of examples are the endpoint's. */
export function success(name: keyof typeof ENDPOINTS): JsonObject {
  const { credits, revealCredits } = ENDPOINTS[name]
  const { live, sample } = BODIES[name]
  const examples = [
    name,
    ...(revealCredits > credits ? [`${name}_reveal`] : []),
    ...(sample ? [`${name}_sample`] : []),
  ]
  return {
    description: sample
      ? 'Live data, charged; or a sample, free, where a free account has too few credits.'
      : 'The account.',
    headers: headersOf(sample ? ['Service-Sample', 'Idempotent-Replayed'] : []),
    content: {
      'application/json': {
        schema: sample ? { anyOf: [referenceTo(live), referenceTo(sample)] } : referenceTo(live),
        examples: Object.fromEntries(
          examples.map((example) => [example, { $ref: `#/components/examples/${example}` }]),
        ),
      },
    },
  }
}

function referenceTo({ $id = '' }: TSchema): JsonObject {
  return reference($id)
}

/** Refusals by the name that they have among the document's components; the codes of one have one status. */
const REFUSALS = {
  InvalidAccountCall: ['invalid_parameter', 'unknown_parameter'],
  InvalidCall: ['invalid_parameter', 'unknown_parameter', 'idempotency_key_reused'],
  InvalidSearch: [
    'missing_parameter',
    'invalid_parameter',
    'unknown_parameter',
    'idempotency_key_reused',
  ],
  Unauthorized: ['unauthorized'],
  InsufficientCredits: ['insufficient_credits'],
  MissingScope: ['missing_scope'],
  NotFound: ['not_found'],
  UriTooLong: ['uri_too_long'],
  TooManyRequests: ['rate_limited', 'too_many_rejected_keys'],
  TooManyReveals: ['rate_limited', 'reveal_cap_exceeded', 'too_many_rejected_keys'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  Unavailable: ['unavailable'],
} as const satisfies Record<string, readonly ErrorCode[]>
type Refusal = keyof typeof REFUSALS

/** What an endpoint can answer instead of a 200, by status. */
export function refusalsOf(endpoint: Endpoint, parameters: Parameters): JsonObject {
  const { path, credits, revealCredits } = endpoint
  const isBilled = credits > 0
  const needsParameter = Object.values(parameters).some((it) => it.kind === 'text' && it.required)
  const names: Refusal[] = [
    needsParameter ? 'InvalidSearch' : isBilled ? 'InvalidCall' : 'InvalidAccountCall',
    'Unauthorized',
    ...(isBilled ? (['InsufficientCredits'] as const) : []),
    'MissingScope',
    ...(documentedPath(path) === path ? [] : (['NotFound'] as const)),
    'UriTooLong',
    revealCredits > credits ? 'TooManyReveals' : 'TooManyRequests',
    'HeadersTooLarge',
    'InternalError',
    'Unavailable',
  ]
  return Object.fromEntries(
    names.map((name) => [statusOf(name), { $ref: `#/components/responses/${name}` }]),
  )
}

function statusOf(refusal: Refusal): number {
  return ERRORS[REFUSALS[refusal][0]].status
}

/** Every refusal as a component. Its examples are components too, named by their codes. */
export function refusalComponents(): JsonObject {
  return Object.fromEntries(Object.entries(REFUSALS).map(([name, codes]) => [name, refusal(codes)]))
}

function refusal(codes: readonly ErrorCode[]): JsonObject {
  const status = codes[0] ? ERRORS[codes[0]].status : 0
  const extra = [
    ...(CHALLENGED.has(status) ? ['WWW-Authenticate'] : []),
    ...(DELAYED.has(status) ? ['Retry-After'] : []),
  ]
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].cause}`).join('\n\n'),
    headers: headersOf(extra),
    content: {
      'application/json': {
        schema: reference('Error'),
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  }
}

/** Codes that an operation of the document can answer; the others belong to other methods and paths. */
export const DOCUMENTED_CODES: ReadonlySet<ErrorCode> = new Set(Object.values(REFUSALS).flat())
