/** Answers of the database that hold for a while, so that it need not be asked again. */
import { LRUCache } from 'lru-cache'

/** Accounts or addresses whose answers are remembered. */
const MAX_ANSWERS = 10_000

/** A tier that changed, or a clock that was set right, must be seen within a second, so no refusal from memory is older. */
export const MAX_REFUSAL_MS = 1_000

/** By account or address. An answer carries the database's time, which moves on while it is remembered. */
export class RecentAnswers<T extends { nowMs: number }> {
  readonly #answers = new LRUCache<string, { untilMs: number; askedMs: number; answer: T }>({
    max: MAX_ANSWERS,
  })

  /** @param askedMs when the database was asked: nothing is remembered beyond the database's own window. */
  set(key: string, answer: T, askedMs: number, lastsMs: number) {
    this.#answers.set(key, { untilMs: askedMs + lastsMs, askedMs, answer })
  }

  /** The answer as it would be now, while it holds and is no older than this. */
  get(key: string, maxAgeMs = Number.POSITIVE_INFINITY): T | undefined {
    const known = this.#answers.get(key)
    const nowMs = performance.now()
    if (!known || nowMs >= Math.min(known.untilMs, known.askedMs + maxAgeMs)) return undefined
    return { ...known.answer, nowMs: known.answer.nowMs + Math.floor(nowMs - known.askedMs) }
  }

  clear() {
    this.#answers.clear()
  }
}
