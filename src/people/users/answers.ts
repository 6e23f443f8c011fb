/** Results of user forms; and the limit per address, as such a result. */
import type { Database } from '../../database/client.ts'
import type { Limited } from './password-limits.ts'
import { type Attempt, countAttempt } from './rate-limiter.ts'

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
