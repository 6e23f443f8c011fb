/** An account's API keys. No function here lists, ends or rotates the application's own credential. */
import { and, asc, desc, eq, getTableColumns, gt, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../contract/endpoints.ts'
import type { Database } from '../database/client.ts'
import { hitsRow } from '../database/scalar.ts'
import { apiKeys } from '../database/tables/accounts.ts'
import { isUuid } from '../database/uuid.ts'
import { generateApiKey } from './api-key.ts'
import { RESOLVED_COLUMNS, type ResolvedKey } from './key-cache.ts'
import { lastDays } from './ledger.ts'

export interface KeyUse {
  id: string
  label: string
  prefix: string
  scopes: Scope[]
  createdAt: string
  /** When it stops or stopped; null where it has no end. */
  endsAt: string | null
  /** Whether calls with it are accepted now. */
  inForce: boolean
  /** From the ledger: its latest charged call of the last 30 days (today is one, in UTC), and how many there were. */
  lastUsedAt: string | null
  calls30Days: number
}

/** What an account's first key is called, where nobody says otherwise. */
export const FIRST_KEY_LABEL = 'My first key'

/** The longest grace time of a rotated key: both keys work until it ends. */
export const MAX_GRACE_SECONDS = 7 * 86_400

/** Makes a key, which is shown this once. The caller has checked that the account exists. */
export async function createKey(
  database: Database,
  accountId: string,
  label: string,
  scopes: readonly Scope[],
) {
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

/** Keys as an operator sees them, oldest first. Times are ISO 8601 in UTC (D32). */
export async function listKeys(database: Database, id: string) {
  const { accountId, hash: _, ...columns } = getTableColumns(apiKeys)
  const own = and(eq(accountId, id), ne(apiKeys.environment, 'web'))
  return database.use(({ db }) =>
    db.select(columns).from(apiKeys).where(own).orderBy(asc(apiKeys.createdAt)),
  )
}

/** The newest of the account's keys in force, as a call knows them: the console sends calls with one of them. */
export async function usableKeys(
  database: Database,
  account: string,
  most: number,
): Promise<ResolvedKey[]> {
  const { accountId, environment, revokedAt, createdAt, id } = apiKeys
  const inForce = or(isNull(revokedAt), gt(revokedAt, sql`meter_now()`))
  const own = and(eq(accountId, account), ne(environment, 'web'), inForce)
  return database.use(({ db }) =>
    db
      .select(RESOLVED_COLUMNS)
      .from(apiKeys)
      .where(own)
      .orderBy(desc(createdAt), asc(id))
      .limit(most),
  )
}

/** Newest first. */
export async function keysOf(database: Database, accountId: string): Promise<KeyUse[]> {
  return database.use(
    ({ sql }) => sql<KeyUse[]>`
      select k.id, k.label, k.prefix, to_json(k.scopes) as scopes,
             k.created_at as "createdAt", k.revoked_at as "endsAt",
             (k.revoked_at > meter_now()) is not false as "inForce",
             used.last_at as "lastUsedAt", coalesce(used.calls, 0)::integer as "calls30Days"
        from api_keys k
        left join (
          select key_id, sum(calls) as calls, max(last_at) as last_at
            from ledger_use(${accountId}, ${lastDays(sql, 30)}) group by key_id
        ) used on used.key_id = k.id
       where k.account_id = ${accountId} and k.environment <> 'web'
       order by k.created_at desc, k.id`,
  )
}

/** Ends a key now (D21). @returns false where there is no such key in force. */
export async function revokeKey(database: Database, keyId: string): Promise<boolean> {
  return revokeWhere(database, eq(apiKeys.id, keyId))
}

/** Ends a key of this account now (D21). @returns false where the account has no such key in force. */
export async function revokeAccountKey(database: Database, accountId: string, keyId: string) {
  if (!isUuid(keyId)) return false
  return revokeWhere(database, eq(apiKeys.id, keyId), eq(apiKeys.accountId, accountId))
}

async function revokeWhere(database: Database, ...conditions: [SQL, ...SQL[]]): Promise<boolean> {
  const { environment, revokedAt } = apiKeys
  const now = sql`meter_now()`
  const inForce = or(isNull(revokedAt), gt(revokedAt, now))
  const found = and(...conditions, ne(environment, 'web'), inForce)
  return database.use(({ db }) => hitsRow(db.update(apiKeys).set({ revokedAt: now }).where(found)))
}

/**
 * Makes a key with an old one's label and scopes. The old one stops after `graceSeconds`, 0 to `MAX_GRACE_SECONDS`,
 * or at its own end if that is sooner. @returns undefined where the account has no such key in force.
 */
export async function rotateKey(
  database: Database,
  accountId: string,
  keyId: string,
  graceSeconds: number,
) {
  if (!(graceSeconds >= 0 && graceSeconds <= MAX_GRACE_SECONDS))
    throw new RangeError('a grace time out of range')
  if (!isUuid(keyId)) return undefined
  const { key, hash, prefix } = generateApiKey()
  const [row] = await database.use(
    ({ sql }) => sql<{ id: string }[]>`
      with old as (
        update api_keys
           set revoked_at = least(revoked_at, meter_now() + make_interval(secs => ${graceSeconds}::integer))
         where id = ${keyId} and account_id = ${accountId} and environment <> 'web'
           and (revoked_at > meter_now()) is not false
        returning account_id, label, scopes, environment
      )
      insert into api_keys (account_id, hash, prefix, label, scopes, environment, created_at)
      select account_id, ${hash}, ${prefix}, label, scopes, environment, meter_now() from old
      returning id`,
  )
  return row && { id: row.id, key, prefix }
}
