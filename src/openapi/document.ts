/**
 * The OpenAPI document, made by the swagger plugin from a describing application: the same paths as
 * the API host's, with a description where that has a handler. It is made once, at start.
 */
import { swagger } from '@elysiajs/swagger'
import { type DocumentDecoration, Elysia } from 'elysia'
import { DATA_ENDPOINTS } from '../api/app.ts'
import { ENDPOINTS } from '../contract/endpoints.ts'
import type { Parameters } from '../contract/query.ts'
import { API_VERSION } from '../contract/version.ts'
import { type Addresses, type Examples, exampleAnswers } from './examples.ts'
import { descriptionOf, OPERATIONS, OVERVIEW, TAGS } from './operations.ts'
import { HEADER_PARAMETERS, openApiParameters } from './parameters.ts'
import {
  DOCUMENTED_CODES,
  RESPONSE_HEADERS,
  refusalComponents,
  refusalsOf,
  success,
} from './responses.ts'
import { type Json, type JsonObject, namedSchemas, openApi30 } from './schemas.ts'

type EndpointName = keyof typeof ENDPOINTS

const SPEC_PATH = '/openapi.json'

/** Builds the document (OpenAPI 3.0) for a service that is reached at these addresses. */
export async function openApiDocument(addresses: Addresses): Promise<JsonObject> {
  const { baseUrl, appUrl, serviceName } = addresses
  const app = new Elysia()
    .use(
      swagger({
        specPath: SPEC_PATH,
        documentation: {
          info: {
            title: `${serviceName} API`,
            version: API_VERSION,
            description: OVERVIEW,
            license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
            contact: { name: serviceName, url: appUrl },
          },
          servers: [{ url: baseUrl, description: 'This service' }],
          security: [{ bearer: [] }],
          tags: [...TAGS],
          externalDocs: {
            description: 'Credits, samples and limits',
            url: `${appUrl}/docs/credits`,
          },
        },
      }),
    )
    .model(namedSchemas())
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const detail = operation(name, parametersOf(name)) as DocumentDecoration
    app.get(ENDPOINTS[name].path, () => '', { detail })
  }
  const response = await app.handle(new Request(`http://openapi.invalid${SPEC_PATH}`))
  return completed((await response.json()) as JsonObject, await exampleAnswers(addresses))
}

function parametersOf(name: EndpointName): Parameters {
  const { path } = ENDPOINTS[name]
  return DATA_ENDPOINTS.find(({ price }) => price.path === path)?.parameters ?? {}
}

function operation(name: EndpointName, parameters: Parameters): JsonObject {
  const endpoint = ENDPOINTS[name]
  const { id, tag } = OPERATIONS[name]
  return {
    operationId: id,
    tags: [tag],
    summary: endpoint.summary,
    description: descriptionOf(name, parameters),
    parameters: openApiParameters(endpoint, parameters),
    responses: { 200: success(name), ...refusalsOf(endpoint, parameters) },
  }
}

/**
 * What the plugin leaves to do: its schemas are TypeBox's own, each with all others inside, where
 * OpenAPI 3.0 wants references and its own words. Components other than schemas are added here too.
 */
function completed(document: JsonObject, examples: Examples): JsonObject {
  const schemas = Object.entries(namedSchemas()).map(([name]) => {
    const { schemas } = document.components as { schemas: JsonObject }
    return [name, openApi30(schemas[name] ?? null, true)]
  })
  return {
    ...document,
    components: {
      schemas: Object.fromEntries(schemas),
      parameters: HEADER_PARAMETERS,
      headers: RESPONSE_HEADERS,
      responses: refusalComponents(),
      examples: exampleComponents(examples),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key; it begins with `ck_live_`. Its scopes are listed on `/v1/me`.',
        },
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
