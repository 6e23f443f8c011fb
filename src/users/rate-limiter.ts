/** A rate limiter of fixed windows, counted in one small PostgreSQL statement, so that instances share the counts. */
import { inArray, sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import { scalar } from '../database/scalar.ts'
import { rateLimitWindows } from '../database/tables/users.ts'
import { hashToken } from './tokens.ts'

interface Limit {
  limit: number
  seconds: number
}

/** Attempts per client address, and for some per e-mail address too. */
export const RATE_LIMITS = {
  signIn: { address: { limit: 30, seconds: 900 }, email: { limit: 10, seconds: 900 } },
  signUp: { address: { limit: 10, seconds: 3_600 } },
  reset: { address: { limit: 10, seconds: 3_600 }, email: { limit: 3, seconds: 3_600 } },
  /** Opening links of resets, confirmations and invitations. */
  link: { address: { limit: 60, seconds: 900 } },
  /** Pages of the directory for visitors who are not signed in. */
  visit: { address: { limit: 200, seconds: 600 } },
} as const satisfies Record<string, { address: Limit; email?: Limit }>

export interface Attempt {
  kind: keyof typeof RATE_LIMITS
  /** The client's, as `limitedAs` gives it. */
  address: string
  /** As `validEmail` gives it. */
  email?: string | undefined
}

/** Counts one attempt more. @returns `retryAfter` in whole seconds, 0 where allowed. @throws DatabaseUnavailable */
export async function countAttempt(database: Database, attempt: Attempt) {
  const { address, email }: { address: Limit; email?: Limit } = RATE_LIMITS[attempt.kind]
  const subjects = subjectsOf(attempt)
  const limits = email && subjects.length > 1 ? [address, email] : [address]
  const retryAfter = await database.use(({ sql }) =>
    scalar<number>(sql`
      select take_turns(${textArray(subjects)}::text[], ${textArray(limits.map(({ limit }) => limit))}::integer[],
                        ${textArray(limits.map(({ seconds }) => seconds))}::integer[])`),
  )
  return { allowed: !retryAfter, retryAfter: retryAfter ?? 0 }
}

/** Takes a counted attempt back, because it succeeded: many people may share one client address. */
export async function refundAttempt(database: Database, attempt: Attempt): Promise<void> {
  const { count, subject } = rateLimitWindows
  await database.use(({ db }) =>
    db
      .update(rateLimitWindows)
      .set({ count: sql`greatest(0, ${count} - 1)` })
      .where(inArray(subject, subjectsOf(attempt))),
  )
}

function subjectsOf({ kind, address, email }: Attempt): string[] {
  const perAddress = `${kind} address ${address}`
  if (email === undefined || !('email' in RATE_LIMITS[kind])) return [perAddress]
  // Hashed, so that an address that somebody mistyped isn't stored.
  return [perAddress, `${kind} email ${hashToken(email)}`]
}

/** An array in PostgreSQL's text form. */
function textArray(values: readonly (string | number)[]): string {
  return `{${values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join()}}`
}
