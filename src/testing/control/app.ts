/** The control of a test server: the kit over HTTP, for tests in any language. */

import { swagger } from '@elysiajs/swagger'
import type { TSchema } from '@sinclair/typebox'
import { type DocumentDecoration, Elysia, NotFoundError } from 'elysia'
import { API_VERSION } from '../../contract/version.ts'
import {
  describeError,
  type Json,
  type JsonObject,
  once,
  openApi30,
  parseJson,
  reference,
} from '../../embed-testing.ts'
import { NotThere, WrongOption } from '../options.ts'
import type { TestDirectory } from '../test-directory.ts'
import type { Asked, Operation } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import * as schemas from './schemas.ts'

const SPEC_PATH = '/openapi.json'
const HIDDEN = { detail: { hide: true } }

const DESCRIPTION = `Controls a test server: the real service over a database in memory. Its clock, accounts and faults are a test's to set.

Bodies are JSON objects; one that is not sent counts as \`{}\`. A name that is not known here is refused.`

/** Descriptions of path parameters. */
const PARAMETERS: Readonly<Record<string, string>> = {
  id: 'The id.',
  key: 'The key itself.',
}

/** @param urls the addresses of API, application and control. */
export function createControl(
  directory: TestDirectory,
  urls: () => { apiUrl: string; appUrl: string; controlUrl: string },
) {
  const operations: readonly Operation[] = [
    {
      method: 'GET',
      path: '/',
      operationId: 'getAddresses',
      summary: 'Where the test server is reached',
      answer: schemas.addresses,
      run: () => ({ ...urls(), now: directory.now().toISOString() }),
    },
    ...OPERATIONS,
  ]
  const routes = new Elysia({ strictPath: true }).onError(({ error }) => refusal(error))
  for (const operation of operations) {
    const { method, path, status = 200 } = operation
    const answer = async (request: Request, asked: Omit<Asked, 'body'>) => {
      checkQuery(operation, asked.query)
      const body = operation.body ? await bodyOf(request) : {}
      const result = await operation.run(directory, { ...asked, body })
      return operation.answer
        ? Response.json(result, { status })
        : new Response(null, { status: 204 })
    }
    routes.route(method, path, ({ request, params, query }) => answer(request, { params, query }), {
      detail: detailOf(operation),
      parse: 'none',
    })
  }
  const document = once(() => documentOf(routes, urls().controlUrl))
  const app = new Elysia({ strictPath: true })
    .use(routes)
    .get(SPEC_PATH, document, HIDDEN)
    .all(
      '/*',
      () => {
        throw new NotThere(`there is no such operation; GET ${SPEC_PATH} lists them`)
      },
      HIDDEN,
    )
    .onError(({ error }) => refusal(error))
  return {
    fetch: async (request: Request) =>
      isOfThisMachine(request) ? app.fetch(request) : failure(403, 'not_allowed', NOT_ALLOWED),
  }
}

const THIS_MACHINE = ['127.0.0.1', 'localhost', '[::1]']
const NOT_ALLOWED = `expected to be asked as ${THIS_MACHINE.join(', ')}, and by no page of elsewhere`

/** Whether it asks for a name of this machine, and no page of elsewhere sent it: a browser takes both where pages say. */
function isOfThisMachine({ headers }: Request): boolean {
  const [host, origin] = [headers.get('host'), headers.get('origin')]
  const isHere = (url: string) => THIS_MACHINE.includes(URL.parse(url)?.hostname ?? '')
  return isHere(`http://${host}`) && (origin === null || isHere(origin))
}

function checkQuery({ path, query = {} }: Operation, sent: Readonly<Record<string, string>>) {
  const known = Object.keys(query)
  const unknown = Object.keys(sent).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const allowed = known.length > 0 ? `there are ${known.join(', ')}` : 'there are none'
  throw new WrongOption(`${path}: there is no parameter ${unknown}; ${allowed}`)
}

/** @throws TypeError where it is no JSON object. */
async function bodyOf(request: Request): Promise<object> {
  const text = await request.text()
  if (text.trim() === '') return {}
  try {
    const body = parseJson(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  } catch {
    // Throws below.
  }
  throw new WrongOption('body: expected a JSON object')
}

const failure = (status: number, code: string, message: string) =>
  Response.json({ error: { code, message } }, { status })

/** An error as the control answers it. */
function refusal(error: unknown): Response {
  if (error instanceof NotThere) return failure(404, 'not_found', error.message)
  if (error instanceof NotFoundError) return failure(404, 'not_found', 'there is no such operation')
  if (error instanceof WrongOption) {
    return failure(400, 'invalid_option', error.message)
  }
  return failure(500, 'internal_error', describeError(error))
}

/** An operation as OpenAPI writes it. */
function detailOf({ path, body, query = {}, answer, status = 200, ...said }: Operation) {
  const { operationId, summary } = said
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      description: PARAMETERS[name] ?? '',
      schema: { type: 'string' },
    })),
    ...Object.entries(query).map(([name, description]) => ({
      name,
      in: 'query',
      description,
      schema: { type: 'string' },
    })),
  ]
  const done = answer
    ? { [status]: { description: answer.description ?? '', content: content(answer) } }
    : { 204: { description: 'Done.' } }
  const detail: JsonObject = {
    operationId,
    summary,
    parameters,
    ...(body && { requestBody: { content: content(body) } }),
    responses: {
      ...done,
      400: { description: 'An option is wrong.', content: content(schemas.error) },
      403: {
        description: 'Asked as another machine, or by a page of one.',
        content: content(schemas.error),
      },
      404: { description: 'There is no such thing.', content: content(schemas.error) },
    },
  }
  return detail as DocumentDecoration
}

const content = ({ $id = '' }: TSchema): JsonObject => ({
  'application/json': { schema: reference($id) },
})

async function documentOf(
  routes: Parameters<Elysia['use']>[0],
  controlUrl: string,
): Promise<JsonObject> {
  const documentation = {
    info: { title: 'Chainkin test server', version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: controlUrl, description: 'This test server' }],
  }
  const app = new Elysia().use(swagger({ specPath: SPEC_PATH, documentation })).use(routes as never)
  const response = await app.handle(new Request(`http://openapi.invalid${SPEC_PATH}`))
  const document = (await response.json()) as JsonObject
  return { ...document, components: { schemas: components() } }
}

/** Every schema that has a name, however deep it is used. */
function components(): JsonObject {
  const found: JsonObject = {}
  const visit = (value: Json) => {
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value) && typeof value.$id === 'string') {
      found[value.$id] = openApi30(value, true)
    }
    Object.values(value).forEach(visit)
  }
  // Through JSON, because TypeBox marks its schemas by symbols.
  visit(JSON.parse(JSON.stringify(schemas)))
  return found
}
