/** Sessions of browsers. They are kept in the database alone, so that a session that ends, ends on every instance. */
import { and, asc, desc, eq, gt, ne, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { Batches } from '../../database/batches.ts'
import type { Connection, Database } from '../../database/client.ts'
import { createHashLookup, rowsOf } from '../../database/hash-lookup.ts'
import { type Fragment, hitsRow, isTrue } from '../../database/scalar.ts'
import { sessions } from '../../database/tables/users.ts'
import { isUuid } from '../../database/uuid.ts'
import type { Account } from '../../money/accounts/accounts.ts'
import { settle } from '../../money/accounts/credits.ts'
import { hashToken, newToken } from './tokens.ts'

export interface Session {
  id: string
  user: { id: string; name: string; email: string; emailVerified: boolean; isOperator: boolean }
  /** The account that this browser acts for, settled. */
  account: Pick<Account, 'id' | 'name' | 'organization' | 'tier' | 'creditsBalance'> & {
    /** Why an operator has suspended the account; null where none has. */
    suspensionReason: string | null
  }
  role: Role
}

export type Role = 'owner' | 'member'

/** A session ends this long after its last use, and this long after its beginning. */
export const SESSION_IDLE_SECONDS = 3 * 86_400
export const SESSION_LASTS_SECONDS = 30 * 86_400

/** Sessions that this process has seen lately: they go before those that strangers may have made up. */
const MAX_SEEN = 50_000

/** The rate limit subject that marks a session ended by a removal, so that its browser is told. @param hash of its token */
export const removalOf = (hash: string): string => `removed ${hash}`

/** Finds sessions by the tokens of cookies. */
export function createSessionLookup(database: Database) {
  const seen = new LRUCache<string, true>({ max: MAX_SEEN })
  const readings = new Batches({
    async run(hashes: readonly string[]) {
      const rows = await database.use((connection) => {
        const { sql } = connection
        const condition = sql`s.hash in (${rowsOf(sql, hashes)})`
        return readSessions(connection, { condition, account: sql`s.account_id` })
      })
      return hashes.map((hash) => rows.get(hash))
    },
  })
  const kindOf = createHashLookup((hashes) =>
    database.use((connection) => readKinds(connection, hashes)),
  )

  /**
   * The session of a cookie's token, its account settled: a plan that ended closes its workspace.
   * @returns undefined where the session has ended. @throws DatabaseUnavailable
   */
  async function find(token: string): Promise<Session | undefined> {
    const hash = hashToken(token)
    if (!seen.get(hash) && (await kindOf(hash)) !== 'session') return undefined
    let row = await readings.submit(hash)
    if (row?.due) {
      const { id } = row.session.account
      await database.use((connection) => settle(connection, id))
      row = await readings.submit(hash)
    }
    if (row) seen.set(hash, true)
    else seen.delete(hash)
    return row?.session
  }

  return {
    find,
    /** Why a token is of no session any more. */
    async endOf(token: string): Promise<'removed' | 'ended'> {
      return (await kindOf(hashToken(token))) === 'removed' ? 'removed' : 'ended'
    },
    /** Recognizes the token of an operator's session, also of one that has ended and is still on file. */
    async isOperators(token: string): Promise<boolean> {
      const hash = hashToken(token)
      if ((await kindOf(hash)) !== 'session') return false
      return database.use(({ sql }) =>
        isTrue(sql`
          select exists (select from sessions s join users u on u.id = s.user_id
                          where s.hash = ${hash} and u.operator_since is not null)`),
      )
    },
  }
}

/** The kinds of tokens by hash: of a session on file, which may have ended, and of one whose user was removed. */
async function readKinds({ sql }: Connection, hashes: readonly string[]) {
  const rows = await sql<{ hash: string; kind: 'session' | 'removed' }[]>`
    select hash, 'session' as kind from sessions where hash in (${rowsOf(sql, hashes)})
     union all
    select split_part(subject, ' ', 2), 'removed' from turns
     where subject in (${rowsOf(sql, hashes.map(removalOf))}) and ends_at > meter_now()`
  return new Map(rows.map(({ hash, kind }) => [hash, kind]))
}

/**
 * Reads a session again, for the account for which it began something long: its browser may act for another one by now.
 * @returns undefined where the session or the membership has ended. @throws DatabaseUnavailable
 */
export async function sessionNow(
  database: Database,
  { id, account }: Pick<Session, 'id' | 'account'>,
): Promise<Session | undefined> {
  return database.use(async (connection) => {
    const { sql } = connection
    const choice = { condition: sql`s.id = ${id}`, account: sql`${account.id}::uuid` }
    const read = async () => [...(await readSessions(connection, choice)).values()][0]
    const row = await read()
    if (!row?.due) return row?.session
    await settle(connection, account.id)
    return (await read())?.session
  })
}

/** SQL: the condition that selects `sessions s`, and the account that they are read for. */
interface SessionChoice {
  condition: Fragment
  account: Fragment
}

/** Reads sessions by hash and notes their use, to the minute. `due`: something of the account is to be settled. */
async function readSessions({ sql }: Connection, { condition, account }: SessionChoice) {
  const rows = await sql<{ hash: string; session: Session; due: boolean }[]>`
    with session as (
      select s.id, s.hash, s.used_at, s.user_id, ${account} as account_id from sessions s
       where ${condition} and s.ends_at > meter_now()
         and s.used_at > meter_now() - make_interval(secs => ${SESSION_IDLE_SECONDS}::integer)
    ), used as (
      update sessions s set used_at = meter_now()
       where s.id in (
         select l.id from sessions l
          where l.id in (select id from session where used_at < meter_now() - interval '1 minute')
            -- Whoever holds one notes its use, or ends it.
            for no key update skip locked)
    )
    select s.hash, (a.settle_at <= meter_now()) is true as due,
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
  return new Map(rows.map((row) => [row.hash, row]))
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
  const condition = and(eq(sessions.id, sessionId), eq(sessions.userId, user.id))
  return database.use(({ db }) => hitsRow(db.delete(sessions).where(condition)))
}

/** Ends every session of the user but this one. */
export async function endOtherSessions(database: Database, { id, user }: Session): Promise<void> {
  const others = and(eq(sessions.userId, user.id), ne(sessions.id, id))
  await database.use(({ db }) => db.delete(sessions).where(others))
}
