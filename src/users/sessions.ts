/** Sessions of browsers. They are kept in the database alone, so that a session that ends, ends on every instance. */
import { and, asc, desc, eq, gt, ne, sql } from 'drizzle-orm'
import type { Account } from '../accounts/accounts.ts'
import { settle } from '../accounts/credits.ts'
import type { Connection, Database } from '../database/client.ts'
import { type Fragment, hitsRow, isTrue } from '../database/scalar.ts'
import { sessions } from '../database/tables/users.ts'
import { isUuid } from '../database/uuid.ts'
import { hashToken, newToken } from './tokens.ts'

export interface Session {
  id: string
  user: { id: string; name: string; email: string; emailVerified: boolean; isOperator: boolean }
  /** The account that this browser acts for, settled. */
  account: Pick<Account, 'id' | 'name' | 'organization' | 'tier' | 'creditsBalance'> & {
    /** Why an operator has suspended the account (D189); null where none has. */
    suspensionReason: string | null
  }
  role: Role
}

export type Role = 'owner' | 'member'

/** A session ends this long after its last use, and this long after its beginning. */
export const SESSION_IDLE_SECONDS = 3 * 86_400
export const SESSION_LASTS_SECONDS = 30 * 86_400

/**
 * Finds the session of a cookie's token, its account settled: a plan that ended closes its workspace.
 * @returns undefined where the session has ended. @throws DatabaseUnavailable
 */
export async function findSession(database: Database, token: string): Promise<Session | undefined> {
  const hash = hashToken(token)
  return settledSession(database, ({ sql }) => ({
    condition: sql`s.hash = ${hash}`,
    account: sql`s.account_id`,
  }))
}

/**
 * Reads a session again, for the account for which it began something long: its browser may act for another one by now.
 * @returns undefined where the session or the membership has ended. @throws DatabaseUnavailable
 */
export async function sessionNow(
  database: Database,
  { id, account }: Pick<Session, 'id' | 'account'>,
): Promise<Session | undefined> {
  return settledSession(database, ({ sql }) => ({
    condition: sql`s.id = ${id}`,
    account: sql`${account.id}::uuid`,
  }))
}

/** SQL: the condition that selects `sessions s`, and the account that the session is read for. */
interface SessionChoice {
  condition: Fragment
  account: Fragment
}

async function settledSession(
  database: Database,
  choose: (connection: Connection) => SessionChoice,
): Promise<Session | undefined> {
  return database.use(async (connection) => {
    const found = await readSession(connection, choose(connection))
    if (!found?.due) return found?.session
    await settle(connection, found.session.account.id)
    return (await readSession(connection, choose(connection)))?.session
  })
}

/** Notes the use, to the minute. `due`: something of the account is to be settled. */
async function readSession({ sql }: Connection, { condition, account }: SessionChoice) {
  const [found] = await sql<{ session: Session; due: boolean }[]>`
    with session as (
      select s.id, s.used_at, s.user_id, ${account} as account_id from sessions s
       where ${condition} and s.ends_at > meter_now()
         and s.used_at > meter_now() - make_interval(secs => ${SESSION_IDLE_SECONDS}::integer)
    ), used as (
      update sessions s set used_at = meter_now() from session
       where s.id = session.id and session.used_at < meter_now() - interval '1 minute'
    )
    select (a.settle_at <= meter_now()) is true as due,
           json_build_object(
             'id', s.id,
             'user', json_build_object('id', u.id, 'name', u.name, 'email', u.email,
                                       'emailVerified', u.email_verified_at is not null,
                                       'isOperator', u.operator_since is not null),
             'account', json_build_object('id', a.id, 'name', a.name, 'organization', a.organization,
                                          'tier', a.tier, 'creditsBalance', a.balance,
                                          'suspensionReason', a.suspension_reason),
             'role', m.role) as session
      from session s
      join users u on u.id = s.user_id
      join members m on m.account_id = s.account_id and m.user_id = s.user_id
      join accounts a on a.id = s.account_id
     where member_may_act(m.role, a.tier)`
  return found
}

/**
 * Sets the password of whoever is signed in by a session. Every session of theirs ends; this one goes on by a new token.
 * @param password hashed by `Passwords`
 * @returns the token, for the cookie; undefined where the session has ended meanwhile: then nothing is set
 */
export async function changePassword(
  database: Database,
  { id, user }: Pick<Session, 'id' | 'user'>,
  password: string,
): Promise<string | undefined> {
  const { token, hash } = newToken()
  const isChanged = await database.use(({ sql }) =>
    isTrue(sql`
      select user_change_password(${user.id}, ${id}, ${password}, ${hash},
                                  make_interval(secs => ${SESSION_LASTS_SECONDS}::integer))`),
  )
  return isChanged ? token : undefined
}

export async function endSession(database: Database, token: string): Promise<void> {
  await database.use(({ db }) => db.delete(sessions).where(eq(sessions.hash, hashToken(token))))
}

/** The user's sessions in force, the latest used first. */
export async function sessionsOf(database: Database, { user }: Pick<Session, 'user'>) {
  const { id, createdAt, usedAt, endsAt } = sessions
  const idleSince = sql`meter_now() - make_interval(secs => ${SESSION_IDLE_SECONDS}::integer)`
  return database.use(({ db }) =>
    db
      .select({ id, createdAt, usedAt })
      .from(sessions)
      .where(and(eq(sessions.userId, user.id), gt(endsAt, sql`meter_now()`), gt(usedAt, idleSince)))
      .orderBy(desc(usedAt), asc(id)),
  )
}

/** Ends one of the user's sessions. @returns false where they have no such session. */
export async function endOwnSession(
  database: Database,
  { user }: Pick<Session, 'user'>,
  sessionId: string,
): Promise<boolean> {
  if (!isUuid(sessionId)) return false
  const own = and(eq(sessions.id, sessionId), eq(sessions.userId, user.id))
  return database.use(({ db }) => hitsRow(db.delete(sessions).where(own)))
}

/** Ends every session of the user but this one. */
export async function endOtherSessions(database: Database, { id, user }: Session): Promise<void> {
  const others = and(eq(sessions.userId, user.id), ne(sessions.id, id))
  await database.use(({ db }) => db.delete(sessions).where(others))
}
