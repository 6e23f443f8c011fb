/** Memory of recent database answers, so that a refusal isn't looked up again. */
import { LRUCache } from 'lru-cache'

const MAX_ANSWERS = 10_000

/** Longest age of a remembered refusal: a changed tier or a corrected clock must be seen within a second. */
export const MAX_REFUSAL_MS = 1_000

/** Answers by account or address. Their `nowMs`, the database's time, moves on while they are remembered. */
export class RecentAnswers<T extends { nowMs: number }> {
  readonly #answers = new LRUCache<string, { untilMs: number; askedMs: number; answer: T }>({
    max: MAX_ANSWERS,
  })

  /** @param askedMs `performance.now()` before the query; the answer ends `lastsMs` after it. */
  set(key: string, answer: T, askedMs: number, lastsMs: number) {
    this.#answers.set(key, { untilMs: askedMs + lastsMs, askedMs, answer })
  }

  /** @returns the answer with the present time, unless it has ended or is older than `maxAgeMs`. */
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
