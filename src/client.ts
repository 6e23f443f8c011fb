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
import type { ENDPOINTS, EndpointName } from './contract/endpoints.ts'
import type { ERRORS } from './contract/errors.ts'
import type { Parameter, Parameters } from './contract/query.ts'
import type { TypedBodies } from './contract/schemas/bodies.ts'
import type { error } from './contract/schemas/error.ts'

/** The type of a parameter as a client sends it. A list is comma-separated or an array. */
type Sent<P extends Parameter> = P extends { kind: 'integer' }
  ? number
  : P extends { kind: 'choice' }
    ? P['choices'][number]
    : P extends { kind: 'list' }
      ? string | string[]
      : string

type RequiredNames<P extends Parameters> = {
  [N in keyof P]: P[N] extends { required: true } ? N : never
}[keyof P]

type Query<P extends Parameters> = { [N in RequiredNames<P>]: Sent<P[N]> } & {
  [N in Exclude<keyof P, RequiredNames<P>>]?: Sent<P[N]>
}

/** Why a call was not answered. */
export type ApiError = Static<typeof error>

type ErrorStatus = (typeof ERRORS)[keyof typeof ERRORS]['status']

/** Live data, or the sample of an endpoint that has one. */
type Answer<Body> = Static<Extract<Body[keyof Body], TSchema>>

interface Route<N extends EndpointName> {
  body: unknown
  params: Record<string, string>
  query: Query<(typeof ENDPOINTS)[N]['parameters']>
  headers: unknown
  response: { 200: Answer<TypedBodies[N]> } & { [S in ErrorStatus]: ApiError }
}

/** A tree of paths for each endpoint, and all of them joined to one. */
type Tree = { [N in EndpointName]: CreateEden<(typeof ENDPOINTS)[N]['path'], { get: Route<N> }> }
type Joined<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

/** The API, as Eden's `treaty` takes it. */
export type Api = Elysia & { '~Routes': Joined<Tree[EndpointName]> }
