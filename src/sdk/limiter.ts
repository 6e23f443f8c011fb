/**
 * Keeps a client under its account's rate, so that calls wait here and not for a 429. The rate comes from the `X-RateLimit-*` headers.
 * Other programs of the account share the window, so no more calls are in flight than it has left by the latest answer.
 */
import type { Settings } from './options.ts'

/** The account's rate window. */
export interface Rate {
  /** Requests that the window allows. */
  readonly limit: number
  /** Requests that are left in it. */
  readonly remaining: number
  /** When the window ends, by the service's clock. */
  readonly resetsAt: Date
}

/** Most calls in flight: more would not be answered sooner, and would find out late that the window is used up. */
const MOST_IN_FLIGHT = 8
/** The same while the window is not known: fewer than the smallest rate allows, 5 a second. */
const MOST_UNKNOWN = 4
/** The longest window. A clock that is wrong makes nobody wait longer. */
const LONGEST_WINDOW_MS = 60_000

/** Bounds of a `Retry-After`, in seconds: timers of more than 2^31 ms end at once. */
const SHORTEST_PAUSE = 1
const LONGEST_PAUSE = 2_000_000

/** Random spread of the retries of an account's programs after a 429. */
const SPREAD_MS = 250

interface Window {
  rate: Rate
  /** By the clock of this process. */
  endsAtMs: number
}

export class Limiter {
  readonly #sleep: Settings['sleep']
  #inFlight = 0
  #window: Window | undefined
  #latest: Rate | null = null
  /** No call is sent before this time, as the service asked. */
  #pausedUntilMs = 0
  /** Estimated lead of the service's clock over this one. */
  #aheadMs = 0
  readonly #waiting: (() => void)[] = []
  /** Ends the wait for the next window. */
  #alarm: AbortController | undefined

  constructor(sleep: Settings['sleep']) {
    this.#sleep = sleep
  }

  /** The rate as the latest answer told it; null before the first. */
  get rate(): Rate | null {
    return this.#latest
  }

  /** How long a call that comes now waits at least, in milliseconds. */
  get waitMs(): number {
    return Math.max(0, this.#opensAtMs() - Date.now())
  }

  /**
   * Waits until a call may be sent, which is then in flight until `done`.
   * @param isRepeat goes before those that wait for their first attempt
   * @throws the signal's reason
   */
  async turn(signal: AbortSignal, isRepeat: boolean): Promise<void> {
    signal.throwIfAborted()
    if (this.#waiting.length === 0 && this.#mayGo()) {
      this.#inFlight++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1)
        this.#letGo()
        reject(signal.reason)
      }
      const go = () => {
        signal.removeEventListener('abort', leave)
        this.#inFlight++
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      if (isRepeat) this.#waiting.unshift(go)
      else this.#waiting.push(go)
      this.#letGo()
    })
  }

  /** Ends a call's turn. @param rate headers of its answer, if they are the account's */
  done(rate: Rate | null): void {
    this.#inFlight--
    if (rate) {
      this.#latest = rate
      this.#note(rate)
    }
    this.#letGo()
  }

  /** Pauses all calls after a 429, for seconds of the service's clock. */
  pause(asked: number, rate: Rate | null): void {
    const seconds = Math.min(Math.max(asked, SHORTEST_PAUSE), LONGEST_PAUSE)
    const now = Date.now()
    if (rate) this.#aheadMs = rate.resetsAt.getTime() - seconds * 1_000 - now
    // Clients that were refused together don't come back together.
    const untilMs = now + seconds * 1_000 + Math.random() * SPREAD_MS
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs)
  }

  /** Answers overtake each other: the smallest remainder of a window counts, and earlier windows are ignored. */
  #note(rate: Rate): void {
    const known = this.#current()?.rate
    const resetMs = rate.resetsAt.getTime()
    const knownMs = known?.resetsAt.getTime() ?? 0
    if (known && (resetMs < knownMs || (resetMs === knownMs && known.remaining < rate.remaining))) {
      return
    }
    const leftMs = resetMs - this.#aheadMs - Date.now()
    const clampedMs = Math.min(Math.max(leftMs, 0), LONGEST_WINDOW_MS)
    const isSame = known !== undefined && resetMs === knownMs
    const endsAtMs = isSame && this.#window ? this.#window.endsAtMs : Date.now() + clampedMs
    this.#window = { rate, endsAtMs }
  }

  /** The window, unless it has ended. */
  #current(): Window | undefined {
    return this.#window && Date.now() < this.#window.endsAtMs ? this.#window : undefined
  }

  #opensAtMs(): number {
    const window = this.#current()
    const isUsedUp = window !== undefined && window.rate.remaining === 0
    return Math.max(this.#pausedUntilMs, isUsedUp ? window.endsAtMs : 0)
  }

  #mayGo(): boolean {
    if (Date.now() < this.#pausedUntilMs) return false
    const window = this.#current()
    const most = window ? Math.min(window.rate.remaining, MOST_IN_FLIGHT) : MOST_UNKNOWN
    return this.#inFlight < most
  }

  #letGo(): void {
    while (this.#waiting.length > 0 && this.#mayGo()) this.#waiting.shift()?.()
    const isBlocked = this.#waiting.length > 0 && this.waitMs > 0
    if (!isBlocked) {
      this.#alarm?.abort()
      this.#alarm = undefined
    } else if (!this.#alarm) {
      void this.#wakeAt(this.#opensAtMs())
    }
  }

  /** Lets calls go again at a time, by this process's clock. */
  async #wakeAt(timeMs: number): Promise<void> {
    const alarm = new AbortController()
    this.#alarm = alarm
    // A sleep of the caller's own may reject when it is ended early.
    await this.#sleep(timeMs - Date.now(), alarm.signal).catch(() => {})
    if (this.#alarm !== alarm) return
    this.#alarm = undefined
    // The sleep is over, whatever this process's clock says now.
    if (this.#pausedUntilMs <= timeMs) this.#pausedUntilMs = 0
    if (this.#window && this.#window.endsAtMs <= timeMs) this.#window = undefined
    this.#letGo()
  }
}
