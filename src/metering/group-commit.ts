/**
 * Group commit: calls that arrive while a statement is in flight go together in the next one.
 *
 * One call alone is sent at once; it never waits for company. Under load a group costs one round
 * trip and one commit whatever its size, and that is where the meter's speed comes from. So groups
 * follow one another rather than run side by side nearly empty: a second one goes out beside the first
 * only when enough calls wait to be worth a round trip of their own, or when the first one is stuck.
 *
 * A group holds at most one call per account, so that every call is decided on the row the one
 * before it left behind. An account whose call is in flight waits its turn, and accounts take
 * turns: a flood on one delays no other.
 */
import { setImmediate } from 'node:timers'
import { DatabaseUnavailable } from '../database/client.ts'

export interface GroupCommitOptions<Call, Outcome> {
  /** Commits a group in one statement; outcomes in the calls' order. */
  commit: (group: readonly Call[]) => Promise<readonly Outcome[]>
  /** The account was held by somebody else: nothing was decided, the call is to be sent again. */
  isBusy: (outcome: Outcome) => boolean
  /** An outcome that needs no database any more, for a call that is about to be sent. */
  known?: (call: Call) => Outcome | undefined
  maxGroupSize?: number
  maxGroupsInFlight?: number
  /** Calls that may wait; one more is refused at once. */
  maxWaiting?: number
  /** How many of those may be one account's: above any tier's rate, below what would fill the queue. */
  maxWaitingPerAccount?: number
  /** How long a call may wait to be sent, in milliseconds, before it is refused. */
  maxWaitMs?: number
}

interface Entry<Call, Outcome> {
  call: Call
  waitsUntilMs: number
  retryDelayMs: number
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

interface Failure {
  error: unknown
}

const FIRST_RETRY_MS = 1
const MAX_RETRY_MS = 20
const SWEEP_MS = 20
/** So many calls cost little more in a group of their own than in a larger one. */
const WORTH_A_GROUP = 24
/** Many times what a group takes. */
const STUCK_MS = 20
const NO_OUTCOME = 'the meter left a call without an outcome'

export class GroupCommit<Call extends { account: string }, Outcome> {
  readonly #options: Required<GroupCommitOptions<Call, Outcome>>
  /** Calls waiting to be sent, oldest first; a Set keeps that order and deletes cheaply. */
  readonly #waiting = new Set<Entry<Call, Outcome>>()
  /** Of each account: its waiting calls in order. An account is in here while it waits or is in flight. */
  readonly #accounts = new Map<string, Entry<Call, Outcome>[]>()
  /** Accounts with a call to send and none in flight, in turn. */
  readonly #ready: string[] = []
  /** When each group in flight was sent. */
  readonly #inFlight = new Set<{ sentMs: number }>()
  #pumpIsDue = false
  #sweep: ReturnType<typeof setInterval> | undefined

  constructor(options: GroupCommitOptions<Call, Outcome>) {
    this.#options = {
      known: () => undefined,
      maxGroupSize: 64,
      maxGroupsInFlight: 2,
      maxWaiting: 5_000,
      maxWaitingPerAccount: 1_000,
      maxWaitMs: 900,
      ...options,
    }
  }

  /**
   * Sends one call and resolves with its outcome.
   * @throws DatabaseUnavailable when too many calls wait or this one waited too long (nothing was sent then),
   *   or as `commit` threw it. A call that was not sent never has the unknown end of one that was (D42).
   */
  submit(call: Call): Promise<Outcome> {
    const queue = this.#accounts.get(call.account)
    if (
      this.#waiting.size >= this.#options.maxWaiting ||
      (queue?.length ?? 0) >= this.#options.maxWaitingPerAccount
    ) {
      return Promise.reject(new DatabaseUnavailable('too many calls are waiting'))
    }
    return new Promise((resolve, reject) => {
      const waitsUntilMs = performance.now() + this.#options.maxWaitMs
      const entry = { call, waitsUntilMs, retryDelayMs: FIRST_RETRY_MS, resolve, reject }
      this.#waiting.add(entry)
      if (queue) {
        queue.push(entry)
      } else {
        this.#accounts.set(call.account, [entry])
        this.#ready.push(call.account)
      }
      this.#pumpSoon()
    })
  }

  /** At the end of this turn of the event loop, so that all calls that came in with it go together. */
  #pumpSoon() {
    if (this.#pumpIsDue) return
    this.#pumpIsDue = true
    setImmediate(() => {
      this.#pumpIsDue = false
      this.#pump()
    })
  }

