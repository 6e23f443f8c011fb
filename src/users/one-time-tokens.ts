/** Tokens of links sent by mail. Each works once, and until its time ends. */
import { sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import { isTrue, scalar } from '../database/scalar.ts'
import { userLinks } from '../database/tables/users.ts'
import { hashToken, newToken } from './tokens.ts'

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
