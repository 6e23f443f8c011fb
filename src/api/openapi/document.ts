/** The OpenAPI document: the swagger plugin lists the routes, and this adds the components. */
import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { CALL_CREDITS, REVEAL_CREDITS, TAGS } from '../../contract/endpoints.ts'
import { API_VERSION } from '../../contract/version.ts'
import { HEADER_PARAMETERS } from './operations.ts'
import { DOCUMENTED_CODES, refusalComponents, responseHeaders } from './responses.ts'
import { type Json, type JsonObject, namedSchemas, openApi30 } from './schemas.ts'

const SPEC_PATH = '/openapi.json'

/** The document's description, in CommonMark. */
const OVERVIEW = `A read-only API over people, projects, funds and service providers of the crypto industry.

- Every call is a GET with \`Authorization: Bearer <API_KEY>\`. OPTIONS is free, and so is HEAD, which answers in headers what the GET would cost now: \`Service-Outcome\`, \`Service-Credits-Required\`, \`Service-Credits-Balance\`.
- A data call costs ${CALL_CREDITS} credits, the first reveal of a contact ${REVEAL_CREDITS}. Only a 200 with live data is charged; an empty list is live data.
- A free account without enough credits gets **samples**: invented records, marked by the header \`Service-Sample\` and by \`sample: true\`. A paid one gets a 402.
- A call with the header \`Idempotency-Key\` is charged once, however often it is repeated with the same key within 24 hours.
- A parameter that does not exist is a 400, and so is a value of a filter that no record has and that is near one, so that a misspelt filter costs nothing. The documentation lists all values of filters, with counts, at \`/docs/values\`.
- Fields may be added within a major version. Ignore those that you don't know.`

/** Addresses of the service without a trailing slash, and its name. */
export interface Addresses {
  baseUrl: string
  appUrl: string
  serviceName: string
}

/** Answers of the API, as the document shows them. */
export interface Examples {
  /** By the endpoint's name; `/v1/me` has no sample. */
  live: Readonly<Record<string, Json>>
  sample: Readonly<Record<string, Json>>
  /** A first reveal. */
  reveal: Json
  /** By code. */
  errors: Readonly<Record<string, Json>>
}

/** @param routes the application that answers the API, whose routes carry their operations. */
export async function openApiDocument(
  routes: AnyElysia,
  { baseUrl, appUrl, serviceName }: Addresses,
  examples: Examples,
): Promise<JsonObject> {
  const documentation = {
    info: {
      title: `${serviceName} API`,
      version: API_VERSION,
      description: OVERVIEW,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      contact: { name: serviceName, url: appUrl },
    },
    servers: [{ url: baseUrl, description: 'This service' }],
    security: [{ bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    externalDocs: { description: 'Credits, samples and limits', url: `${appUrl}/docs/credits` },
  }
  const app = new Elysia().use(swagger({ specPath: SPEC_PATH, documentation })).use(routes)
  const response = await app.handle(new Request(`http://openapi.invalid${SPEC_PATH}`))
  const document = (await response.json()) as JsonObject
  return { ...document, components: componentsOf(examples) }
}

/** Components. The plugin's own are TypeBox's, which OpenAPI 3.0 doesn't know. */
function componentsOf(examples: Examples): JsonObject {
  const schemas = Object.entries(namedSchemas()).map(([name, schema]) => {
    // Through JSON, because TypeBox marks its schemas by symbols.
    return [name, openApi30(JSON.parse(JSON.stringify(schema)), true)]
  })
  return {
    schemas: Object.fromEntries(schemas),
    parameters: HEADER_PARAMETERS,
    headers: responseHeaders(),
    responses: refusalComponents(),
    examples: exampleComponents(examples),
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'An API key; it begins with `ck_live_`. Its scopes are listed on `/v1/me`.',
      },
    },
  }
}

/** Examples by name: an endpoint's own for its live answer, and a code's for an error. */
function exampleComponents({ live, sample, reveal, errors }: Examples): JsonObject {
  const named = (suffix: string, summary: string, values: Readonly<Record<string, Json>>) =>
    Object.entries(values).map(([name, value]) => [`${name}${suffix}`, { summary, value }])
  return Object.fromEntries([
    ...named('', 'Live', live),
    ...named('_sample', 'Sample: not real data, 0 credits', sample),
    ...named('', 'First reveal', { person_reveal: reveal }),
    ...[...DOCUMENTED_CODES].map((code) => [code, { summary: code, value: errors[code] }]),
  ])
}
