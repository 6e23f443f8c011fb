/**
 * One call with all its attempts. Attempts of a billed call share an `Idempotency-Key`, so the call is charged once however often it
 * is sent. An error's `charged` is 0 only if no attempt can have been charged.
 */
import type { CallInfo } from './answer.ts'
import { attempt, Lost } from './attempt.ts'
import { Budget } from './budget.ts'
import { ChainkinError, type ChainkinErrorCode, type ErrorDetails } from './errors.ts'
import { Limiter, type Rate } from './limiter.ts'
import type { Settings } from './options.ts'
import { type Answered, type Body, type Refusal, rateOf, readAnswer } from './read-answer.ts'
import { readQuote } from './read-quote.ts'

export interface CallRequest {
  /** HEAD quotes the price of the GET, and is free. */
  method: 'GET' | 'HEAD'
  /** Path and query. */
  target: string
  /** The most that the call can cost. */
  credits: number
  /** The price of a reveal depends on the account's unlocks. */
  isReveal: boolean
  /** Samples are answers; otherwise errors. */
  takesSamples: boolean
  signal: AbortSignal
  /** Generated if undefined. */
  idempotencyKey: string | undefined
  /** Additional limit, of a walk over pages. */
  budget: Budget | undefined
}

/** Keys that a client remembers. */
const MOST_KEYS = 1_000

export class Caller {
  readonly limiter: Limiter
  readonly budget: Budget
  /** From the latest answer. */
  balance: number | null = null
  readonly #settings: Settings
  /**
   * Idempotency keys that callers may send again, with the credits already counted for them: keys of the caller, and of calls that may
   * have been charged. A repeat isn't counted twice.
   */
  readonly #counted = new Map<string, number>()

  constructor(settings: Settings) {
    this.#settings = settings
    this.limiter = new Limiter(settings.sleep)
    this.budget = new Budget(settings.maxCredits)
  }

  /** @throws ChainkinError, and nothing else */
  async call(request: CallRequest): Promise<{ body: Body; call: CallInfo }> {
    const { method, credits, idempotencyKey } = request
    const id = randomId()
    const progress: Progress = {
      id,
      idempotencyKey: idempotencyKeyOf(method, credits, idempotencyKey, id),
      attempts: 0,
      mayBeCharged: false,
    }
    const budgets = [this.budget, ...(request.budget ? [request.budget] : [])]
    const counted = this.#counted.get(progress.idempotencyKey ?? '') ?? 0
    const further = Math.max(0, credits - counted)
    for (const { most, left } of budgets) {
      if (further === 0 || further <= left) continue
      const message = `The call can cost ${credits} credits, and of maxCredits, ${most}, ${left} are left. It was not sent.`
      throw failure('credit_limit_reached', message, progress, { creditsRequired: credits })
    }
    const settle = budgets.map((budget) => budget.hold(further))
    const taken = (amount: number) => {
      for (const each of settle) each(amount)
    }
    try {
      const answered = await this.#untilAnswered(request, progress)
      const amount = answered.call.charged ?? credits
      taken(Math.max(0, amount - counted))
      if (idempotencyKey !== undefined && amount + counted > 0) this.#remember(idempotencyKey, 0)
      return answered
    } catch (error) {
      // A call with a counted key isn't charged again.
      const isCounted = this.#counted.has(progress.idempotencyKey ?? '')
      const amount = progress.mayBeCharged && !isCounted ? credits : 0
      taken(amount)
      if (progress.idempotencyKey !== null && amount > 0) {
        this.#remember(progress.idempotencyKey, amount)
      }
      throw error
    }
  }

  #remember(idempotencyKey: string, amount: number): void {
    this.#counted.set(idempotencyKey, amount)
    const [oldest] = this.#counted.keys()
    if (this.#counted.size > MOST_KEYS && oldest !== undefined) this.#counted.delete(oldest)
  }

