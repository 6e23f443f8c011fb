/**
 * Types of the API for clients in TypeScript, made from the tables that it answers by. For Eden:
 *
 *     import { treaty } from '@elysiajs/eden'
 *     import type { Api } from 'chainkin/client'
 *
 *     // parseDate: times stay the text that the types say they are
 *     const api = treaty<Api>(baseUrl, { headers: { authorization: `Bearer ${key}` }, parseDate: false })
 *     const { data, error } = await api.v1.people({ id: 'ada-ashford' }).get({ query: { include: 'private' } })
 *
 * A 200 is live data or a sample, which `'sample' in data` tells apart. Clients in other languages take
 * `{app_url}/openapi.json`.
 */
import type { Static, TSchema } from '@sinclair/typebox'
import type { CreateEden, Elysia } from 'elysia'
import type {
  listInvestors,
  listProjects,
  listServices,
  readInvestor,
  readProject,
  readService,
} from './api/routes/companies.ts'
import type { listPeople, readPerson } from './api/routes/people.ts'
import type { search } from './api/routes/search.ts'
import type { ENDPOINTS } from './contract/endpoints.ts'
import type {
  ChoiceParameter,
  IntegerParameter,
  ListParameter,
  Parameter,
  Parameters,
} from './contract/query.ts'
import type { TypedBodies } from './contract/schemas/bodies.ts'
import type { error } from './contract/schemas/error.ts'

type Name = keyof typeof ENDPOINTS

/** The query parameters of every endpoint, as its route declares them. */
interface QueryParameters extends Record<Name, Parameters> {
  me: Record<never, never>
  people: (typeof listPeople)['parameters']
  person: (typeof readPerson)['parameters']
  projects: (typeof listProjects)['parameters']
  project: (typeof readProject)['parameters']
  investors: (typeof listInvestors)['parameters']
  investor: (typeof readInvestor)['parameters']
  services: (typeof listServices)['parameters']
  service: (typeof readService)['parameters']
  search: (typeof search)['parameters']
}

/** What a client may send for a parameter. A list is comma-separated; only some may be repeated (D11). */
type Sent<P extends Parameter> = P extends IntegerParameter
  ? number
  : P extends ChoiceParameter
    ? P['choices'][number]
    : P extends ListParameter
      ? P extends { repeatable: true }
        ? string | string[]
        : string
      : string

type RequiredNames<P extends Parameters> = {
  [N in keyof P]: P[N] extends { required: true } ? N : never
}[keyof P]

type Query<P extends Parameters> = { [N in RequiredNames<P>]: Sent<P[N]> } & {
  [N in Exclude<keyof P, RequiredNames<P>>]?: Sent<P[N]>
}

/** Why a call was not answered (D7). */
export type ApiError = Static<typeof error>

type Answer<Body> = Body extends {
  live: infer Live extends TSchema
  sample: infer S extends TSchema
}
  ? Static<Live> | Static<S>
  : Body extends { live: infer Live extends TSchema }
    ? Static<Live>
    : never

/** Every status that the contract knows beside 200. */
type ErrorStatus = 400 | 401 | 402 | 403 | 404 | 414 | 429 | 431 | 500 | 503

interface Route<N extends Name> {
  get: {
    body: unknown
    params: Record<string, string>
    query: Query<QueryParameters[N]>
    headers: unknown
    response: { 200: Answer<TypedBodies[N]> } & { [status in ErrorStatus]: ApiError }
  }
}

/** Joins `/v1/people` and `/v1/people/:id` and all others to one tree. */
type Joined<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

type Routes = Joined<
  { [N in Name]: CreateEden<(typeof ENDPOINTS)[N]['path'], { get: Route<N>['get'] }> }[Name]
>

interface Nothing {
  decorator: Record<never, never>
  store: Record<never, never>
  derive: Record<never, never>
  resolve: Record<never, never>
}

/** The API, as Eden's `treaty` takes it. */
export type Api = Elysia<
  '',
  Nothing,
  { typebox: Record<never, never>; error: Record<never, never> },
  {
    schema: Record<never, never>
    standaloneSchema: Record<never, never>
    macro: Record<never, never>
    macroFn: Record<never, never>
    parser: Record<never, never>
    response: Record<never, never>
  },
  Routes extends Record<string, unknown> ? Routes : never
>
