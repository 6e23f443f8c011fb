/** One caller's session: the API by its own client, with a limit on credits, and retries that pay once. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  CALL_CREDITS,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  REVEAL_CREDITS,
} from '../contract/endpoints.ts'
import { ApiError, ERRORS, isErrorCode } from '../contract/errors.ts'
import {
  type Account,
  type Answer,
  type CallOptions,
  Chainkin,
  ChainkinError,
  type ChainkinErrorCode,
  type ErrorDetails,
  type Fetch,
  type Operation,
  type Query,
} from '../sdk/chainkin.ts'
import { type Agreed, Confirmations } from './confirmations.ts'
import type { Arguments } from './inputs.ts'
import { type Body, body } from './records.ts'

export interface SessionOptions {
  /** The API's address, without `/v1`. */
  url: string
  key: string
  /** The most that the session may spend; null where the balance alone limits it. */
  maxCredits: number | null
  /** Defaults to the platform's. */
  fetch?: Fetch | undefined
}

/** Clients of the protocol wait a minute for a tool. */
const TIMEOUT_MS = 15_000
const MAX_WAIT_MS = 20_000
const RETRIES = 2

/** Calls whose end is not known, of which a repeat is told by its arguments. */
const KEPT_UNKNOWN = 100
/** How long the API knows an `Idempotency-Key`, less what clocks may differ by. */
const KEPT_MS = 23 * 3_600_000

type Client = Chainkin<'allow'>
type Read = Answer<Exclude<Operation, 'getAccount'>, 'allow'>
type ReadEndpoint = Exclude<EndpointName, 'me'>

/** The parameters of a reveal. */
const PRIVATE = { include: 'private' } as const

interface WithId {
  id: string
}

/** The client's method for each endpoint. */
const CALLS: Readonly<
  Record<ReadEndpoint, (client: Client, given: never, options: CallOptions) => Promise<Read>>
> = {
  search: (client, query: Query<'search'>, options) => client.search(query, options),
  people: (client, query: Query<'listPeople'>, options) => client.listPeople(query, options),
  person: (client, { id }: WithId, options) => client.getPerson(id, {}, options),
  projects: (client, query: Query<'listProjects'>, options) => client.listProjects(query, options),
  project: (client, { id }: WithId, options) => client.getProject(id, options),
  investors: (client, query: Query<'listInvestors'>, options) =>
    client.listInvestors(query, options),
  investor: (client, { id }: WithId, options) => client.getInvestor(id, options),
  services: (client, query: Query<'listServices'>, options) => client.listServices(query, options),
  service: (client, { id }: WithId, options) => client.getService(id, options),
}

export class DocumentMissing extends Error {}

export class Session {
  readonly confirmations: Confirmations
  /** Names of people that the session has read. */
  readonly names = new PeopleNames()
  readonly maxCredits: number | null
  /** Whether the API no longer takes the key. */
  isRefused = false
  readonly #client: Client
  readonly #fetch: Fetch
  /** `Idempotency-Key` of calls that may have been charged, by their arguments. */
  readonly #unknown = new LRUCache<string, string>({ max: KEPT_UNKNOWN, ttl: KEPT_MS })
  /** The end of each call in hand, by what it asks for. */
  readonly #inHand = new Map<string, Promise<void>>()
  #docs: string | undefined

