/**
 * Group commit: calls that arrive while a statement is in flight go together in the next one.
 *
 * A group costs one round trip and one commit whatever its size, and that is where the meter's speed comes from. So a
 * second group goes out beside the first only when it is worth a round trip of its own, or when the first is stuck.
 *
 * A group holds at most one call per account, so that every call is decided on the row that the one before it left
 * behind. Each account has a queue of its own, and they are served round robin: a flood on one delays no other.
 */
import { setImmediate } from 'node:timers'
import { DatabaseUnavailable } from '../../database/client.ts'

export interface GroupCommitOptions<Call, Outcome> {
  /** Commits a group in one statement; outcomes in the calls' order. */
  commit: (group: readonly Call[]) => Promise<readonly Outcome[]>
  /** Tells that another transaction held the account, so that the call is sent again. */
  isBusy: (outcome: Outcome) => boolean
  /** Answers a call without the database, just before it would be sent. */
  known?: (call: Call) => Outcome | undefined
  /** Error that drops a call just before it would be sent. */
  unwanted?: (call: Call) => Error | undefined
  maxGroupSize?: number
  maxGroupsInFlight?: number
  /** Waiting calls at most; one more is refused at once. */
  maxWaiting?: number
  /** Waiting calls of one account: above any tier's rate, below `maxWaiting`. */
  maxWaitingPerAccount?: number
  /** Milliseconds until a call that was not sent is refused. */
  maxWaitMs?: number
}

interface Entry<Call, Outcome> {
  call: Call
  waitsUntilMs: number
  retryDelayMs: number
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

const FIRST_RETRY_MS = 1
const MAX_RETRY_MS = 20
const SWEEP_MS = 20
/** Calls from which a second group in flight costs little more than places in the first. */
const WORTH_A_GROUP = 24
/** Age of a group in flight from which a second one doesn't wait for it; many times what a group takes. */
const STUCK_MS = 20
const NO_OUTCOME = 'the meter left a call without an outcome'

export class GroupCommit<Call extends { account: string }, Outcome> {
  readonly #options: Required<GroupCommitOptions<Call, Outcome>>
  /** Unsent calls, oldest first. */
  readonly #waiting = new Set<Entry<Call, Outcome>>()
  /** Queue of each account that has a call waiting or in flight. */
  readonly #accounts = new Map<string, Entry<Call, Outcome>[]>()
  /** Accounts with a call to send and none in flight, next first. */
  readonly #ready: string[] = []
  readonly #inFlight = new Set<{ sentMs: number }>()
  #pumpIsDue = false
  #sweep: ReturnType<typeof setInterval> | undefined

  constructor(options: GroupCommitOptions<Call, Outcome>) {
    this.#options = {
      known: () => undefined,
      unwanted: () => undefined,
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
   * @throws DatabaseUnavailable where too many calls wait or this one waited too long (nothing was sent then),
   *   the error of `unwanted`, or the one of `commit`. A call that was not sent never ends as unknown.
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
      this.#pumpSoon(this.#inFlight.size === 0 ? process.nextTick : setImmediate)
    })
  }

  /**
   * Sends after the events at hand, so that all calls that came in with them go together. The listener has waited for a turn of the
   * event loop with all requests of it, so the first call waits for their promises alone: a turn costs as much as its answer.
   */
  #pumpSoon(later: (pump: () => void) => void = setImmediate) {
    if (this.#pumpIsDue) return
    this.#pumpIsDue = true
    later(() => {
      this.#pumpIsDue = false
      this.#pump()
    })
  }

  /** Size of the next group; 0 while none may be sent. */
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

  /** Takes the account's oldest call that the database must decide, and answers those before it. */
  #nextToSend(account: string): Entry<Call, Outcome> | undefined {
    const queue = this.#accounts.get(account)
    for (let entry = queue?.shift(); entry; entry = queue?.shift()) {
      this.#waiting.delete(entry)
      const unwanted = this.#options.unwanted(entry.call)
      const known = this.#options.known(entry.call)
      if (unwanted) entry.reject(unwanted)
      else if (known === undefined) return entry
      else entry.resolve(known)
    }
  }

  async #send(group: readonly Entry<Call, Outcome>[]) {
    const flight = { sentMs: performance.now() }
    this.#inFlight.add(flight)
    const failure = await this.#decide(group)
    if (failure) await this.#recover(group, failure)
    this.#inFlight.delete(flight)
    this.#pumpSoon()
  }

  /**
   * Answers the calls of a group that failed whole. One call that can't be decided must not take its group with
   * it, so each is tried alone, until the database is unavailable; the calls after that are not sent.
   */
  async #recover(group: readonly Entry<Call, Outcome>[], failure: Error) {
    const isTriedAlone = group.length > 1 && !(failure instanceof DatabaseUnavailable)
    let away: Error | undefined
    for (const entry of group) {
      const error = isTriedAlone ? (away ?? (await this.#decide([entry]))) : failure
      if (!error) continue
      this.#refuse(entry, error)
      if (error instanceof DatabaseUnavailable) away = new DatabaseUnavailable('not sent')
    }
  }

  /** Commits a group and answers its calls; on failure answers none and returns the error. */
  async #decide(group: readonly Entry<Call, Outcome>[]): Promise<Error | undefined> {
    let outcomes: readonly Outcome[]
    try {
      outcomes = await this.#options.commit(group.map((entry) => entry.call))
    } catch (error) {
      return error instanceof Error ? error : new Error('a commit failed', { cause: error })
    }
    for (const [position, entry] of group.entries()) {
      const outcome = outcomes[position]
      if (outcome === undefined) {
        this.#refuse(entry, new DatabaseUnavailable(NO_OUTCOME, { isUnknown: true }))
      } else if (this.#options.isBusy(outcome)) this.#retryLater(entry)
      else {
        entry.resolve(outcome)
        this.#serveNext(entry.call.account)
      }
    }
  }

  /** Sends no other call of the account until the retry, so that its calls stay in order. */
  #retryLater(entry: Entry<Call, Outcome>) {
    const delayMs = entry.retryDelayMs
    entry.retryDelayMs = Math.min(delayMs * 2, MAX_RETRY_MS)
    if (performance.now() + delayMs > entry.waitsUntilMs) {
      return this.#refuse(
        entry,
        new DatabaseUnavailable('the account is held by another transaction'),
      )
    }
    setTimeout(() => {
      this.#waiting.add(entry)
      this.#accounts.get(entry.call.account)?.unshift(entry)
      this.#serveNext(entry.call.account)
      this.#pumpSoon()
    }, delayMs)
  }

  #refuse({ call, reject }: Entry<Call, Outcome>, error: Error) {
    reject(error)
    this.#serveNext(call.account)
  }

  /** Queues the account's next call, once none of its calls is in flight. */
  #serveNext(account: string) {
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
