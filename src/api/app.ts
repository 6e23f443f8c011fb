/**
 * The API host: routes on Elysia, and one way in. Every route's handler runs the same gates
 * (`call.ts`); no hook decides anything, because a plugin's hooks don't reach its parent's routes
 * and a validator's errors would come before the key is read.
 */
import { Elysia } from 'elysia'
import { ENDPOINTS } from '../contract/endpoints.ts'
import { ApiError } from '../contract/errors.ts'
import type { IncomingRequest } from '../runtime.ts'
import { answerCall } from './call.ts'
import { prepareDataCall } from './data-call.ts'
import type { DataEndpoint } from './endpoint.ts'
import {
  type ApiServices,
  answerError,
  type Exchange,
  openExchange,
  refuseOversized,
} from './exchange.ts'
import {
  listInvestors,
  listProjects,
  listServices,
  readInvestor,
  readProject,
  readService,
} from './routes/companies.ts'
import { prepareMe } from './routes/me.ts'
import { listPeople, readPerson } from './routes/people.ts'
import { search } from './routes/search.ts'

/** Every billed endpoint; the documentation reads the same list. */
export const DATA_ENDPOINTS = [
  listPeople,
  readPerson,
  listProjects,
  readProject,
  listInvestors,
  readInvestor,
  listServices,
  readService,
  search,
] as const

/** Paths that are planned and answer 404 `not_live` (D40). */
const PLANNED = ['/v1/network']

/** Answers a request. Never throws. */
export type ApiFetch = (request: IncomingRequest) => Promise<Response>

/** Builds the API host. Nothing is listening yet: the result is a function from request to response. */
export function createApi(services: ApiServices): ApiFetch {
  /** Where each request came from: Elysia hands its handlers the request and nothing beside it. */
  const exchanges = new WeakMap<Request, Exchange>()
  const exchangeOf = (request: Request) => exchanges.get(request) ?? openExchange(services, request)

  /** Whatever a route throws is answered here: nothing is left to the framework's own error page. */
  const route =
    (answer: (exchange: Exchange, path: string) => Promise<Response>) =>
    async ({ request, path }: { request: Request; path: string }): Promise<Response> => {
      const exchange = exchangeOf(request)
      try {
        return await answer(exchange, path)
      } catch (error) {
        return answerError(services, exchange, error)
      }
    }

  // Strict: `/v1/people/` with an empty id must not be answered, and billed, as a list.
  // Without standardHostname: a host name of up to three letters would be taken for part of the path.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
  for (const endpoint of DATA_ENDPOINTS as readonly DataEndpoint[]) {
    const hasId = endpoint.price.path.includes(':')
    app.all(
      endpoint.price.path,
      route((exchange, path) =>
        answerCall(services, exchange, endpoint.price, (key) =>
          prepareDataCall(services, endpoint, exchange, hasId ? lastPart(path) : '', key),
        ),
      ),
    )
  }
  app.all(
    ENDPOINTS.me.path,
    route((exchange) =>
      answerCall(services, exchange, ENDPOINTS.me, (key) => prepareMe(services, exchange, key)),
    ),
  )
  for (const path of PLANNED) {
    app.all(
      path,
      route(async () => {
        throw new ApiError('not_live', `${path} is planned and not live yet.`)
      }),
    )
  }
  app.all(
    '/*',
    route(async () => {
      throw new ApiError('not_found', 'There is no such path; see the documentation.')
    }),
  )

  async function answer(request: Request, exchange: Exchange): Promise<Response> {
    try {
      refuseOversized(exchange)
      return await app.fetch(request)
    } catch (error) {
      return answerError(services, exchange, error)
    }
  }

  return async (request) => {
    const exchange = openExchange(services, request)
    exchanges.set(request, exchange)
    const response = await answer(request, exchange)
    // Elysia takes an error's body away from HEAD on some routes and not on others.
    return request.method === 'HEAD' && response.body ? new Response(null, response) : response
  }
}

/** The path's last part as it was sent: Elysia's own decoding turns bad encoding into null. */
function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
