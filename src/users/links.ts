/** Links that stand for a mail received: each works once, and for a while. */
import { sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import { hashSecret, newSecret } from './secrets.ts'

export type LinkPurpose = 'reset' | 'confirm'

const LASTS_SECONDS: Readonly<Record<LinkPurpose, number>> = { reset: 3_600, confirm: 86_400 }

/** A link for somebody, to be sent to `email` and nowhere else. @returns its token. */
export async function newLink(
  database: Database,
  purpose: LinkPurpose,
  userId: string,
  email: string,
): Promise<string> {
  const { token, hash } = newSecret()
  await database.use(({ db }) =>
    db.execute(sql`
      insert into user_links (hash, user_id, purpose, email, ends_at)
      values (${hash}, ${userId}, ${purpose}, ${email},
              meter_now() + make_interval(secs => ${LASTS_SECONDS[purpose]}::integer))`),
  )
  return token
}

/** Sets the password of the link's person. @returns false where the link is not in force. */
export async function resetByLink(
  database: Database,
  token: string,
  password: string,
): Promise<boolean> {
  const [row] = await database.use(({ db }) =>
    db.execute<{ done: boolean }>(
      sql`select user_reset_password(${hashSecret(token)}, ${password}) as done`,
    ),
  )
  return row?.done === true
}

/**
 * Confirms the link's address as its person's.
 * @returns it with the one that they had before, or undefined where the link is not in force.
 */
export async function confirmByLink(
  database: Database,
  token: string,
): Promise<{ before: string; email: string } | undefined> {
  const [row] = await database.use(({ db }) =>
    db.execute<{ moved: { before: string; email: string } | null }>(
      sql`select user_confirm_email(${hashSecret(token)}) as moved`,
    ),
  )
  return row?.moved ?? undefined
}
