/** Accounts as operators look for them, and the people of one. */
import { eq } from 'drizzle-orm'
import { CALL_CREDITS } from '../../contract/endpoints.ts'
import { TIER_RULES, TIERS, type Tier } from '../../contract/tiers.ts'
import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'
import { unlocks } from '../../database/tables/metering.ts'
import { textArray } from '../../database/text-array.ts'
import { isUuid } from '../../database/uuid.ts'
import { isWellFormed } from '../../money/accounts/api-key.ts'
import type { Role } from '../../people/users/sessions.ts'

/** An account in a list; its balance as last settled. Times are ISO 8601 in UTC. */
export interface FoundAccount {
  id: string
  name: string
  email: string
  organization: string | null
  tier: Tier
  plan: string | null
  balance: number
  suspendedAt: string | null
  createdAt: string
}

/**
 * Kinds of accounts in a list. `out-of-credits`: the balance, as last settled, pays no call, and the tier has a ceiling.
 * `paying`: a plan runs, or an order was paid and not fully paid back.
 */
export const ACCOUNT_KINDS = ['all', 'paying', 'out-of-credits', 'suspended'] as const
export type AccountKind = (typeof ACCOUNT_KINDS)[number]

export const ACCOUNT_ORDERS = [
  'newest',
  'oldest',
  'name',
  'most-credits',
  'fewest-credits',
] as const
export type AccountOrder = (typeof ACCOUNT_ORDERS)[number]

/** Filters and order of a list of accounts. */
export interface AccountFilters {
  /**
   * Part of a name, an organization or an address, of theirs or of one of their people; the beginning of a key; or an id, of the
   * account or of a key, a payment, a grant or a user of it. Every account where it is ''.
   */
  text: string
  /** All where it is absent. */
  kind?: AccountKind
}

/** Characters of a key by which it is found, as lists show it. */
const PREFIX_CHARACTERS = 'ck_live_'.length + 6

/**
 * Accounts, the newest first where no other order is asked for.
 * @param page from 1
 * @returns at most `limit`
 */
export async function findAccounts(
  database: Database,
  {
    order = 'newest',
    page,
    limit,
    ...filters
  }: AccountFilters & { order?: AccountOrder; page: number; limit: number },
): Promise<FoundAccount[]> {
  return database.use(
    ({ sql }) => sql<FoundAccount[]>`
      select a.id, a.name, a.email, a.organization, a.tier, a.plan,
             a.balance::double precision as balance, a.suspended_at as "suspendedAt", a.created_at as "createdAt"
        from accounts a
       where ${conditions(sql, filters)}
       order by ${ordered(sql)[order]}, a.id
       limit ${limit}::integer offset ${(page - 1) * limit}::integer`,
  )
}

/** Exact count: each account is looked at. */
export async function countAccounts(database: Database, filters: AccountFilters): Promise<number> {
  const [row] = await database.use(
    ({ sql }) => sql<{ count: number }[]>`
      select count(*)::integer as count from accounts a where ${conditions(sql, filters)}`,
  )
  return row?.count ?? 0
}

const ordered = (sql: Connection['sql']): Readonly<Record<AccountOrder, Fragment>> => ({
  newest: sql`a.created_at desc`,
  oldest: sql`a.created_at`,
  name: sql`lower(a.name)`,
  'most-credits': sql`a.balance desc`,
  'fewest-credits': sql`a.balance`,
})

const WITHOUT_CEILING = TIERS.filter((tier) => TIER_RULES[tier].unlimited)

function conditions(sql: Connection['sql'], { text, kind = 'all' }: AccountFilters): Fragment {
  const kinds: Readonly<Record<AccountKind, Fragment>> = {
    all: sql`true`,
    paying: sql`(a.plan is not null or exists (
      select from payments p
       where p.account_id = a.id and p.state = 'accepted' and coalesce(p.reversed < p.charged, true)))`,
    'out-of-credits': sql`(
      a.balance < ${CALL_CREDITS}::integer and a.tier <> all (${textArray(WITHOUT_CEILING)}::text::text[]))`,
    suspended: sql`a.suspended_at is not null`,
  }
  return sql`${kinds[kind]} and ${matching(sql, text.toLowerCase(), text)}`
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
export const unlocksOf = (database: Database, accountId: string): Promise<number> =>
  database.use(({ db }) => db.$count(unlocks, eq(unlocks.accountId, accountId)))
