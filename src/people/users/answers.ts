/** Results of user forms: outcomes, refusals by a limit, and the error of a service that is too busy. */
import type { Database } from '../../database/client.ts'
import { type Attempt, countAttempt } from './rate-limiter.ts'

/** Refusal of an attempt that is over a limit. `retryAfter` is in whole seconds. */
export interface Limited {
  outcome: 'limited'
  retryAfter: number
}

/** An outcome without details, or the rate limiter's refusal. */
export type Answer<Outcome extends string> = { outcome: Outcome } | Limited

/** `cookies` are values of `Set-Cookie`. */
export type WithCookies<Outcome extends string> = { outcome: Outcome; cookies: string[] }

/** Counts an attempt. @returns undefined where it is allowed. @throws DatabaseUnavailable */
export async function overLimit(
  database: Database,
  attempt: Attempt,
): Promise<Limited | undefined> {
  const { allowed, retryAfter } = await countAttempt(database, attempt)
  return allowed ? undefined : { outcome: 'limited', retryAfter }
}

/** Too much waits already, so nothing was done. The same can be tried again in a few seconds. */
export class TooBusy extends Error {
  override name = 'TooBusy'
}
