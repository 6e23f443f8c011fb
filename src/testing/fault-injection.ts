/**
 * Faults on demand, each injected where the real one occurs, so that the service answers it as it would then; and the
 * journal of calls, which is told of them on the same way.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { ApiError } from '../contract/errors.ts'
import { TIER_RULES } from '../contract/tiers.ts'
import {
  type ApiFetch,
  type Call,
  type Database,
  DatabaseUnavailable,
  type IncomingRequest,
  type Meter,
  type Outcome,
  showAccount,
} from '../embed-testing.ts'
import { type Carrier, inPieces } from './carrier.ts'
import { type FaultOptions, Faults } from './faults.ts'
import { Journal, type OpenCall } from './journal.ts'

/** Default of `ms`. */
const DEFAULT_MS = 1_000
/** `Retry-After` of a `status` 429. */
const RATE_WAIT_MS = 1_000

/** Message of an internal error that the fault replaces before anybody sees it. */
const REPLACED = 'This answer is replaced by a fault of the test directory.'

interface Options {
  /** Without injected faults. */
  database: Database
  /** The directory's time. */
  now: () => Date
  /** Gives each call a connection of its own. */
  closesConnections: boolean
}

export class FaultInjection {
  readonly scoped = new Faults()
  readonly journal = new Journal()
  #outageEndsMs = 0
  /** Milliseconds by which each answer is delayed. */
  slowMs = 0
  /** How many calls fail from now on. */
  failures = 0
  /** Milliseconds by which the directory's clock was advanced; they count towards an outage's end. */
  #skippedMs = 0
  readonly #stopped = new AbortController()
  /** The call of the API that is being answered. */
  readonly #current = new AsyncLocalStorage<OpenCall>()
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  outage(ms: number) {
    this.#outageEndsMs = this.#nowMs() + ms
  }

  skip(ms: number) {
    this.#skippedMs += ms
  }

  /** Ends every fault. */
  clear() {
    this.#outageEndsMs = 0
    this.slowMs = 0
    this.failures = 0
    this.scoped.clear()
  }

  /** Ends every fault, and sends answers that are being delayed. */
  stop() {
    this.clear()
    this.#stopped.abort()
  }

  /** The database, unreachable during an outage. */
  aroundDatabase(database: Database): Database {
    return {
      ...database,
      use: async (work, options) => {
        if (this.#nowMs() < this.#outageEndsMs)
          throw new DatabaseUnavailable('an outage was asked for')
        return database.use(work, options)
      },
    }
  }

  /** The meter, whose calls are noted, fail or are lost as was asked. */
  aroundMeter(meter: Meter): Meter {
    return {
      ...meter,
      charge: async (call) => {
        const open = this.#current.getStore()
        if (open) open.account = call.account
        if (this.failures > 0) {
          this.failures--
          throw new Error('a failure was asked for')
        }
        return open ? this.#charge(meter, call, open) : meter.charge(call)
      },
    }
  }

  async #charge(meter: Meter, call: Call, open: OpenCall): Promise<Outcome> {
    const { endpoint, account, quote: isQuote = false } = call
    const fault = this.scoped.hit({ endpoint, account, path: open.pathname, isQuote })
    open.fault = fault
    const instead = fault && (await this.#beforeCharge(fault, call))
    if (instead) return instead
    const outcome = await meter.charge(call)
    open.charged = outcome.charged
    if (fault?.status === 503) {
      throw new DatabaseUnavailable('an unknown end was asked for', { isUnknown: true })
    }
    return outcome
  }

  /** @returns the outcome of a call that doesn't reach the meter @throws if the call fails before it is charged */
  async #beforeCharge(fault: FaultOptions, call: Call): Promise<Outcome | undefined> {
    const { kind, status = 500, charged, ms = DEFAULT_MS } = fault
    if (kind === 'delay') await this.#wait(ms)
    if (kind === 'reset-before-charge') throw new ApiError('unavailable', REPLACED)
    if (kind !== 'status' || charged) return undefined
    if (status === 429) return this.#overRate(call)
    if (status === 503) throw new DatabaseUnavailable('an outage was asked for')
    if (status === 500) throw new Error('a failure was asked for')
    throw new ApiError('unavailable', REPLACED)
  }

  /** The meter's outcome of a call over its account's rate. */
  async #overRate({ account: id, price }: Call): Promise<Outcome> {
    const account = await showAccount(this.#options.database, id)
    const { tier = 'free', creditsBalance: balance = 0 } = account ?? {}
    const nowMs = this.#options.now().getTime()
    return {
      outcome: 'rate_limited',
      charged: 0,
      required: price,
      balance,
      tier,
      rateLimit: TIER_RULES[tier].rateLimit,
      rateRemaining: 0,
      rateResetMs: nowMs + RATE_WAIT_MS,
      revealResetMs: null,
      keyCap: null,
      nowMs,
      unlocked: null,
      account: null,
    }
  }

  /**
   * The API, whose calls are noted in the journal, and whose answers are delayed, cut or lost as was asked.
   * @param carrierOf what carries the answer to a request
   */
  aroundApi(api: ApiFetch, carrierOf: (request: IncomingRequest) => Carrier): ApiFetch {
    return async (request) => {
      const open = this.journal.open(request, this.#options.now())
      return this.#current.run(open, async () => {
        if (this.slowMs > 0) await this.#wait(this.slowMs)
        return this.#carry(open, await api(request), carrierOf(request))
      })
    }
  }

  async #carry(open: OpenCall, answer: Response, carrier: Carrier): Promise<Response> {
    const { fault } = open
    const body = answer.body && new Uint8Array(await answer.arrayBuffer())
    const isGzip = answer.headers.get('content-encoding') === 'gzip'
    const noted = body && isGzip ? gunzipSync(body) : body
    if (fault?.kind === 'reset-before-charge' || fault?.kind === 'reset-after-charge') {
      this.journal.close(open, null, noted)
      return carrier.reset()
    }
    if (fault?.status === 502 || fault?.status === 504) {
      const error = gatewayError(fault.status)
      this.journal.close(open, new Response(null, error.head), error.body)
      return carrier.send(error.head, error.body)
    }
    this.journal.close(open, answer, noted)
    const { status, headers } = answer
    // Each call then has a connection of its own, on which no HTTP library repeats it by itself.
    const { closesConnections } = this.#options
    if (closesConnections || this.scoped.hasReset || fault?.kind === 'slow') {
      headers.set('connection', 'close')
    }
    if (body && fault?.kind === 'half-body') return carrier.cut({ status, headers }, body)
    if (body && fault?.kind === 'slow') {
      const wait = (ms: number) => this.#wait(ms)
      return inPieces({ status, headers }, body, fault.ms ?? DEFAULT_MS, wait)
    }
    return carrier.send({ status, headers }, body)
  }

  /** Ends early when the directory stops. */
  async #wait(ms: number): Promise<void> {
    const { signal } = this.#stopped
    await setTimeout(ms, undefined, { signal }).catch(() => {})
  }

  #nowMs(): number {
    return performance.now() + this.#skippedMs
  }
}

const GATEWAY_ERRORS = { 502: 'Bad Gateway', 504: 'Gateway Time-out' }

/** Error page of a proxy that got no answer from the service. */
function gatewayError(status: 502 | 504) {
  const title = `${status} ${GATEWAY_ERRORS[status]}`
  const page = `<html>\n<head><title>${title}</title></head>\n<body><h1>${title}</h1></body>\n</html>\n`
  const body = new TextEncoder().encode(page)
  return { head: { status, headers: { 'content-type': 'text/html' } }, body }
}
