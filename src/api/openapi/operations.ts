/** Operations of the OpenAPI document: endpoints, with parameters from the tables that the parser reads. */
import type { DocumentDecoration } from 'elysia'
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../../contract/endpoints.ts'
import { IDEMPOTENT_REPEATS } from '../../contract/headers.ts'
import { BLANK, type Parameter } from '../../contract/query.ts'
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
} satisfies Record<string, JsonObject>

/**
 * Text without NUL. The schema says what is forbidden, because tools that import a document make values after a positive
 * pattern; and it has no `\u`, because generators write that as the character itself, which breaks code.
 */
const TEXT = { type: 'string', not: { pattern: '\\x00' } }
/** Text that isn't blank. */
const SOME_TEXT = { ...TEXT, minLength: 1, not: { pattern: `\\x00|${BLANK}` } }

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

/** Prose instead of a parameter, because an import of the document would send one constant key with every call. */
const IDEMPOTENCY = `The header \`Idempotency-Key\` (1 to 64 letters, digits, dots, hyphens and underscores) makes a retry free: for 24 hours, a repeat of the same path and parameters with the same key is answered live for 0 credits, with \`Idempotent-Replayed: true\`, at most ${IDEMPOTENT_REPEATS} times.`

/** Text, price, scope and the parameters that are always refused, so that generated clients don't offer them. */
function descriptionOf({ description, credits, revealCredits, parameters }: Endpoint): string {
  const canReveal = revealCredits > credits
  const reveal = canReveal ? `, or ${revealCredits} on a first reveal` : ''
  const scope = canReveal ? '; a reveal also `read:contacts`' : ''
  const price = `Costs ${credits} credits${reveal}. Needs the scope \`read:metadata\`${scope}.`
  const rejected = Object.entries(parameters)
    .filter(([, parameter]) => isRejected(parameter))
    .map(([name, { description }]) => `The parameter \`${name}\` is refused. ${description}`)
  return [description, price, ...(credits > 0 ? [IDEMPOTENCY] : []), ...rejected].join('\n\n')
}

function parametersOf({ path, parameters, exampleId }: Endpoint): JsonObject[] {
  return [
    ...pathParameters(path, exampleId),
    ...Object.entries(parameters)
      .filter(([, parameter]) => !isRejected(parameter))
      .map(([name, parameter]) => queryParameter(name, parameter)),
    reference('RequestId', 'parameters'),
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
      const schema = closedSet(choices)
      if (choices.length > 1) return { ...common, schema, example }
      // A list that is empty by default, because an import sends every parameter, of a set of one value that value.
      const list = { type: 'array', items: schema, maxItems: 1, default: [] }
      return { ...common, style: 'form', explode: true, schema: list, example: [] }
    }
    case 'list': {
      const { choices, known, explode = false, example = choices?.[0] ?? '' } = parameter
      // Other values are allowed, and match nothing.
      const text = known ? { anyOf: [closedSet(known), TEXT] } : TEXT
      const items = choices ? closedSet(choices) : text
      // An empty list would be sent as an empty value, which isn't in the set.
      const schema = { type: 'array', items, ...(choices && { minItems: 1 }) }
      const style = { style: 'form', explode, schema }
      return { ...common, ...style, example: example.split(',') }
    }
  }
}
