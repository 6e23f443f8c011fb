/** Random values of cookies and links: the browser holds the token, the database its hash. */
import { hash, randomBytes } from 'node:crypto'
import { and, eq, gt, sql } from 'drizzle-orm'
import type { Connection, Database } from '../../database/client.ts'
import { type Fragment, isTrue, scalar } from '../../database/scalar.ts'
import { userLinks, users } from '../../database/tables/users.ts'

/** 256 random bits in base64url, and their hash. */
export function newToken() {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** SHA-256 in hexadecimal. 256 random bits need no salt and no slow hash. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** The page on which whoever has the token sets a new password. */
export const resetUrl = (appUrl: string, token: string, returnUrl?: string): string =>
  `${appUrl}/reset?token=${token}${returnTo(returnUrl)}`

/** The page on which whoever has the token confirms an address. */
export const confirmUrl = (appUrl: string, token: string, returnUrl?: string): string =>
  `${appUrl}/confirm?token=${token}${returnTo(returnUrl)}`

/** Longest way back that a mail carries. */
const MAX_RETURN_CHARACTERS = 600

const returnTo = (returnUrl = '') =>
  returnUrl === '' || returnUrl.length > MAX_RETURN_CHARACTERS
    ? ''
    : `&${new URLSearchParams({ returnUrl })}`

/** How long links sent by mail are good for. Each works once. */
export const LASTS_SECONDS = { reset: 3_600, confirm: 86_400 } as const

/** The expression that notes a token's link. @param email the address to send it to, and no other */
export const linkCall = (
  sql: Connection['sql'],
  hash: string,
  purpose: keyof typeof LASTS_SECONDS,
  user: { id: string; email: string },
): Fragment =>
  sql`link_begin(${hash}, ${user.id}, ${purpose}, ${user.email},
                 make_interval(secs => ${LASTS_SECONDS[purpose]}::integer))`

/** @param email the address to send the link to, and no other. @returns the token. */
export async function newOneTimeToken(
  database: Database,
  purpose: keyof typeof LASTS_SECONDS,
  userId: string,
  email: string,
): Promise<string> {
  const { token, hash } = newToken()
  await database.use(
    ({ sql }) => sql`select ${linkCall(sql, hash, purpose, { id: userId, email })}`,
  )
  return token
}

/** The user whose password a token can set now; undefined where it is used, too old or unknown. It stays in force. */
export async function ownerOfReset(database: Database, token: string) {
  const { hash, purpose, userId, email, endsAt } = userLinks
  const inForce = and(
    eq(hash, hashToken(token)),
    eq(purpose, 'reset'),
    gt(endsAt, sql`meter_now()`),
  )
  const [owner] = await database.use(({ db }) =>
    db
      .select({ id: users.id, email: users.email, foundAt: sql<string>`meter_now()` })
      .from(userLinks)
      .innerJoin(users, and(eq(users.id, userId), eq(users.email, email)))
      .where(inForce),
  )
  return owner
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