  async #untilAnswered(request: CallRequest, progress: Progress) {
    const { retries, maxWaitMs, sleep } = this.#settings
    const patience = new Patience(maxWaitMs, sleep, request.signal)
    let faults = 0
    let last: Refusal | undefined
    for (;;) {
      await this.#turn(patience, progress, last)
      const { answer, rate } = await this.#attempt(request, progress)
      if (!('code' in answer)) return this.#accept(answer, rate, request, progress)
      if (answer.charged === null && request.credits > 0) progress.mayBeCharged = true
      last = answer
      const { repeat, details } = answer
      if (repeat === 'fault') faults++
      if (repeat === 'never' || faults > retries) throw refused(answer, progress)
      // The limiter queues it with the client's other calls.
      if (answer.code === 'rate_limited') continue
      const waitMs = backoffMs(faults, details.retryAfter)
      if (!patience.allows(waitMs)) throw refused(answer, progress)
      await patience.wait(waitMs).catch((reason) => {
        throw aborted(reason, progress)
      })
    }
  }

  /** Waits for the call's turn under the account's rate. @param last failure of the previous attempt */
  async #turn(patience: Patience, progress: Progress, last: Refusal | undefined): Promise<void> {
    const { limiter } = this
    const turn = (signal: AbortSignal) => limiter.turn(signal, progress.attempts > 0)
    const isOn = await patience.during(limiter.waitMs, turn).catch((reason) => {
      throw aborted(reason, progress)
    })
    if (isOn) return
    if (last) throw refused(last, progress)
    const retryAfter = Math.max(1, Math.ceil(limiter.waitMs / 1_000))
    const message = `The call's turn under the account's rate does not come within maxWaitMs. Wait ${retryAfter} s.`
    throw failure('rate_limited', message, progress, { retryAfter })
  }

  async #attempt({ method, target, credits, signal }: CallRequest, progress: Progress) {
    const { url, key } = this.#settings
    let rate: Rate | null = null
    try {
      if (signal.aborted) throw aborted(signal.reason, progress)
      progress.attempts++
      const headers: Record<string, string> = {
        authorization: `Bearer ${key}`,
        'x-request-id': requestId(progress) ?? '',
        ...(progress.idempotencyKey !== null && { 'idempotency-key': progress.idempotencyKey }),
      }
      const init = { method, headers, redirect: 'manual' } as const
      const received = await attempt(this.#settings, url + target, init, signal)
      const answer = method === 'HEAD' ? readQuote(received) : readAnswer(received)
      rate = rateOf(received, answer)
      if ('code' in answer && answer.code === 'rate_limited') {
        this.limiter.pause(answer.details.retryAfter ?? 1, rate)
      }
      return { answer, rate }
    } catch (error) {
      if (error instanceof Lost) return { answer: lost(error), rate }
      if (error instanceof ChainkinError) throw error
      if (credits > 0) progress.mayBeCharged = true
      throw aborted(error, progress)
    } finally {
      this.limiter.done(rate)
    }
  }

  #accept(answer: Answered, rate: Rate | null, request: CallRequest, progress: Progress) {
    const { body, isSample, isReplayed } = answer
    const { creditsCharged, creditsBalance: balance, creditsRequired } = body.meta
    this.balance = balance
    if (isSample && !request.takesSamples) {
      const message = `${body.notice ?? 'NOT REAL DATA.'} A client with samples: 'allow' is given samples.`
      const details = {
        status: 200,
        creditsRequired: creditsRequired ?? 0,
        creditsBalance: balance,
      }
      throw failure('sample_refused', message, progress, details)
    }
    const call: CallInfo = {
      requestId: requestId(progress) ?? '',
      idempotencyKey: progress.idempotencyKey,
      attempts: progress.attempts,
      replayed: isReplayed,
      charged: isReplayed ? this.#chargedBefore(request, progress) : creditsCharged,
      balance,
      rate,
    }
    return { body, call }
  }

  /**
   * Credits of a replayed call, whose first attempt was charged. If no attempt was lost, the platform's `fetch` resent the request by
   * itself, or the caller's key was charged before.
   */
  #chargedBefore({ credits, isReveal, idempotencyKey }: CallRequest, progress: Progress) {
    if (this.#counted.has(progress.idempotencyKey ?? '')) return 0
    return isReveal || idempotencyKey !== undefined ? null : credits
  }
}

/** Billed calls always have a key; a quote has the caller's, which tells whether the GET would be a repeat. */
function idempotencyKeyOf(
  method: CallRequest['method'],
  credits: number,
  given: string | undefined,
  id: string,
): string | null {
  if (method === 'HEAD') return given ?? null
  return credits === 0 ? null : (given ?? id)
}

