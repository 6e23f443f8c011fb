/**
 * The API host: routes on Elysia, and one way in. Every route's handler runs the same gates
 * (`call.ts`); no hook decides anything, because a plugin's hooks don't reach its parent's routes
 * and a validator's errors would come before the key is read.
 */
import { Elysia } from 'elysia'
import { ENDPOINTS } from '../metering/prices.ts'
import { type ApiServices, answerCall, answerError, type Exchange, openExchange, refuseOversized } from './call.ts'
import { prepareDataCall } from './data-call.ts'
import type { DataEndpoint } from './endpoint.ts'
import { ApiError } from './errors.ts'
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

/** Answers a request that came from a socket with this IP address. Never throws. */
export type ApiFetch = (request: Request, socketAddress: string) => Promise<Response>

/** Builds the API host. Nothing is listening yet: the result is a function from request to response. */
export function createApi(services: ApiServices): ApiFetch {
  /** Where each request came from: Elysia hands its handlers the request and nothing beside it. */
  const exchanges = new WeakMap<Request, Exchange>()
  const exchangeOf = (request: Request) => exchanges.get(request) ?? openExchange(services, request, '')

  const app = new Elysia()
  for (const endpoint of DATA_ENDPOINTS as readonly DataEndpoint[]) {
    app.all(endpoint.price.path, ({ request, params, path }) =>
      answerCall(services, exchangeOf(request), endpoint.price, (key) =>
        prepareDataCall(services, endpoint, exchangeOf(request), rawId(params, path), key),
      ),
    )
  }
  app.all(ENDPOINTS.me.path, ({ request }) =>
    answerCall(services, exchangeOf(request), ENDPOINTS.me, (key) =>
      prepareMe(services, exchangeOf(request), key),
    ),
  )
  for (const path of PLANNED) {
    app.all(path, () => {
      throw new ApiError('not_live', `${path} is planned and not live yet.`)
    })
  }
  app.onError(({ error, code, request, set }) => {
    const exchange = exchangeOf(request)
    const thrown =
      code === 'NOT_FOUND' ? new ApiError('not_found', 'There is no such path; see the documentation.') : error
    const response = answerError(services, exchange, thrown)
    set.status = response.status
    return response
  })

  return async (request, socketAddress) => {
    const exchange = openExchange(services, request, socketAddress)
    exchanges.set(request, exchange)
    try {
      refuseOversized(exchange)
      return await app.fetch(request)
    } catch (error) {
      return answerError(services, exchange, error)
    }
  }
}

/** The path's last part as it was sent: Elysia's own decoding turns bad encoding into null. */
function rawId(params: Record<string, string>, path: string): string {
  return Object.keys(params).length === 0 ? '' : path.slice(path.lastIndexOf('/') + 1)
}
