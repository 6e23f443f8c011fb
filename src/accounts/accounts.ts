/** Accounts, keys, credits and plans as an operator handles them. */
import { and, asc, eq, gt, isNull, ne, or, sql } from 'drizzle-orm'
import type { Scope } from '../contract/endpoints.ts'
import { type GrantSource, PLANS, type PlanName, type Tier, TRIAL_DAYS } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { accounts, apiKeys, creditGrants } from '../database/tables.ts'
import { generateApiKey } from './api-key.ts'

export interface Account {
  id: string
  name: string
  email: string
  tier: Tier
  organization: string | null
  creditsBalance: number
  plan: string | null
  planRenews: boolean
  planEndsAt: string | null
  createdAt: string
}

export interface NewAccount {
  name: string
  email: string
  tier: Tier
  organization?: string | undefined
}

/** When credits end: after a number of seconds, at a time, or never. */
export type Expiry = { lastsSeconds: number } | { at: Date } | 'never'

export interface KeyRecord {
  id: string
  label: string
  prefix: string
  scopes: string[]
  environment: string
  createdAt: string
  revokedAt: string | null
}

export interface Grant {
  id: string
  source: string
  amount: number
  remaining: number
  expiresAt: string | null
  createdAt: string
}

/** The default expiry of a source (D15). `plan` credits belong to a plan's period. */
export function defaultExpiry(source: GrantSource): Expiry {
  if (source === 'trial') return { lastsSeconds: TRIAL_DAYS * 86_400 }
  if (source === 'plan') return { lastsSeconds: 30 * 86_400 }
  return 'never'
}

export async function createAccount(database: Database, account: NewAccount): Promise<string> {
  const { organization = null, ...rest } = account
  const [row] = await database.use(({ db }) =>
    db
      .insert(accounts)
      .values({ ...rest, organization })
      .returning({ id: accounts.id }),
  )
  if (!row) throw new Error('the database returned no account')
  return row.id
}

/** The account with everything that fell due settled, or undefined where there is none. */
export async function showAccount(database: Database, id: string): Promise<Account | undefined> {
  const [row] = await database.use(async ({ db }) => {
    await db.execute(sql`select meter_open(${id})`)
    return db.select().from(accounts).where(eq(accounts.id, id))
  })
  return row && accountOf(row)
}

/** Balances as last settled: expired credits leave at each account's next call. */
export async function listAccounts(database: Database): Promise<Account[]> {
  const rows = await database.use(({ db }) =>
    db.select().from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id)),
  )
  return rows.map(accountOf)
}

/** @returns whether there is such an account. */
export async function setAccount(
  database: Database,
  id: string,
  changes: { tier?: Tier; name?: string; organization?: string | null },
): Promise<boolean> {
  const rows = await database.use(({ db }) =>
    db.update(accounts).set(changes).where(eq(accounts.id, id)).returning({ id: accounts.id }),
  )
  return rows.length > 0
}

/** @returns the balance after, or undefined where there is no such account. */
export async function grantCredits(
  database: Database,
  id: string,
  amount: number,
  source: GrantSource,
  expiry: Expiry = defaultExpiry(source),
): Promise<number | undefined> {
  const lasts =
    expiry !== 'never' && 'lastsSeconds' in expiry ? `${expiry.lastsSeconds} seconds` : null
  const at = expiry !== 'never' && 'at' in expiry ? expiry.at.toISOString() : null
  const [row] = await database.use(({ db }) =>
    db.execute<{ balance: string | null }>(sql`
      select meter_grant(${id}, ${source}, ${amount}::integer, ${lasts}::interval, ${at}::timestamptz)
             as balance`),
  )
  return row?.balance == null ? undefined : Number(row.balance)
}

/** Each grant with what is left of it, soonest to expire first; undefined where there is no account. */
export async function listGrants(database: Database, id: string): Promise<Grant[] | undefined> {
  return database.use(async ({ db }) => {
    const [account] = await db.execute<{ now: string | null }>(
      sql`select meter_review(${id}) as now`,
    )
    if (!account?.now) return undefined
    const rows = await db
      .select()
      .from(creditGrants)
      .where(eq(creditGrants.accountId, id))
      .orderBy(sql`${creditGrants.expiresAt} nulls last`, asc(creditGrants.sequence))
    return rows.map(({ accountId: _, sequence: __, expiresAt, createdAt, ...grant }) => ({
      ...grant,
      expiresAt: expiresAt?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
    }))
  })
}

/** @returns false where there is no such account. */
export async function startPlan(
  database: Database,
  id: string,
  plan: PlanName,
  renews: boolean,
): Promise<boolean> {
  const { tier, credits } = PLANS[plan]
  const [row] = await database.use(({ db }) =>
    db.execute<{ started: boolean }>(
      sql`select meter_start_plan(${id}, ${plan}, ${tier}, ${credits}::integer, ${renews}::boolean) as started`,
    ),
  )
  return row?.started === true
}

/** @returns false where the account has no plan, or does not exist. */
export async function stopPlan(database: Database, id: string, atEnd: boolean): Promise<boolean> {
  const [row] = await database.use(({ db }) =>
    db.execute<{ stopped: boolean }>(
      sql`select meter_stop_plan(${id}, ${atEnd}::boolean) as stopped`,
    ),
  )
  return row?.stopped === true
}

/** @returns the new key, shown this once. The caller has checked that the account exists. */
export async function createKey(
  database: Database,
  accountId: string,
  label: string,
  scopes: readonly Scope[],
): Promise<{ id: string; key: string; prefix: string }> {
  const { key, hash, prefix } = generateApiKey()
  const [row] = await database.use(({ db }) =>
    db
      .insert(apiKeys)
      .values({ accountId, hash, prefix, label, scopes: [...scopes] })
      .returning({ id: apiKeys.id }),
  )
  if (!row) throw new Error('the database returned no key')
  return { id: row.id, key, prefix }
}

/** The application's own credential is none of them. */
export async function listKeys(database: Database, accountId: string): Promise<KeyRecord[]> {
  const rows = await database.use(({ db }) =>
    db
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.accountId, accountId), ne(apiKeys.environment, 'web')))
      .orderBy(asc(apiKeys.createdAt)),
  )
  return rows.map(({ id, label, prefix, scopes, environment, createdAt, revokedAt }) => ({
    id,
    label,
    prefix,
    scopes,
    environment,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  }))
}

/** Ends a key now (D21). @returns false where there is no such key, or it has ended already. */
export async function revokeKey(database: Database, keyId: string): Promise<boolean> {
  const rows = await database.use(({ db }) =>
    db
      .update(apiKeys)
      .set({ revokedAt: sql`meter_now()` })
      .where(
        and(
          eq(apiKeys.id, keyId),
          ne(apiKeys.environment, 'web'),
          or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, sql`meter_now()`)),
        ),
      )
      .returning({ id: apiKeys.id }),
  )
  return rows.length > 0
}

function accountOf(row: typeof accounts.$inferSelect): Account {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    tier: row.tier as Tier,
    organization: row.organization,
    creditsBalance: row.balance,
    plan: row.plan,
    planRenews: row.planRenews,
    planEndsAt: row.planEndsAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}
