/** Accounts as an operator handles them. */
import { asc, eq } from 'drizzle-orm'
import type { Tier } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { hitsRow } from '../database/scalar.ts'
import { accounts } from '../database/tables/accounts.ts'
import { settle } from './credits.ts'

/** Times are ISO 8601 in UTC (D32). */
export type Account = Awaited<ReturnType<typeof listAccounts>>[number]

const { id, name, email, tier, organization, plan, planRenews, planEndsAt, createdAt } = accounts
const COLUMNS = {
  id,
  name,
  email,
  tier,
  organization,
  plan,
  planRenews,
  planEndsAt,
  createdAt,
  creditsBalance: accounts.balance,
}

/** @returns the new account's id. */
export async function createAccount(
  database: Database,
  account: Pick<typeof accounts.$inferInsert, 'name' | 'email' | 'tier' | 'organization'>,
): Promise<string> {
  const [row] = await database.use(({ db }) =>
    db.insert(accounts).values(account).returning({ id: accounts.id }),
  )
  if (!row) throw new Error('the database returned no account')
  return row.id
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

/** @returns false where there is no such account. */
export async function setAccount(
  database: Database,
  id: string,
  changes: { tier?: Tier; name?: string; organization?: string | null },
): Promise<boolean> {
  return database.use(({ db }) =>
    hitsRow(db.update(accounts).set(changes).where(eq(accounts.id, id))),
  )
}
