/** Accounts, for operators: made, listed, changed. */
import { asc, eq, sql } from 'drizzle-orm'
import type { Tier } from '../../contract/tiers.ts'
import type { Connection, Database } from '../../database/client.ts'
import { type Fragment, isTrue } from '../../database/scalar.ts'
import { accounts } from '../../database/tables/accounts.ts'
import { PLAN_RENEWS, settle } from './credits.ts'

/** Times are ISO 8601 in UTC. */
export type Account = Awaited<ReturnType<typeof listAccounts>>[number]

const { id, name, email, tier, organization, plan, planEndsAt, createdAt } = accounts
const { suspendedAt, suspensionReason } = accounts
const COLUMNS = {
  id,
  name,
  email,
  tier,
  organization,
  plan,
  planRenews: sql<boolean>`${sql.raw(PLAN_RENEWS)}`,
  planEndsAt,
  createdAt,
  suspendedAt,
  suspensionReason,
  creditsBalance: accounts.balance,
}

/** A new account; `tier` is `free` unless given. */
export interface NewAccount {
  name: string
  email: string
  tier?: Tier | undefined
  organization?: string | null | undefined
}

/** SQL that makes an account, with its credits as a top-up; returns the balance. */
export const createAccountCall = (
  sql: Connection['sql'],
  id: string,
  account: NewAccount,
  credits = 0,
): Fragment =>
  sql`account_create(${id}, ${JSON.stringify(account)}::text::jsonb, ${credits}::integer)`

/** @returns the account's id. */
export async function createAccount(database: Database, account: NewAccount): Promise<string> {
  const id = crypto.randomUUID()
  await database.use(({ sql }) => sql`select ${createAccountCall(sql, id, account)}`)
  return id
}

/** Settles the account, then reads it. @returns undefined where there is no such account. */
export async function showAccount(database: Database, id: string): Promise<Account | undefined> {
  return database.use(async (connection) => {
    await settle(connection, id)
    const [account] = await connection.db.select(COLUMNS).from(accounts).where(eq(accounts.id, id))
    return account
  })
}

/** Oldest first. Balances are as last settled: expired credits leave at each account's next call. */
export async function listAccounts(database: Database) {
  return database.use(({ db }) =>
    db.select(COLUMNS).from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id)),
  )
}

/** Fields that an operator may change; `organization` null removes it. */
export interface AccountChanges {
  tier?: Tier
  name?: string
  organization?: string | null
}

/** SQL that changes an account; false if there is no such account. */
export const setAccountCall = (
  sql: Connection['sql'],
  id: string,
  changes: AccountChanges,
): Fragment => sql`account_set(${id}, ${JSON.stringify(changes)}::text::jsonb)`

/** @returns false where there is no such account. */
export async function setAccount(database: Database, id: string, changes: AccountChanges) {
  return database.use(({ sql }) => isTrue(sql`select ${setAccountCall(sql, id, changes)}`))
}
