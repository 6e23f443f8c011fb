/** Endpoints of the API: a row of the contract, a read, and a sample. `pipeline.ts` answers calls of them. */

import type { Config } from '../../config.ts'
import type { Endpoint } from '../../contract/endpoints.ts'
import type { Parameters, Values } from '../../contract/query.ts'
import type { ListName } from '../../contract/vocabulary.ts'
import type { DirectoryReads } from '../../directory/records/directory.ts'
import { type ReadyAnswer, readyAnswer } from '../../directory/records/ready-answer.ts'
import { arrayOf, type Template, template } from '../../directory/records/template.ts'
import type { ResolvedKey } from '../../money/accounts/key-cache.ts'
import type { Outcome } from '../../money/charge/call.ts'

/** The result of a read, which needs nothing more of the directory: the meter decides after it. */
export interface Reading {
  /** The record exists (gate 8). Always true for lists. */
  readonly exists: boolean
  /** The person whose unlock sets the price, or null. */
  readonly person: string | null
  /** Ids of the people that have a slot in `answer`. */
  readonly contacts: readonly string[]
  /** Shows the channels of unlocked people. */
  readonly channels: boolean
  /** The members of the body without its braces and without `meta`. */
  readonly answer: ReadyAnswer
}

/** A sample's members beside `notice`, `sample`, `total`, `data` and `meta`. */
export interface Sample {
  /** Members of the live body that are not called `data` or `total`, as JSON text; may be empty. */
  members: string
  /** The synthetic records, as JSON text. */
  data: string
  total: number
}

/** Addresses and name of the service that answers. */
export interface ServiceIdentity {
  baseUrl: string
  appUrl: string
  config: Pick<Config, 'serviceName'>
}

export interface ApiEndpoint<P extends Parameters = Parameters> {
  contract: Endpoint
  /** The list that it answers, and whose values its filters take. */
  list?: ListName
  /** The call requests a reveal (gate 6). The meter looks up if there is something to reveal. */
  asksReveal?(query: Values<P>): boolean
  /** @param id the path's id or slug, '' for endpoints without one. */
  read(directory: DirectoryReads, query: Values<P>, id: string): Reading
  /** Lookup without an answer, for the quote of an endpoint with an id. */
  find?(directory: DirectoryReads, id: string): Pick<Reading, 'exists' | 'person'>
  /** Billed endpoints have one. */
  sample?(query: Values<P>): Sample
  /** The body of `/v1/me`, which is made of the meter's outcome and not of the directory. */
  describeAccount?(service: ServiceIdentity, key: ResolvedKey, outcome: Outcome): object
}

/** An endpoint with an id has a `find`: without it a quote would take each record to be there. */
type Finding<E extends Endpoint> = E['path'] extends `${string}:${string}`
  ? Required<Pick<ApiEndpoint, 'find'>>
  : unknown

/** Types an endpoint by the parameters and the path of its row. */
export function apiEndpoint<E extends Endpoint>(
  contract: E,
  endpoint: Omit<ApiEndpoint<E['parameters']>, 'contract'> & Finding<E>,
): ApiEndpoint<E['parameters']> {
  return { contract, ...endpoint }
}

/** A reading of a list: it always exists, and shows no channel. */
export function listReading(answer: ReadyAnswer): Reading {
  return { exists: true, person: null, contacts: answer.contacts, channels: false, answer }
}

/** A reading of one record and the people around it. */
export function recordReading(answer: ReadyAnswer): Reading {
  return { ...listReading(answer), channels: true }
}

const NOTHING = readyAnswer([])

/** The reading of `/v1/me`, which isn't made of the directory. */
export const NO_RECORDS: Reading = listReading(NOTHING)

/** The reading where no record was found, or the call was refused before. */
export const MISSING: Reading = { ...NO_RECORDS, exists: false }

type Page = { page: number; limit: number }

/** The pagination envelope of lists, as JSON members. */
export function envelope(
  records: readonly (string | Template)[],
  total: number,
  query: Page,
): Template {
  return template`"data":${arrayOf(records)},"total":${total},${sampleEnvelope(total, query)}`
}

/** The envelope without `data` and `total`, which a sample writes elsewhere. */
export function sampleEnvelope(total: number, { page, limit }: Page): string {
  return `"page":${page},"limit":${limit},"totalPages":${Math.ceil(total / limit)}`
}
