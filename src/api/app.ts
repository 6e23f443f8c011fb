/** The API host: routes on Elysia hand a context to the pipeline, and one error handler answers what is thrown. */
import { type AnyElysia, Elysia } from 'elysia'
import { type EndpointName, PLANNED_PATHS } from '../contract/endpoints.ts'
import { ApiError, type ErrorCode } from '../contract/errors.ts'
import type { ResolvedKey } from '../money/accounts/key-cache.ts'
import { CallerLeft } from '../money/charge/call.ts'
import type { IncomingRequest } from '../runtime.ts'
import { type ApiHost, type ApiServices, checkSize, openContext } from './context.ts'
import { operationOf } from './openapi/operations.ts'
import { answerCall } from './pipeline.ts'
import { errorOf } from './refusals.ts'
import { noteError } from './request-notes.ts'
import { errorResponse, fixedHeaders, isPreflight, optionsResponse } from './responses.ts'
import { listCompanies, readInvestor, readProject, readService } from './routes/companies.ts'
import type { ApiEndpoint } from './routes/endpoint.ts'
import { readAccount } from './routes/me.ts'
import { listPeople, readPerson } from './routes/people.ts'
import { search } from './routes/search.ts'

const API_ENDPOINTS: Readonly<Record<EndpointName, ApiEndpoint>> = {
  me: readAccount,
  people: listPeople,
  person: readPerson,
  projects: listCompanies('projects'),
  project: readProject,
  investors: listCompanies('investors'),
  investor: readInvestor,
  services: listCompanies('services'),
  service: readService,
  search,
}

/** Answers a request. Never throws. */
export type ApiFetch = (request: IncomingRequest) => Promise<Response>

export interface Api {
  fetch: ApiFetch
  /**
   * Answers a call without a key, by a key that the caller has checked: it is in force, and the person may use it.
   * The call passes every gate; its charge checks the key again. Never throws.
   */
  fetchWith: (key: ResolvedKey, request: IncomingRequest) => Promise<Response>
  /** The routes, for the OpenAPI document. */
  routes: AnyElysia
}

/** nginx's status for a client that closed its connection: nobody receives it. */
const CLIENT_CLOSED = 499

const UNDOCUMENTED = { detail: { hide: true } }

/** Builds the API host. Nothing is listening yet: the result is a function from request to response. */
export function createApi(services: ApiServices): Api {
  const host: ApiHost = {
    ...services,
    fixedHeaders: fixedHeaders(services),
    chosenKeys: new WeakMap(),
  }
  // Strict: `/v1/people/` with an empty id must not be answered, and billed, as a list.
  // Without standardHostname: a host name of up to three letters would be taken for part of the path.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .derive(({ request, path }) => ({ context: openContext(host, request, path) }))
    .onTransform(({ context }) => checkSize(context))
    .onError(({ error, request, path, context = openContext(host, request, path) }) => {
      if (error instanceof CallerLeft) return new Response(null, { status: CLIENT_CLOSED })
      // A failed preflight would hide the error from the script, so the call that follows gets it.
      if (isPreflight(context)) return optionsResponse(context)
      const refusal = errorOf(context, error)
      noteError(context, refusal)
      return errorResponse(context, refusal)
    })
  for (const name of Object.keys(API_ENDPOINTS) as EndpointName[]) {
    const endpoint = API_ENDPOINTS[name]
    const { path } = endpoint.contract
    // Elysia sends a HEAD to the handler of GET: the pipeline tells them apart.
    app.get(path, async ({ context }) => answerCall(context, endpoint), {
      detail: operationOf(name),
    })
    app.options(path, ({ context }) => optionsResponse(context), UNDOCUMENTED)
    app.all(path, refuseMethod, UNDOCUMENTED)
  }
  for (const path of PLANNED_PATHS) {
    app.all(path, refuse('not_live', `${path} is planned and not live yet.`), UNDOCUMENTED)
  }
  const noPath = 'There is no such path; see the documentation.'
  app.all('/*', refuse('not_found', noPath), UNDOCUMENTED)
  const fetch: ApiFetch = async (request) => app.fetch(request)
  return {
    fetch,
    fetchWith(key, request) {
      host.chosenKeys.set(request, key)
      return fetch(request)
    },
    routes: app,
  }
}

/** Methods of RFC 9110 beside GET, HEAD and OPTIONS, with PATCH and QUERY. */
const KNOWN_METHODS = /^(POST|PUT|PATCH|DELETE|CONNECT|TRACE|QUERY)$/

function refuseMethod({ request }: { request: Request }): never {
  const code = KNOWN_METHODS.test(request.method) ? 'method_not_allowed' : 'unknown_method'
  throw new ApiError(code, 'Send a GET: the API is read-only.')
}

function refuse(code: ErrorCode, message: string) {
  return () => {
    throw new ApiError(code, message)
  }
}
