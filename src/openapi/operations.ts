/** An endpoint as OpenAPI writes it: the `detail` of its route. */
import type { DocumentDecoration } from 'elysia'
import { ENDPOINTS, type EndpointName } from '../contract/endpoints.ts'
import { openApiParameters, rejectedParameters } from './parameters.ts'
import { refusalsOf, success } from './responses.ts'
import type { JsonObject } from './schemas.ts'

export function operationOf(name: EndpointName): DocumentDecoration {
  const { operationId, tag, summary } = ENDPOINTS[name]
  const operation: JsonObject = {
    operationId,
    tags: [tag],
    summary,
    description: descriptionOf(name),
    parameters: openApiParameters(ENDPOINTS[name]),
    responses: { 200: success(name), ...refusalsOf(ENDPOINTS[name]) },
  }
  return operation as DocumentDecoration
}

/** Text, price, scope and what is refused, in CommonMark. */
function descriptionOf(name: EndpointName): string {
  const { description, credits, revealCredits, parameters } = ENDPOINTS[name]
  const canReveal = revealCredits > credits
  const reveal = canReveal ? `, or ${revealCredits} on a first reveal` : ''
  const scope = canReveal ? '; a reveal also `read:contacts`' : ''
  const price = `Costs ${credits} credits${reveal}. Needs the scope \`read:metadata\`${scope}.`
  return `${description}\n\n${price}${rejectedParameters(parameters)}`
}
