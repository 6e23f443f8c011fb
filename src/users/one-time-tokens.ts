/** Tokens of links sent by mail. Each works once, and until its time ends. */
import { sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import { isTrue, scalar } from '../database/scalar.ts'
import { userLinks } from '../database/tables/users.ts'
import { hashToken, newToken } from './tokens.ts'

export type TokenPurpose = 'reset' | 'confirm'

const LASTS_SECONDS: Readonly<Record<TokenPurpose, number>> = { reset: 3_600, confirm: 86_400 }

/** @param email the address to send the link to, and no other. @returns the token. */
export async function newOneTimeToken(
  database: Database,
  purpose: TokenPurpose,
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

/**
 * Confirms the token's address as its user's.
 * @returns the address with the one before, or null where the token is used, too old or unknown.
 */
export async function confirmEmailByToken(
  database: Database,
  token: string,
): Promise<{ before: string; email: string } | null> {
  return database.use(({ sql }) => scalar(sql`select user_confirm_email(${hashToken(token)})`))
}
