/**
 * An account shared: its owner, the members who came by an invitation, and the accounts that one person may
 * act for. What a session may do is checked in the statement that does it; ids of other accounts answer
 * as if they did not exist.
 */
import { sql } from 'drizzle-orm'
import type { Database } from '../database/client.ts'
import { isoTime } from '../database/iso-time.ts'
import { isUuid } from '../database/uuid.ts'
import { lineOf } from './fields.ts'
import { hashSecret, newSecret } from './secrets.ts'
import type { Role, Session } from './sessions.ts'

export interface Member {
  userId: string
  name: string
  email: string
  role: Role
  joinedAt: string
}

export interface Invitation {
  id: string
  /** Whom it is meant for, in the owner's words. */
  label: string
  createdAt: string
  endsAt: string
}

/** What somebody who holds an invitation's link is told. */
export interface Invited {
  /** The workspace's name, or its owner's where it has none. */
  workspace: string
  invitedBy: string
  endsAt: string
}

const INVITATION_LASTS_SECONDS = 7 * 86_400
/** Invitations of one account that may be open at once. */
const MAX_INVITATIONS = 100

/** The owner first, then as they joined. */
export async function membersOf(database: Database, accountId: string): Promise<Member[]> {
  return database.use(async ({ db }) => [
    ...(await db.execute<Member & Record<string, unknown>>(sql`
      select u.id as "userId", u.name, u.email, m.role, ${isoTime('m.joined_at')} as "joinedAt"
        from members m join users u on u.id = m.user_id
       where m.account_id = ${accountId}
       order by m.role = 'member', m.joined_at, u.id`)),
  ])
}

/** Open ones, newest first. */
export async function invitationsOf(database: Database, accountId: string): Promise<Invitation[]> {
  return database.use(async ({ db }) => [
    ...(await db.execute<Invitation & Record<string, unknown>>(sql`
      select id, label, ${isoTime('created_at')} as "createdAt", ${isoTime('ends_at')} as "endsAt"
        from invitations where account_id = ${accountId} and ends_at > meter_now()
       order by created_at desc, id`)),
  ])
}

/**
 * A link that invites one person.
 * @returns undefined where the session is no owner's, the tier has no workspace, or too many are open.
 * @throws FieldError
 */
export async function invite(
  database: Database,
  session: Session,
  label: string,
): Promise<{ id: string; token: string } | undefined> {
  const { token, hash } = newSecret()
  const [row] = await database.use(({ db }) =>
    db.execute<{ id: string }>(sql`
      insert into invitations (hash, account_id, invited_by, label, created_at, ends_at)
      select ${hash}, a.id, m.user_id, ${lineOf('label', label)}, meter_now(),
             meter_now() + make_interval(secs => ${INVITATION_LASTS_SECONDS}::integer)
        from accounts a join members m on m.account_id = a.id
       where a.id = ${session.account.id} and m.user_id = ${session.user.id} and m.role = 'owner'
         and member_may_act('member', a.tier)
         and (select count(*) from invitations i where i.account_id = a.id) < ${MAX_INVITATIONS}::integer
      returning id`),
  )
  return row && { id: row.id, token }
}

/** @returns false where the account has no such invitation. */
export async function cancelInvitation(
  database: Database,
  accountId: string,
  invitationId: string,
): Promise<boolean> {
  if (!isUuid(invitationId)) return false
  return wasDone(
    database,
    sql`delete from invitations where id = ${invitationId} and account_id = ${accountId} returning 1`,
  )
}

/** What a link invites to, or undefined where it is used up, too old, or the workspace is none any more. */
export async function showInvitation(
  database: Database,
  token: string,
): Promise<Invited | undefined> {
  const [row] = await database.use(({ db }) =>
    db.execute<Invited & Record<string, unknown>>(sql`
      select coalesce(a.organization, a.name) as workspace, u.name as "invitedBy", ${isoTime('i.ends_at')} as "endsAt"
        from invitations i join accounts a on a.id = i.account_id join users u on u.id = i.invited_by
       where i.hash = ${hashSecret(token)} and i.ends_at > meter_now() and member_may_act('member', a.tier)`),
  )
  return row
}

/** Joins; the session goes over to the workspace. @returns false where the link is not in force, or one is in it already. */
export async function acceptInvitation(
  database: Database,
  session: Session,
  token: string,
): Promise<boolean> {
  return wasDone(
    database,
    sql`select where invitation_accept(${hashSecret(token)}, ${session.user.id}, ${session.id})`,
  )
}

/** The owner sends a member away; the member's sessions of this account end. @returns whether it was done. */
export async function removeMember(
  database: Database,
  session: Session,
  userId: string,
): Promise<boolean> {
  if (!isUuid(userId)) return false
  return wasDone(
    database,
    sql`delete from members m
         where m.account_id = ${session.account.id} and m.user_id = ${userId} and m.role = 'member'
           and exists (select from members o where o.account_id = m.account_id
                          and o.user_id = ${session.user.id} and o.role = 'owner')
        returning 1`,
  )
}

/** A member leaves; their sessions of this account end, this one too. @returns false for the owner. */
export async function leaveWorkspace(database: Database, session: Session): Promise<boolean> {
  return wasDone(
    database,
    sql`delete from members
         where account_id = ${session.account.id} and user_id = ${session.user.id} and role = 'member'
        returning 1`,
  )
}

/** The accounts that the session's person may act for now, their own first. */
export async function accountsOf(
  database: Database,
  session: Session,
): Promise<{ id: string; name: string; role: Role }[]> {
  return database.use(async ({ db }) => [
    ...(await db.execute<{ id: string; name: string; role: Role }>(sql`
      select a.id, coalesce(a.organization, a.name) as name, m.role
        from members m join accounts a on a.id = m.account_id
       where m.user_id = ${session.user.id} and member_may_act(m.role, a.tier)
       order by m.role = 'member', m.joined_at, a.id`)),
  ])
}

/** From now on the session acts for another of the person's accounts. @returns false where it is none of theirs. */
export async function switchAccount(
  database: Database,
  session: Session,
  accountId: string,
): Promise<boolean> {
  if (!isUuid(accountId)) return false
  return wasDone(
    database,
    sql`update sessions s set account_id = m.account_id
          from members m join accounts a on a.id = m.account_id
         where s.id = ${session.id} and s.user_id = m.user_id and m.account_id = ${accountId}
           and member_may_act(m.role, a.tier)
        returning 1`,
  )
}

/** Names the workspace (`organization` on `/v1/me`); an empty name takes it away. @returns false where one is not its owner. @throws FieldError */
export async function nameWorkspace(
  database: Database,
  session: Session,
  name: string,
): Promise<boolean> {
  const organization = name.trim() === '' ? null : lineOf('organization', name)
  return wasDone(
    database,
    sql`update accounts a set organization = ${organization}
          from members m
         where a.id = ${session.account.id} and m.account_id = a.id and m.user_id = ${session.user.id}
           and m.role = 'owner'
        returning 1`,
  )
}

/** Whether a statement returned a row. */
async function wasDone(database: Database, statement: ReturnType<typeof sql>): Promise<boolean> {
  const rows = await database.use(({ db }) => db.execute(statement))
  return rows.length > 0
}
