/** Responses as OpenAPI writes them: statuses from the code table, headers from the contract. */
import type { TSchema } from '@sinclair/typebox'
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../../contract/endpoints.ts'
import { ERRORS, type ErrorCode } from '../../contract/errors.ts'
import { COMMON_HEADERS, OTHER_HEADERS, type ResponseHeader } from '../../contract/headers.ts'
import { BODIES } from '../../contract/schemas/bodies.ts'
import { type JsonObject, reference, references } from './schemas.ts'

const CHALLENGE = {
  'WWW-Authenticate': {
    description:
      'On a 401, and on a 403 for a missing scope: how to authenticate, and what was wrong.',
    example: 'Bearer error="invalid_token"',
  },
  'Cache-Control': {
    description: 'On every response: answers are for the caller alone.',
    example: 'no-store',
  },
}

/** Every response header as a component. */
export function responseHeaders(): JsonObject {
  const headers = Object.entries({ ...COMMON_HEADERS, ...OTHER_HEADERS, ...CHALLENGE })
  return Object.fromEntries(
    headers.map(([name, header]) => [name, { ...header, schema: schemaOf(header.example) }]),
  )
}

function schemaOf(example: ResponseHeader['example']): JsonObject {
  if (example === true) return { type: 'boolean', enum: [true] }
  return { type: typeof example === 'number' ? 'integer' : 'string' }
}

const CHALLENGED = new Set([401, 403])
const DELAYED = new Set([429, 503])

/** @param headers beside those of every response. @param examples by their names among the components. */
function response(
  description: string,
  headers: readonly string[],
  schema: JsonObject,
  examples: readonly string[],
): JsonObject {
  return {
    description,
    headers: references([...Object.keys(COMMON_HEADERS), 'Cache-Control', ...headers], 'headers'),
    content: { 'application/json': { schema, examples: references(examples, 'examples') } },
  }
}

/** A 200: live, or a sample where the endpoint is billed. */
export function success(name: EndpointName): JsonObject {
  const { credits, revealCredits } = ENDPOINTS[name]
  const { live, sample } = BODIES[name]
  if (!sample) return response('The account.', [], referenceTo(live), [name])
  return response(
    'Live data, charged; or a sample, free, where a free account has too few credits.',
    ['Service-Sample', 'Idempotent-Replayed'],
    // The sample comes first: generated clients take the first that fits, and a sample has all fields of live data.
    { anyOf: [referenceTo(sample), referenceTo(live)] },
    [name, ...(revealCredits > credits ? [`${name}_reveal`] : []), `${name}_sample`],
  )
}

function referenceTo({ $id = '' }: TSchema): JsonObject {
  return reference($id)
}

/**
 * Refusals of the runtime's listener, before the API sees the request: without a body, and without the headers of an
 * answer.
 */
const LISTENER_REFUSALS: Readonly<Record<string, JsonObject>> = {
  413: { description: 'A body of more than 128 MiB was announced. Calls have none. No JSON.' },
  505: { description: 'The version of HTTP is neither 1.0 nor 1.1. No JSON.' },
}

/** Refusals by their component's name; the codes of one share a status. */
const REFUSALS = {
  InvalidAccountCall: ['invalid_parameter', 'unknown_parameter'],
  InvalidCall: [
    'invalid_parameter',
    'unknown_parameter',
    'idempotency_key_reused',
    'idempotency_key_exhausted',
  ],
  InvalidSearch: [
    'missing_parameter',
    'invalid_parameter',
    'unknown_parameter',
    'idempotency_key_reused',
    'idempotency_key_exhausted',
  ],
  Unauthorized: ['unauthorized'],
  InsufficientCredits: ['insufficient_credits', 'key_cap_exceeded'],
  MissingScope: ['missing_scope', 'address_not_allowed', 'account_suspended'],
  NotFound: ['not_found'],
  UriTooLong: ['uri_too_long'],
  TooManyRequests: ['rate_limited', 'too_many_rejected_keys'],
  TooManyReveals: ['rate_limited', 'reveal_cap_exceeded', 'too_many_rejected_keys'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  Unavailable: ['unavailable'],
} as const satisfies Record<string, readonly ErrorCode[]>
type Refusal = keyof typeof REFUSALS

/** The refusals of an endpoint, by status. */
export function refusalsOf({ path, credits, revealCredits, parameters }: Endpoint): JsonObject {
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
  const refusals = names.map((name) => [
    ERRORS[REFUSALS[name][0]].status,
    reference(name, 'responses'),
  ])
  return { ...Object.fromEntries(refusals), ...LISTENER_REFUSALS }
}

/** Refusals as components. Their examples are components too, named by their codes. */
export function refusalComponents(): JsonObject {
  return Object.fromEntries(Object.entries(REFUSALS).map(([name, codes]) => [name, refusal(codes)]))
}

function refusal(codes: readonly ErrorCode[]): JsonObject {
  const status = codes[0] ? ERRORS[codes[0]].status : 0
  const extra = [
    ...(CHALLENGED.has(status) ? ['WWW-Authenticate'] : []),
    ...(DELAYED.has(status) ? ['Retry-After'] : []),
  ]
  const causes = codes.map((code) => `\`${code}\`: ${ERRORS[code].cause}`)
  return response(causes.join('\n\n'), extra, reference('Error'), codes)
}

/** Codes of the document's operations; the others belong to other methods and paths. */
export const DOCUMENTED_CODES: ReadonlySet<ErrorCode> = new Set(Object.values(REFUSALS).flat())
