/** An endpoint as OpenAPI writes it, with its parameters from the tables that the parser reads. */
import type { DocumentDecoration } from 'elysia'
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../contract/endpoints.ts'
import { IDEMPOTENCY_KEY } from '../contract/headers.ts'
import type { Parameter } from '../contract/query.ts'
import { refusalsOf, success } from './responses.ts'
import { closedSet, type JsonObject, reference } from './schemas.ts'

/** Request headers, by their names among the document's components. */
export const HEADER_PARAMETERS = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Your own name for the request: 1 to 128 letters, digits, dots, hyphens and underscores. It comes back on the response; without one of this form the service gives its own.',
    schema: { type: 'string' },
    example: 'import-2025-01-15.0042',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry free: for 24 hours, a repeat of the same path and parameters with the same key is answered live for 0 credits, with Idempotent-Replayed: true, at most 5 times.',
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
    example: 'people-page-7',
  },
} satisfies Record<string, JsonObject>

/** Text without NUL, which is refused (D11). */
const TEXT = { type: 'string', pattern: '^[^\\u0000]*$' }
/** What trimming takes off. */
const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'
/** The same with something in it: text that is empty once it is trimmed counts as absent. */
const SOME_TEXT = {
  type: 'string',
  minLength: 1,
  pattern: `^[^\\u0000]*[^\\u0000${SPACE}][^\\u0000]*$`,
}

/** The `detail` of the endpoint's route. */
export function operationOf(name: EndpointName): DocumentDecoration {
  const endpoint = ENDPOINTS[name]
  const { operationId, tag, summary } = endpoint
  const operation: JsonObject = {
    operationId,
    tags: [tag],
    summary,
    description: descriptionOf(endpoint),
    parameters: parametersOf(endpoint),
    responses: { 200: success(name), ...refusalsOf(endpoint) },
  }
  return operation as DocumentDecoration
}

/** Text, price, scope and the parameters that are always refused, so that generated clients don't offer them. */
function descriptionOf({ description, credits, revealCredits, parameters }: Endpoint): string {
  const canReveal = revealCredits > credits
  const reveal = canReveal ? `, or ${revealCredits} on a first reveal` : ''
  const scope = canReveal ? '; a reveal also `read:contacts`' : ''
  const price = `Costs ${credits} credits${reveal}. Needs the scope \`read:metadata\`${scope}.`
  const rejected = Object.entries(parameters)
    .filter(([, parameter]) => isRejected(parameter))
    .map(([name, { description }]) => `The parameter \`${name}\` is refused. ${description}`)
  return [description, price, ...rejected].join('\n\n')
}

/** Path, query and header parameters; `/v1/me` is free and so takes no Idempotency-Key. */
function parametersOf(endpoint: Endpoint): JsonObject[] {
  const { path, credits, parameters, exampleId } = endpoint
  const headers = credits > 0 ? ['IdempotencyKey', 'RequestId'] : ['RequestId']
  return [
    ...pathParameters(path, exampleId),
    ...Object.entries(parameters)
      .filter(([, parameter]) => !isRejected(parameter))
      .map(([name, parameter]) => queryParameter(name, parameter)),
    ...headers.map((name) => reference(name, 'parameters')),
  ]
}

function isRejected(parameter: Parameter): boolean {
  return parameter.kind === 'choice' && parameter.rejected !== undefined
}

function pathParameters(path: string, example = ''): JsonObject[] {
  const name = /\{(\w+)\}/.exec(documentedPath(path))?.[1]
  if (!name) return []
  const description = 'The id or the slug.'
  return [{ name, in: 'path', required: true, description, schema: TEXT, example }]
}

function queryParameter(name: string, parameter: Parameter): JsonObject {
  const common = { name, in: 'query', description: parameter.description }
  switch (parameter.kind) {
    case 'text': {
      const { required = false, maxLength, example = '' } = parameter
      const text = required ? SOME_TEXT : TEXT
      return { ...common, required, schema: { ...text, maxLength }, example }
    }
    case 'integer': {
      // Without bounds, because values outside are clamped and not refused.
      const { default: example } = parameter
      return { ...common, schema: { type: 'integer', default: example }, example }
    }
    case 'choice': {
      const { choices, example = choices[0] ?? '' } = parameter
      return { ...common, schema: closedSet(choices), example }
    }
    case 'list': {
      const { choices, known, explode = false, example = choices?.[0] ?? '' } = parameter
      // What is not among the known values is no mistake: it matches nothing (D10). The pattern stands beside the union,
      // because tools know by a plain string in it that every value sent is one of the union.
      const items = choices
        ? closedSet(choices)
        : known
          ? { ...TEXT, anyOf: [closedSet(known), { type: 'string' }] }
          : TEXT
      // An empty list of a closed set would be sent as an empty value, which is none of the set.
      const schema = { type: 'array', items, ...(choices && { minItems: 1 }) }
      const style = { style: 'form', explode, schema }
      return { ...common, ...style, example: example.split(',') }
    }
  }
}