  /** @throws TypeError naming a wrong option, never with the key in it */
  constructor({ url, key, maxCredits, fetch = platformFetch }: SessionOptions) {
    this.confirmations = new Confirmations(key)
    this.maxCredits = maxCredits
    this.#fetch = fetch
    this.#client = new Chainkin({
      url,
      key,
      fetch,
      samples: 'allow',
      retries: RETRIES,
      timeoutMs: TIMEOUT_MS,
      maxWaitMs: MAX_WAIT_MS,
      ...(maxCredits !== null && { maxCredits }),
    })
  }

  /** Credits charged, or possibly charged. */
  get creditsSpent(): number {
    return this.#client.spent
  }

  /** Free. @throws ChainkinError */
  async account(signal: AbortSignal) {
    const account = await this.#noted(this.#client.getAccount({ signal }))
    this.#docs = account.docs
    return account
  }

  /** Asks an endpoint. @param given `id` where the path has one, else the query; what the endpoint has no parameter for is not sent. @throws ChainkinError */
  async read(endpoint: ReadEndpoint, given: Arguments, signal: AbortSignal): Promise<Read> {
    const { parameters }: Endpoint = ENDPOINTS[endpoint]
    const entries = Object.entries(given)
    const sent = Object.fromEntries(
      entries.filter(([name]) => name === 'id' || Object.hasOwn(parameters, name)),
    )
    const answer = await this.#paidOnce(askedFor(endpoint, sent), { signal }, (options) =>
      CALLS[endpoint](this.#client, sent as never, options),
    )
    if (!answer.sample) this.names.learn(answer)
    return answer
  }

  /**
   * Price of a reveal; the highest if the service gives no quotes. Free.
   * @throws ChainkinError or ApiError where it would be refused
   */
  async quoteReveal(person: string, signal: AbortSignal): Promise<RevealQuote> {
    const asked = askedFor('person', { id: person, ...PRIVATE })
    const options = { signal, idempotencyKey: this.#unknown.get(asked) }
    const quoted = this.#noted(quotedReveal(this.#client, person, options))
    const quote =
      (await quoted.catch((error: unknown) => this.#keep(asked, error))) ??
      dearestReveal(await this.account(signal))
    const { credits } = quote
    const left = (this.maxCredits ?? Number.POSITIVE_INFINITY) - this.creditsSpent
    if (credits > left) {
      const message = `The reveal can cost ${credits} credits, and of this session's ${this.maxCredits} ${left} are left.`
      const nothing = { status: null, charged: 0, attempts: 0, requestId: null } as const
      throw new ChainkinError('credit_limit_reached', message, { ...nothing, idempotencyKey: null })
    }
    return quote
  }

  /** Shows a person's channels, for what was agreed at most. @throws ChainkinError */
  reveal(id: string, { credits, idempotencyKey }: Agreed, signal: AbortSignal) {
    // At the price of any call there was nothing to unlock. Should there be by now, nobody has agreed to its price.
    const query = credits === CALL_CREDITS ? {} : PRIVATE
    return this.#paidOnce(
      askedFor('person', { id, ...query }),
      { signal, idempotencyKey },
      (options) => this.#client.getPerson(id, query, options),
    )
  }

  /** A page of the service's documentation as Markdown, from the address that `/v1/me` names. @throws DocumentMissing saying what was not reached */
  async document(page: string, signal: AbortSignal): Promise<string> {
    const docs = this.#docs ?? (await this.account(signal)).docs
    const url = `${docs}/${page}.md`
    const response = await this.#fetch(url, {
      method: 'GET',
      headers: { accept: 'text/markdown' },
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch(() => undefined)
    if (response?.status === 200) return response.text()
    throw new DocumentMissing(
      `${url} ${response ? `answered ${response.status}` : 'was not reached'}.`,
    )
  }

  /** A repeat can arrive before the word that its first call was cancelled: a call waits for the end of one like it. */
  #paidOnce<T>(
    asked: string,
    options: CallOptions,
    send: (options: CallOptions) => Promise<T>,
  ): Promise<T> {
    const before = this.#inHand.get(asked) ?? Promise.resolve()
    const call = before.then(() => this.#continued(asked, options, send))
    const end = call.then(
      () => {},
      () => {},
    )
    this.#inHand.set(asked, end)
    void end.then(() => {
      if (this.#inHand.get(asked) === end) this.#inHand.delete(asked)
    })
    return call
  }

  /** A model repeats what failed: where a call may have been charged, the next one like it goes on with it. */
  async #continued<T>(
    asked: string,
    { signal, idempotencyKey }: CallOptions,
    send: (options: CallOptions) => Promise<T>,
  ): Promise<T> {
    const options = { signal, idempotencyKey: this.#unknown.get(asked) ?? idempotencyKey }
    try {
      const answer = await this.#noted(send(options))
      this.#unknown.delete(asked)
      return answer
    } catch (error) {
      return this.#keep(asked, error)
    }
  }

  /** Remembers the key of a call that may have been charged, and forgets one that is used up. @throws the error */
  #keep(asked: string, error: unknown): never {
    if (error instanceof ChainkinError) {
      if (error.charged === null && error.idempotencyKey) {
        this.#unknown.set(asked, error.idempotencyKey)
      }
      if (error.code === 'idempotency_key_exhausted') this.#unknown.delete(asked)
    }
    throw error
  }

  async #noted<T>(answer: Promise<T>): Promise<T> {
    try {
      const answered = await answer
      this.isRefused = false
      return answered
    } catch (error) {
      if (error instanceof ChainkinError && error.code === 'unauthorized') this.isRefused = true
      throw error
    }
  }
}

