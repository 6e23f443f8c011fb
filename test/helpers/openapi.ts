/** The OpenAPI document of the API's routes, without a running service. */
import { exampleAnswers, exampleApi } from '../../src/api/examples.ts'
import { type Addresses, openApiDocument } from '../../src/api/openapi/document.ts'

export async function documentOf(addresses: Addresses) {
  return openApiDocument(exampleApi(addresses).routes, addresses, await exampleAnswers(addresses))
}
