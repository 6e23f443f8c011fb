/** Accounts as operators look for them, and the people of one. */
import { isWellFormed } from '../accounts/api-key.ts'
import type { Tier } from '../contract/tiers.ts'
import type { Connection, Database } from '../database/client.ts'
import { isUuid } from '../database/uuid.ts'
import type { Role } from '../users/sessions.ts'

/** An account in a list; its balance as last settled. Times are ISO 8601 in UTC (D32). */
export interface FoundAccount {
  id: string
  name: string
  email: string
  organization: string | null
  tier: Tier
  plan: string | null
  balance: number
  createdAt: string
}

/** Characters of a key by which it is found, as lists show it. */
const PREFIX_CHARACTERS = 'ck_live_'.length + 6

/**
 * Accounts, the newest first.
 * @param text part of a name, an organization or an address, of theirs or of one of their people; the beginning of a key; or an id, of
 *   the account or of a key, a payment, a grant or a user of it. Every account where it is ''.
 * @param page from 1
 * @returns at most `limit`, and whether there are more
 */
export async function findAccounts(
  database: Database,
  { text, page, limit }: { text: string; page: number; limit: number },
): Promise<{ accounts: FoundAccount[]; hasMore: boolean }> {
  // PostgreSQL's text has no such character, so no account has it either.
  if (text.includes('\0')) return { accounts: [], hasMore: false }
  const found = await database.use(
    ({ sql }) => sql<FoundAccount[]>`
      select a.id, a.name, a.email, a.organization, a.tier, a.plan,
             a.balance::double precision as balance, a.created_at as "createdAt"
        from accounts a
       where ${matching(sql, text.toLowerCase(), text)}
       order by a.created_at desc, a.id
       limit ${limit + 1}::integer offset ${(page - 1) * limit}::integer`,
  )
  return { accounts: found.slice(0, limit), hasMore: found.length > limit }
}

function matching(sql: Connection['sql'], lower: string, text: string) {
  if (text === '') return sql`true`
  if (isUuid(text)) {
    return sql`a.id in (
      select ${text}::uuid
       union all select account_id from api_keys where id = ${text}
       union all select account_id from payments where id = ${text}
       union all select account_id from credit_grants where id = ${text}
       union all select account_id from members where user_id = ${text})`
  }
  if (text.startsWith('ck_live_')) {
    // A whole key is somebody's secret: no more of it than lists show goes on.
    const prefix = isWellFormed(text) ? text.slice(0, PREFIX_CHARACTERS) : text.replace(/…$/, '')
    return sql`a.id in (select account_id from api_keys where prefix = ${prefix} and environment <> 'web')`
  }
  return sql`(
    strpos(lower(a.name), ${lower}) > 0 or strpos(lower(a.email), ${lower}) > 0
    or strpos(lower(a.organization), ${lower}) > 0
    or a.id in (select m.account_id from users u join members m on m.user_id = u.id
                 where strpos(u.email, ${lower}) > 0 or strpos(lower(u.name), ${lower}) > 0))`
}

/** Somebody who acts for an account. */
export interface AccountPerson {
  id: string
  name: string
  email: string
  role: Role
  joinedAt: string
  emailVerifiedAt: string | null
  operatorSince: string | null
  hasSecondFactor: boolean
  /** In force, of whichever account. */
  sessions: number
}

/** The owner first, then in the order of joining. */
export function peopleOf(database: Database, accountId: string): Promise<AccountPerson[]> {
  return database.use(
    ({ sql }) => sql<AccountPerson[]>`
      select u.id, u.name, u.email, m.role, m.joined_at as "joinedAt", u.email_verified_at as "emailVerifiedAt",
             u.operator_since as "operatorSince",
             exists (select from second_factors f
                      where f.user_id = u.id and f.on_since is not null) as "hasSecondFactor",
             (select count(*)::integer from sessions s
               where s.user_id = u.id and s.ends_at > meter_now()) as sessions
        from members m join users u on u.id = m.user_id
       where m.account_id = ${accountId}
       order by m.role = 'member', m.joined_at, u.id`,
  )
}

/** How many contacts an account has unlocked. */
export async function unlocksOf(database: Database, accountId: string): Promise<number> {
  const [row] = await database.use(
    ({ sql }) => sql<{ count: number }[]>`
      select count(*)::integer as count from unlocks where account_id = ${accountId}`,
  )
  return row?.count ?? 0
}
