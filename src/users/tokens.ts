/** Random values of cookies and links: the browser holds the token, the database its hash. */
import { hash, randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import { isTrue, scalar } from '../database/scalar.ts'
import { userLinks } from '../database/tables/users.ts'

/** 256 random bits in base64url, and their hash. */
export function newToken() {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** SHA-256 in hexadecimal. 256 random bits need no salt and no slow hash. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** How long links sent by mail are good for. Each works once. */
const LASTS_SECONDS = { reset: 3_600, confirm: 86_400 } as const

/** @param email the address to send the link to, and no other. @returns the token. */
export async function newOneTimeToken(
  database: Database,
  purpose: keyof typeof LASTS_SECONDS,
  userId: string,
  email: string,
): Promise<string> {
  const { token, hash } = newToken()
  const endsAt = sql`meter_now() + make_interval(secs => ${LASTS_SECONDS[purpose]}::integer)`
  await database.use(({ db }) =>
    db.insert(userLinks).values({ hash, userId, purpose, email, endsAt }),
  )
  return token
}

/** Sets the password of the token's user. @returns false where the token is used, too old or unknown. */
export async function resetPasswordByToken(database: Database, token: string, password: string) {
  return database.use(({ sql }) =>
    isTrue(sql`select user_reset_password(${hashToken(token)}, ${password})`),
  )
}

/** Confirms a token's address. @returns it with the one before; null where the token is used, too old or unknown. */
export function confirmEmailByToken(database: Database, token: string) {
  return database.use(({ sql }) =>
    scalar<{ before: string; email: string }>(sql`select user_confirm_email(${hashToken(token)})`),
  )
}