  /** How many accounts' calls the next group takes; 0 while none may be sent. */
  #sizeOfNext(): number {
    const ready = this.#ready.length
    const places = this.#options.maxGroupsInFlight - this.#inFlight.size
    if (ready === 0 || places <= 0) return 0
    if (ready < WORTH_A_GROUP) {
      const stuckMs = performance.now() - STUCK_MS
      for (const { sentMs } of this.#inFlight) if (sentMs > stuckMs) return 0
    }
    const share = Math.ceil(ready / places)
    return Math.min(Math.max(share, WORTH_A_GROUP), this.#options.maxGroupSize)
  }

  #pump() {
    for (let size = this.#sizeOfNext(); size > 0; size = this.#sizeOfNext()) {
      const group: Entry<Call, Outcome>[] = []
      for (const account of this.#ready.splice(0, size)) {
        const entry = this.#nextToSend(account)
        if (entry) group.push(entry)
        else this.#accounts.delete(account)
      }
      if (group.length > 0) void this.#send(group)
    }
    if (this.#waiting.size > 0) {
      this.#sweep ??= setInterval(() => this.#refuseOverdue(), SWEEP_MS)
    } else if (this.#sweep) {
      clearInterval(this.#sweep)
      this.#sweep = undefined
    }
  }

  /** Takes the account's oldest call that the database must decide, answering those that it need not. */
  #nextToSend(account: string): Entry<Call, Outcome> | undefined {
    const queue = this.#accounts.get(account)
    for (let entry = queue?.shift(); entry; entry = queue?.shift()) {
      this.#waiting.delete(entry)
      const known = this.#options.known(entry.call)
      if (known === undefined) return entry
      entry.resolve(known)
    }
  }

  async #send(group: readonly Entry<Call, Outcome>[]) {
    const flight = { sentMs: performance.now() }
    this.#inFlight.add(flight)
    const failure = await this.#decide(group)
    if (failure) {
      // The statement failed whole, so nothing of it holds. One call that can't be decided must not
      // take its group with it: each is tried alone, as long as there is a database to try it on.
      let last: Failure | undefined = failure
      for (const entry of group) {
        if (group.length > 1 && !(last?.error instanceof DatabaseUnavailable)) {
          last = await this.#decide([entry])
          if (!last) continue
          entry.reject(last.error)
        } else entry.reject(last === failure ? last.error : new DatabaseUnavailable('not sent'))
        this.#nextOf(entry.call.account)
      }
    }
    this.#inFlight.delete(flight)
    this.#pumpSoon()
  }

  /** Commits a group and answers its calls; returns the failure, if it failed, with none answered. */
  async #decide(group: readonly Entry<Call, Outcome>[]): Promise<Failure | undefined> {
    let outcomes: readonly Outcome[]
    try {
      outcomes = await this.#options.commit(group.map((entry) => entry.call))
    } catch (error) {
      return { error }
    }
    for (const [position, entry] of group.entries()) {
      const outcome = outcomes[position]
      if (outcome !== undefined && this.#options.isBusy(outcome)) {
        this.#retryLater(entry)
        continue
      }
      if (outcome === undefined)
        entry.reject(new DatabaseUnavailable(NO_OUTCOME, { isUnknown: true }))
      else entry.resolve(outcome)
      this.#nextOf(entry.call.account)
    }
  }

  /** Keeps the account's turn closed until the retry, so that its calls stay in order. */
  #retryLater(entry: Entry<Call, Outcome>) {
    const delayMs = entry.retryDelayMs
    entry.retryDelayMs = Math.min(delayMs * 2, MAX_RETRY_MS)
    if (performance.now() + delayMs > entry.waitsUntilMs) {
      entry.reject(new DatabaseUnavailable('the account is held by another transaction'))
      this.#nextOf(entry.call.account)
      return
    }
    setTimeout(() => {
      this.#waiting.add(entry)
      this.#accounts.get(entry.call.account)?.unshift(entry)
      this.#nextOf(entry.call.account)
      this.#pumpSoon()
    }, delayMs)
  }

  /** The account's call is answered: its next one may go. */
  #nextOf(account: string) {
    if (this.#accounts.get(account)?.length) this.#ready.push(account)
    else this.#accounts.delete(account)
  }

  #refuseOverdue() {
    const nowMs = performance.now()
    for (const entry of this.#waiting) {
      // Retries re-enter at the end with an older limit, so the order is by entry, not by limit.
      if (entry.waitsUntilMs > nowMs) continue
      this.#waiting.delete(entry)
      const queue = this.#accounts.get(entry.call.account)
      queue?.splice(queue.indexOf(entry), 1)
      entry.reject(new DatabaseUnavailable(`not sent within ${this.#options.maxWaitMs} ms`))
    }
    this.#pump()
  }
}
