/**
 * The client of the API, `@chainkin/sdk`. It has no dependencies: the types in `generated` are made from the API's schemas.
 * `README.md` has an example.
 */
import type {
  Answer,
  Asked,
  BilledOperation,
  CallInfo,
  ListOperation,
  Operation,
  Query,
  RecordOf,
} from './answer.ts'
import { type Budget, budgetOf } from './budget.ts'
import { Caller } from './call.ts'
import { badArgument, notNext } from './errors.ts'
import { OPERATIONS } from './generated/operations.ts'
import type { Rate } from './limiter.ts'
import { type ChainkinOptions, checkOptions, type Samples } from './options.ts'
import type { Quote } from './read-quote.ts'

export type {
  Answer,
  Asked,
  BilledOperation,
  CallInfo,
  ListOperation,
  Live,
  Operation,
  Query,
  RecordOf,
  Sample,
} from './answer.ts'
export {
  ChainkinError,
  type ChainkinErrorCode,
  type ChainkinFailure,
  type ClientErrorCode,
  type ErrorDetails,
  isChainkinError,
} from './errors.ts'
export type * from './generated/account.ts'
export type * from './generated/companies.ts'
export type { ApiErrorCode } from './generated/errors.ts'
export type * from './generated/live.ts'
export type * from './generated/people.ts'
export type * from './generated/queries.ts'
export type * from './generated/samples.ts'
export type { Rate } from './limiter.ts'
export type { ChainkinOptions, Fetch, FetchInit, FetchResponse, Samples } from './options.ts'
export type { Quote } from './read-quote.ts'

/** Options of a call. */
export interface CallOptions {
  /** Ends the call with its waits and retries; the error's code is `aborted`. */
  signal?: AbortSignal | undefined
  /**
   * 1 to 64 characters of `[A-Za-z0-9._-]`. The client gives each billed call a new one; give that of an error to go on with
   * the call that it ended, which is then charged once at most, within 24 hours.
   */
  idempotencyKey?: string | undefined
}

export interface PagesOptions {
  signal?: AbortSignal | undefined
  /** Credits that this walk may spend: the page that could cost more ends it with `credit_limit_reached`. */
  maxCredits?: number | undefined
}

/** Records of a page where the query has no `limit`: the most, because each page costs the same. */
const PAGE_SIZE = 100

/** One account's calls. Limits, balance and rate are those of this object; make one for each key and keep it. */
export class Chainkin<S extends Samples = 'refuse'> {
  readonly #caller: Caller
  readonly #takesSamples: boolean

  /** @throws TypeError naming a wrong option and what is allowed */
  constructor(options: ChainkinOptions<S>) {
    const settings = checkOptions(options)
    this.#caller = new Caller(settings)
    this.#takesSamples = settings.samples === 'allow'
  }

  /** The account's balance by the latest answer; null before the first. */
  get balance(): number | null {
    return this.#caller.balance
  }

  /** The account's rate window by the latest answer; null before the first. */
  get rate(): Rate | null {
    return this.#caller.limiter.rate
  }

  /** Credits that this client's calls were charged, or may have been. */
  get spent(): number {
    return this.#caller.budget.spent
  }

  /** The account behind the key, its balance and the price of every endpoint. Free. `GET /v1/me` */
  getAccount(options?: CallOptions) {
    return this.#call('getAccount', undefined, {}, options)
  }

  /** Searches and filters people. `GET /v1/people` */
  listPeople(query?: Query<'listPeople'>, options?: CallOptions) {
    return this.#call('listPeople', undefined, query, options)
  }

  /** One person with coworkers; `include: 'private'` reveals the channels, for good. `GET /v1/people/{id}` */
  getPerson(id: string, query?: Query<'getPerson'>, options?: CallOptions) {
    return this.#call('getPerson', id, query, options)
  }

  /** Searches and filters projects. `GET /v1/projects` */
  listProjects(query?: Query<'listProjects'>, options?: CallOptions) {
    return this.#call('listProjects', undefined, query, options)
  }

  /** One company of any kind with its team. `GET /v1/projects/{id}` */
  getProject(id: string, options?: CallOptions) {
    return this.#call('getProject', id, {}, options)
  }

  /** Searches and filters funds and angels. `GET /v1/investors` */
  listInvestors(query?: Query<'listInvestors'>, options?: CallOptions) {
    return this.#call('listInvestors', undefined, query, options)
  }

  /** One fund with team and portfolio. `GET /v1/investors/{slug}` */
  getInvestor(slug: string, options?: CallOptions) {
    return this.#call('getInvestor', slug, {}, options)
  }

  /** Searches and filters service providers. `GET /v1/services` */
  listServices(query?: Query<'listServices'>, options?: CallOptions) {
    return this.#call('listServices', undefined, query, options)
  }

  /** One provider with its team. `GET /v1/services/{slug}` */
  getService(slug: string, options?: CallOptions) {
    return this.#call('getService', slug, {}, options)
  }

  /** The first projects and people that match. `GET /v1/search` */
  search(query: Query<'search'>, options?: CallOptions) {
    return this.#call('search', undefined, query, options)
  }

