/**
 * An account's workspace: its owner, its members, and their invitations. Each statement checks what the session may
 * do. The id of another account is answered as if it did not exist.
 */
import { and, asc, desc, eq, gt, sql } from 'drizzle-orm'
import type { Database } from '../../database/client.ts'
import { hitsRow, isTrue } from '../../database/scalar.ts'
import { invitations, members, users } from '../../database/tables/users.ts'
import { isUuid } from '../../database/uuid.ts'
import { countWindows } from './rate-limiter.ts'
import { type Role, removalOf, SESSION_LASTS_SECONDS, type Session } from './sessions.ts'
import { hashToken, newToken } from './tokens.ts'
import { validLine } from './validation.ts'

const INVITATION_LASTS_SECONDS = 7 * 86_400
/** Open invitations that one account may have. */
const MAX_INVITATIONS = 100

export type Member = Awaited<ReturnType<typeof membersOf>>[number]
export type Invitation = Awaited<ReturnType<typeof invitationsOf>>[number]

/** The owner first, then in the order of joining. */
export async function membersOf(database: Database, accountId: string) {
  const { userId, role, joinedAt } = members
  const { name, email } = users
  return database.use(({ db }) =>
    db
      .select({ userId, name, email, role, joinedAt })
      .from(members)
      .innerJoin(users, eq(users.id, userId))
      .where(eq(members.accountId, accountId))
      .orderBy(sql`${role} = 'member'`, asc(joinedAt), asc(userId)),
  )
}

/** The account's open invitations, newest first. */
export async function invitationsOf(database: Database, accountId: string) {
  const { id, label, createdAt, endsAt } = invitations
  return database.use(({ db }) =>
    db
      .select({ id, label, createdAt, endsAt })
      .from(invitations)
      .where(and(eq(invitations.accountId, accountId), gt(endsAt, sql`meter_now()`)))
      .orderBy(desc(createdAt), asc(id)),
  )
}

/**
 * Makes a link that invites one person. @throws FieldError
 * @returns undefined where the user is not the owner, the tier has no workspace, or too many invitations are open.
 */
export async function invite(database: Database, session: Session, label: string) {
  const line = validLine('label', label)
  const { token, hash } = newToken()
  const [row] = await database.use(
    ({ sql }) => sql<{ id: string }[]>`
      insert into invitations (hash, account_id, invited_by, label, created_at, ends_at)
      select ${hash}, a.id, m.user_id, ${line}, meter_now(),
             meter_now() + make_interval(secs => ${INVITATION_LASTS_SECONDS}::integer)
        from accounts a join members m on m.account_id = a.id
       where a.id = ${session.account.id} and m.user_id = ${session.user.id} and m.role = 'owner'
         and member_may_act('member', a.tier)
         and (select count(*) from invitations i where i.account_id = a.id) < ${MAX_INVITATIONS}::integer
      returning id`,
  )
  return row && { id: row.id, token }
}

/** @returns false where the account has no such invitation. */
export async function cancelInvitation(database: Database, accountId: string, id: string) {
  if (!isUuid(id)) return false
  const condition = and(eq(invitations.id, id), eq(invitations.accountId, accountId))
  return database.use(({ db }) => hitsRow(db.delete(invitations).where(condition)))
}

/**
 * Invitation for its page. `workspace` is its name, or the owner's. @returns undefined if the link is used or expired, or the
 * account's tier has no workspace any more.
 */
export async function showInvitation(database: Database, token: string) {
  const [row] = await database.use(
    ({ sql }) => sql<{ workspace: string; invitedBy: string; endsAt: string }[]>`
      select coalesce(a.organization, a.name) as workspace, u.name as "invitedBy", i.ends_at as "endsAt"
        from invitations i join accounts a on a.id = i.account_id join users u on u.id = i.invited_by
       where i.hash = ${hashToken(token)} and i.ends_at > meter_now() and member_may_act('member', a.tier)`,
  )
  return row
}

/** Joins the workspace and acts for it. @returns false where the link is used or too old, or the user is a member. */
export async function acceptInvitation(database: Database, session: Session, token: string) {
  return database.use(({ sql }) =>
    isTrue(sql`select invitation_accept(${hashToken(token)}, ${session.user.id}, ${session.id})`),
  )
}

/** Removes a member and ends their sessions of this account. @returns false where a non-owner asks, or there is none. */
export async function removeMember(database: Database, session: Session, userId: string) {
  if (!isUuid(userId)) return false
  const [row] = await database.use(
    ({ sql }) => sql<{ sessions: string[] }[]>`
      delete from members m
       where m.account_id = ${session.account.id} and m.user_id = ${userId} and m.role = 'member'
         and exists (select from members o where o.account_id = m.account_id
                        and o.user_id = ${session.user.id} and o.role = 'owner')
      returning (select coalesce(json_agg(s.hash), '[]') from sessions s
                  where s.account_id = m.account_id and s.user_id = m.user_id) as sessions`,
  )
  if (!row) return false
  const seconds = SESSION_LASTS_SECONDS
  const ends = row.sessions.map((hash) => ({ subject: removalOf(hash), limit: null, seconds }))
  if (ends.length > 0) await countWindows(database, ends)
  return true
}

/** The member leaves; their sessions of this account end, this one too. @returns false for the owner. */
export function leaveWorkspace(database: Database, { account, user }: Session): Promise<boolean> {
  const { accountId, userId, role } = members
  const condition = and(eq(accountId, account.id), eq(userId, user.id), eq(role, 'member'))
  return database.use(({ db }) => hitsRow(db.delete(members).where(condition)))
}

/** The accounts that the session's user may act for now, their own first. */
export async function accountsOf(database: Database, session: Session) {
  return database.use(
    ({ sql }) => sql<{ id: string; name: string; role: Role }[]>`
      select a.id, coalesce(a.organization, a.name) as name, m.role
        from members m join accounts a on a.id = m.account_id
       where m.user_id = ${session.user.id} and member_may_act(m.role, a.tier)
       order by m.role = 'member', m.joined_at, a.id`,
  )
}

/** From now on the session acts for another of the user's accounts. @returns false where the user may not act for it. */
export async function switchAccount(database: Database, session: Session, accountId: string) {
  if (!isUuid(accountId)) return false
  return database.use(({ sql }) =>
    hitsRow(sql`
      update sessions s set account_id = m.account_id
        from members m join accounts a on a.id = m.account_id
       where s.id = ${session.id} and s.user_id = m.user_id and m.account_id = ${accountId}
         and member_may_act(m.role, a.tier)`),
  )
}

/**
 * Names the workspace (`organization` on `/v1/me`); an empty name removes the name. @throws FieldError
 * @returns false where the session's user is not the owner.
 */
export async function nameWorkspace(database: Database, session: Session, name: string) {
  const organization = name.trim() === '' ? null : validLine('organization', name)
  return database.use(({ sql }) =>
    hitsRow(sql`
      update accounts a set organization = ${organization}
        from members m
       where a.id = ${session.account.id} and m.account_id = a.id and m.user_id = ${session.user.id}
         and m.role = 'owner'`),
  )
}