// State of a call in progress, and the errors that it can end with.

interface Progress {
  readonly id: string
  readonly idempotencyKey: string | null
  attempts: number
  /** Whether an attempt may have been charged without an answer. */
  mayBeCharged: boolean
}

/** 128 random bits; browsers have `randomUUID` on secure pages alone. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Attempts have different ids, so that one without an answer can be found in the log. */
function requestId({ id, attempts }: Progress): string | null {
  return attempts === 0 ? null : `${id}.${attempts}`
}

function lost({ code, message, cause }: Lost): Refusal {
  return { code, message, status: null, charged: null, repeat: 'fault', details: {}, cause }
}

function refused({ code, message, status, details, cause }: Refusal, progress: Progress) {
  return failure(code, message, progress, { ...details, status }, cause)
}

function aborted(reason: unknown, progress: Progress) {
  return failure('aborted', 'The call was aborted by its caller.', progress, {}, reason)
}

function failure(
  code: ChainkinErrorCode,
  message: string,
  progress: Progress,
  details: Partial<ErrorDetails> = {},
  cause?: unknown,
): ChainkinError {
  const { attempts, idempotencyKey, mayBeCharged } = progress
  const advice = mayBeCharged
    ? ` Whether the call was charged is not known: the same call with the idempotencyKey of this error is charged once at most.`
    : ''
  const all: ErrorDetails = {
    status: null,
    ...details,
    charged: mayBeCharged ? null : 0,
    attempts,
    requestId: requestId(progress),
    idempotencyKey,
  }
  return new ChainkinError(code, message + advice, all, cause)
}

// How long a call waits: before a repeat, and in all.

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/**
 * The pause before a repeat, in milliseconds: one that doubles with each fault, and no shorter than what the service asks for;
 * and up to as much again at random, a second at most, so that clients which failed together don't come back together.
 */
function backoffMs(faults: number, retryAfter: number | undefined): number {
  const grownMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, faults - 1), LONGEST_PAUSE_MS)
  const leastMs = Math.max(grownMs / 2, (retryAfter ?? 0) * 1_000)
  return leastMs + Math.random() * Math.min(grownMs, 1_000)
}

/** Remaining time that a call may wait, for its turn and before retries together. */
class Patience {
  #leftMs: number
  readonly #sleep: Settings['sleep']
  readonly #signal: AbortSignal

  constructor(leftMs: number, sleep: Settings['sleep'], signal: AbortSignal) {
    this.#leftMs = leftMs
    this.#sleep = sleep
    this.#signal = signal
  }

  allows(milliseconds: number): boolean {
    return milliseconds <= this.#leftMs
  }

  /** @throws the signal's reason */
  async wait(milliseconds: number): Promise<void> {
    this.#leftMs -= milliseconds
    const slept = (signal: AbortSignal) => this.#sleep(milliseconds, signal)
    await unlessAborted(this.#signal, slept)
  }

  /**
   * Waits for something, no longer than is left.
   * @param leastMs minimum duration; the work isn't started if that exceeds the remaining time
   * @returns whether the work ended in time
   * @throws the signal's reason, or what the work threw
   */
  async during(leastMs: number, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    this.#signal.throwIfAborted()
    if (!this.allows(leastMs)) return false
    const startedMs = Date.now()
    const ending = new AbortController()
    const giveUp = () => ending.abort(this.#signal.reason)
    this.#signal.addEventListener('abort', giveUp)
    const timer = setTimeout(() => ending.abort(), this.#leftMs)
    try {
      await work(ending.signal)
      return true
    } catch (error) {
      if (ending.signal.aborted && !this.#signal.aborted) return false
      throw error
    } finally {
      clearTimeout(timer)
      this.#signal.removeEventListener('abort', giveUp)
      // A sleep of the caller's own may be shorter than what it stands for.
      this.#leftMs -= Math.max(leastMs, Date.now() - startedMs)
    }
  }
}

/**
 * Waits for work that may not heed its signal, or reject when it is ended early.
 * @throws the signal's reason, or what the work threw
 */
async function unlessAborted(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let giveUp = () => {}
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
    signal.addEventListener('abort', giveUp)
  })
  try {
    signal.throwIfAborted()
    await Promise.race([work(signal), aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