  /**
   * Result and price that a call would have now. Free, but counts as a request. Calls that are refused before their price is known,
   * as for a wrong parameter, throw here too.
   */
  async quote<Op extends BilledOperation>(
    operation: Op,
    { id, query = {} as Query<Op> }: Asked<Op>,
    { signal, idempotencyKey }: CallOptions = {},
  ): Promise<Quote & { readonly call: CallInfo }> {
    const { body, call } = await this.#caller.call({
      method: 'HEAD',
      target: targetOf(operation, id, query),
      credits: 0,
      isReveal: false,
      takesSamples: true,
      signal: signal ?? new AbortController().signal,
      idempotencyKey: checkIdempotencyKey(idempotencyKey),
      budget: undefined,
    })
    const { meta: _, ...quote } = body as typeof body & Quote
    return Object.defineProperty(quote, 'call', { value: call }) as Quote & { call: CallInfo }
  }

  /**
   * The pages of a list, from `query.page` or the first on, each one call: 100 records where `query.limit` is not given.
   * A record that is added or removed meanwhile can move others from one page to the next.
   */
  async *pages<Op extends ListOperation>(
    operation: Op,
    query: Query<Op> = {} as Query<Op>,
    { signal, maxCredits }: PagesOptions = {},
  ): AsyncGenerator<Answer<Op, S>, void, undefined> {
    const walk = { budget: budgetOf(maxCredits), takesSamples: this.#takesSamples }
    yield* this.#pages(operation, query, signal, walk)
  }

  /** The records of these pages one by one. A sample ends them with `sample_refused`: alone, a record has no mark of it. */
  async *records<Op extends ListOperation>(
    operation: Op,
    query: Query<Op> = {} as Query<Op>,
    { signal, maxCredits }: PagesOptions = {},
  ): AsyncGenerator<RecordOf<Op>, void, undefined> {
    const walk = { budget: budgetOf(maxCredits), takesSamples: false }
    for await (const page of this.#pages(operation, query, signal, walk)) {
      yield* page.data as RecordOf<Op>[]
    }
  }

  async *#pages<Op extends ListOperation>(
    operation: Op,
    query: Query<Op>,
    signal: AbortSignal | undefined,
    walk: Walk,
  ) {
    let before = 0
    for (let page = query.page; ; ) {
      const asked = { ...query, limit: query.limit ?? PAGE_SIZE, page }
      const answer = await this.#call(operation, undefined, asked, { signal }, walk)
      const { page: last, totalPages }: { page: number; totalPages: number } = answer
      if (!(last > before) || !(totalPages >= 0)) throw notNext(answer.call, last)
      yield answer
      if (last >= totalPages) return
      before = last
      page = last + 1
    }
  }

  async #call<Op extends Operation>(
    operation: Op,
    id: string | undefined,
    query: object = {},
    { signal, idempotencyKey }: CallOptions = {},
    { budget, takesSamples }: Walk = { takesSamples: this.#takesSamples },
  ): Promise<Answer<Op, S>> {
    const { credits, revealCredits } = OPERATIONS[operation]
    const isReveal = revealCredits > credits && 'include' in query && query.include !== undefined
    const { body, call } = await this.#caller.call({
      method: 'GET',
      target: targetOf(operation, id, query),
      credits: isReveal ? revealCredits : credits,
      isReveal,
      takesSamples,
      signal: signal ?? new AbortController().signal,
      idempotencyKey: checkIdempotencyKey(idempotencyKey),
      budget,
    })
    return Object.defineProperty(body, 'call', { value: call }) as unknown as Answer<Op, S>
  }
}

/** State that the calls of a walk over pages share. */
interface Walk {
  budget?: Budget
  takesSamples: boolean
}

// Paths, query strings and keys of calls.

/** Path and query of a call. @param id what stands for the path's parameter. @throws ChainkinError */
function targetOf(operation: Operation, id: string | undefined, query: object): string {
  const { path } = OPERATIONS[operation]
  const filled = path.replace(/\{(\w+)\}/, (_, name: string) => pathSegment(name, id))
  const search = queryString(query)
  return search === '' ? filled : `${filled}?${search}`
}

/** Dots alone would lead to another path, and nothing at all to a list, which is billed. */
function pathSegment(name: string, id: unknown): string {
  if (typeof id !== 'string' || /^(\s*|\.{1,2})$/.test(id)) {
    throw badArgument(name, 'an id or a slug')
  }
  return encode(name, id)
}

function queryString(query: object): string {
  // URLSearchParams and maps have their parameters elsewhere, and none of them would be sent.
  if (typeof query !== 'object' || query === null || Symbol.iterator in query) {
    throw badArgument('query', 'a plain object of parameters')
  }
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encode(name, name)}=${valueText(name, value)}`)
    .join('&')
}

/** Text, a number, or the values of a list, which a comma parts. */
function valueText(name: string, value: unknown): string {
  const values = Array.isArray(value) ? value : [value]
  const isText = (it: unknown) => typeof it === 'string' || typeof it === 'number'
  if (!values.every(isText)) throw badArgument(name, 'text, a number, or a list of them')
  return values.map((it) => encode(name, String(it))).join(',')
}

/** A lone half of a surrogate pair can't be encoded. */
function encode(name: string, text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    throw badArgument(name, 'well-formed Unicode text')
  }
}

/** @throws ChainkinError */
function checkIdempotencyKey(given: string | undefined): string | undefined {
  if (given === undefined || /^[A-Za-z0-9._-]{1,64}$/.test(given)) return given
  throw badArgument('idempotencyKey', '1 to 64 characters of [A-Za-z0-9._-]')
}