/** Text by which a repeat of a call is recognised. */
const askedFor = (endpoint: ReadEndpoint, given: Arguments) => JSON.stringify([endpoint, given])

/** Key of the map of sessions, which doesn't hold API keys. */
export function sessionId(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** Looked up at each call: a test may have replaced it. */
const platformFetch: Fetch = (url, init) => globalThis.fetch(url, init)

interface RevealQuote {
  /** Credits of the reveal. */
  credits: number
  /** Credits of the account now. */
  balance: number
  /** Whether there is a contact to unlock; else it is unlocked, or no channel is on file. */
  unlocks: boolean
}

/**
 * Asks the API for the price of a reveal, free. Returns undefined where the service gives no quotes.
 * @param person an id or a slug
 * @throws ChainkinError or ApiError where the reveal would be refused
 */
async function quotedReveal(
  client: Chainkin<'allow'>,
  person: string,
  options: CallOptions,
): Promise<RevealQuote | undefined> {
  const asked = { id: person, query: { include: 'private' } } as const
  const quote = await client.quote('getPerson', asked, options).catch((error: unknown) => {
    if (!(error instanceof ChainkinError)) throw error
    // A service of an earlier version answers HEAD without a word of the price.
    if (error.status === 200) return undefined
    if (error.status === null || !isErrorCode(error.code)) throw error
    throw refused(error.code, error)
  })
  if (!quote) return undefined
  const { outcome, creditsRequired: credits, creditsBalance: balance, call } = quote
  if (outcome === 'live' || outcome === 'first_reveal' || outcome === 'replayed') {
    return { credits, balance, unlocks: outcome === 'first_reveal' }
  }
  if (outcome === 'sample') throw tooFew(credits, balance)
  const { requestId, attempts } = call
  const details = { status: null, charged: 0, attempts, requestId, idempotencyKey: null } as const
  const price = { creditsRequired: credits, creditsBalance: balance }
  throw refused(outcome, { ...details, ...(outcome === 'insufficient_credits' && price) })
}

/** By the account alone: the most that a reveal costs. @throws ApiError where any would be refused */
function dearestReveal({ apiKey, creditsBalance, unlimited }: Account): RevealQuote {
  if (!apiKey.scopes.includes('read:contacts')) {
    const allowed = ['read:contacts']
    throw new ApiError('missing_scope', 'The key lacks the scope read:contacts.', { allowed })
  }
  if (unlimited !== true && creditsBalance < CALL_CREDITS) {
    throw tooFew(REVEAL_CREDITS, creditsBalance)
  }
  return { credits: REVEAL_CREDITS, balance: creditsBalance, unlocks: true }
}

/** A quote has a code and no sentence. */
function refused(code: ChainkinErrorCode, details: ErrorDetails): ChainkinError {
  const cause = isErrorCode(code) ? ERRORS[code].cause : 'The reveal would be refused.'
  return new ChainkinError(code, cause, details)
}

const tooFew = (credits: number, balance: number) =>
  new ApiError(
    'insufficient_credits',
    `The reveal costs ${credits} credits, and the balance is ${balance}.`,
  )

const MOST_PEOPLE = 300
/** A name was written by others: it must not push the price out of a question. */
const MOST_CHARACTERS = 120

/** Names of people whom a session has read, for questions about them. The API is not asked: a read has its price. */
class PeopleNames {
  /** By id and by slug. */
  readonly #names = new LRUCache<string, string>({ max: 2 * MOST_PEOPLE })

  /** Notes everybody in an answer of the API, whatever its form. */
  learn(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return
    if ('firstName' in answer) this.#note({ ...answer })
    for (const value of Object.values(answer)) this.learn(value)
  }

  #note({ id, slug, firstName, lastName, jobTitle, company }: Body): void {
    const name = [firstName, lastName].filter((part) => part).join(' ')
    if (name === '') return
    const label = [name, jobTitle, body(company).name].filter((part) => part).join(', ')
    for (const key of [id, slug]) {
      if (typeof key === 'string') this.#names.set(key.toLowerCase(), label)
    }
  }

  /** Name, title and company as one text, and whom it was asked about; that alone where nobody read of them. */
  of(idOrSlug: string): string {
    const label = this.#names.get(idOrSlug.toLowerCase())
    const id = JSON.stringify(idOrSlug)
    if (label === undefined) return `${id} (this session has not read the name)`
    return `${JSON.stringify(label.slice(0, MOST_CHARACTERS).toWellFormed())} (${id})`
  }
}
