/**
 * How often somebody may do what costs us or harms others, counted in PostgreSQL in fixed windows, so that
 * instances share the count. Whoever is over a limit costs one small statement and nothing else.
 */
import { sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import { hashSecret } from './secrets.ts'

interface Limit {
  limit: number
  seconds: number
}

const QUARTER_HOUR = 900
const HOUR = 3_600

/** Per client address, and where it says so per e-mail address too. */
export const TURNS = {
  signIn: {
    address: { limit: 30, seconds: QUARTER_HOUR },
    email: { limit: 10, seconds: QUARTER_HOUR },
  },
  signUp: { address: { limit: 10, seconds: HOUR } },
  reset: { address: { limit: 10, seconds: HOUR }, email: { limit: 3, seconds: HOUR } },
  /** Trying links: resets, confirmations, invitations. */
  link: { address: { limit: 60, seconds: QUARTER_HOUR } },
  /** Pages of the directory, looked at by somebody who is not signed in. */
  visit: { address: { limit: 200, seconds: 600 } },
} as const satisfies Record<string, { address: Limit; email?: Limit }>

export type TurnKind = keyof typeof TURNS

export interface Turn {
  allowed: boolean
  /** Whole seconds to wait; 0 where it is allowed. */
  retryAfter: number
}

/**
 * Counts one more. `address` is a client's (`limitedAs`), `email` as `emailOf` gives it.
 * @throws DatabaseUnavailable
 */
export async function takeTurn(
  database: Database,
  kind: TurnKind,
  address: string,
  email?: string,
): Promise<Turn> {
  const limits: { address: Limit; email?: Limit } = TURNS[kind]
  const subjects = subjectsOf(kind, address, email)
  const each = [limits.address, ...(subjects.length > 1 && limits.email ? [limits.email] : [])]
  const [row] = await database.use(({ db }) =>
    db.execute<{ wait: number }>(sql`
      select take_turns(${textArray(subjects)}::text[], ${textArray(each.map(({ limit }) => limit))}::integer[],
                        ${textArray(each.map(({ seconds }) => seconds))}::integer[]) as wait`),
  )
  const retryAfter = row?.wait ?? 0
  return { allowed: retryAfter === 0, retryAfter }
}

/** What succeeded doesn't count: many people may stand behind one address. */
export async function giveTurnBack(
  database: Database,
  kind: TurnKind,
  address: string,
  email?: string,
): Promise<void> {
  const subjects = textArray(subjectsOf(kind, address, email))
  await database.use(({ db }) =>
    db.execute(sql`
      update turns set count = greatest(0, count - 1) where subject = any (${subjects}::text[])`),
  )
}

function subjectsOf(kind: TurnKind, address: string, email: string | undefined): string[] {
  const perAddress = `${kind} address ${address}`
  if (email === undefined || !('email' in TURNS[kind])) return [perAddress]
  // Hashed: the address of somebody who mistyped it is none of our business.
  return [perAddress, `${kind} email ${hashSecret(email)}`]
}

/** An array in PostgreSQL's text form. */
function textArray(values: readonly (string | number)[]): string {
  return `{${values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join()}}`
}
