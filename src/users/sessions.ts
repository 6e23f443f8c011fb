/** Browsers that are signed in. They live in the database alone, so that one that is ended is ended everywhere. */
import { sql } from 'drizzle-orm'
import type { Tier } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { isoTime } from '../database/iso-time.ts'
import { isUuid } from '../database/uuid.ts'
import { hashSecret, newSecret } from './secrets.ts'

export interface Session {
  id: string
  user: { id: string; name: string; email: string; emailVerified: boolean }
  /** The account that this browser acts for, up to date. */
  account: {
    id: string
    name: string
    organization: string | null
    tier: Tier
    creditsBalance: number
  }
  role: Role
}

export type Role = 'owner' | 'member'

/** A session ends so long after it was used last, and so long after it began. */
export const SESSION_IDLE_SECONDS = 3 * 86_400
export const SESSION_LASTS_SECONDS = 30 * 86_400

/**
 * The session of a cookie's token, or undefined where it has ended. Its account is brought up to date first
 * where something fell due: a plan that ended must not open a workspace any more.
 * @throws DatabaseUnavailable
 */
export async function findSession(database: Database, token: string): Promise<Session | undefined> {
  const hash = hashSecret(token)
  return database.use(async ({ db }) => {
    const found = async () => (await db.execute<FoundSession>(sessionOf(hash)))[0]
    const first = await found()
    if (!first?.due) return first?.session
    await db.execute(sql`select meter_open(${first.session.account.id})`)
    return (await found())?.session
  })
}

interface FoundSession extends Record<string, unknown> {
  session: Session
  /** Something of the account fell due and is not yet settled. */
  due: boolean
}

const sessionOf = (hash: string) => sql`
  with session as (
    select s.id, s.used_at, s.user_id, s.account_id from sessions s
     where s.hash = ${hash} and s.ends_at > meter_now()
       and s.used_at > meter_now() - make_interval(secs => ${SESSION_IDLE_SECONDS}::integer)
  ), used as (
    update sessions s set used_at = meter_now() from session
     where s.id = session.id and session.used_at < meter_now() - interval '1 minute'
  )
  select (a.settle_at <= meter_now()) is true as due,
         json_build_object(
           'id', s.id,
           'user', json_build_object('id', u.id, 'name', u.name, 'email', u.email,
                                     'emailVerified', u.email_verified_at is not null),
           'account', json_build_object('id', a.id, 'name', a.name, 'organization', a.organization,
                                        'tier', a.tier, 'creditsBalance', a.balance),
           'role', m.role) as session
    from session s
    join users u on u.id = s.user_id
    join members m on m.account_id = s.account_id and m.user_id = s.user_id
    join accounts a on a.id = s.account_id
   where member_may_act(m.role, a.tier)`

/**
 * Begins a session for somebody whose password was found to be `password` (its stored form).
 * @returns the cookie's token, or undefined where the password is another by now.
 */
export async function beginSession(
  database: Database,
  userId: string,
  password: string,
): Promise<string | undefined> {
  const { token, hash } = newSecret()
  const [row] = await database.use(({ db }) =>
    db.execute<{ begun: boolean }>(sql`
      select session_begin(${userId}, ${password}, ${hash},
                           make_interval(secs => ${SESSION_LASTS_SECONDS}::integer)) as begun`),
  )
  return row?.begun ? token : undefined
}

export async function endSession(database: Database, token: string): Promise<void> {
  await database.use(({ db }) =>
    db.execute(sql`delete from sessions where hash = ${hashSecret(token)}`),
  )
}

/** A browser that somebody is signed in with. */
export interface OpenSession {
  id: string
  createdAt: string
  /** To the minute. */
  usedAt: string
}

/** Every session of the person in force, the latest used first. */
export async function sessionsOf(
  database: Database,
  { user }: Pick<Session, 'user'>,
): Promise<OpenSession[]> {
  return database.use(async ({ db }) => [
    ...(await db.execute<OpenSession & Record<string, unknown>>(sql`
      select id, ${isoTime('created_at')} as "createdAt", ${isoTime('used_at')} as "usedAt"
        from sessions
       where user_id = ${user.id} and ends_at > meter_now()
         and used_at > meter_now() - make_interval(secs => ${SESSION_IDLE_SECONDS}::integer)
       order by used_at desc, id`)),
  ])
}

/** Ends one of the person's sessions. @returns false where they have no such session. */
export async function endOwnSession(
  database: Database,
  { user }: Pick<Session, 'user'>,
  sessionId: string,
): Promise<boolean> {
  if (!isUuid(sessionId)) return false
  const ended = await database.use(({ db }) =>
    db.execute(
      sql`delete from sessions where id = ${sessionId} and user_id = ${user.id} returning 1`,
    ),
  )
  return ended.length > 0
}

/** Ends every session of the person but this one. */
export async function endOtherSessions(
  database: Database,
  { id, user }: Pick<Session, 'id' | 'user'>,
): Promise<void> {
  await database.use(({ db }) =>
    db.execute(sql`delete from sessions where user_id = ${user.id} and id <> ${id}`),
  )
}
