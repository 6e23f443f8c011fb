/** An account's API keys. No function here lists, ends or rotates the application's own credential. */
import { and, asc, desc, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import type { Scope } from '../../contract/endpoints.ts'
import type { KeyCap } from '../../contract/keys.ts'
import { type Connection, type Database, isoTime } from '../../database/client.ts'
import { type Fragment, isTrue, scalar } from '../../database/scalar.ts'
import { apiKeys } from '../../database/tables/accounts.ts'
import { textArray } from '../../database/text-array.ts'
import { isUuid } from '../../database/uuid.ts'
import { generateApiKey } from './api-key.ts'
import { RESOLVED_COLUMNS, type ResolvedKey } from './key-cache.ts'
import type { KeyLimits } from './key-limits.ts'
import { lastDays } from './ledger.ts'

export interface KeyUse {
  id: string
  label: string
  prefix: string
  scopes: Scope[]
  createdAt: string
  /** End of the key, by expiry or revocation; null without one. */
  endsAt: string | null
  /** Revoked or rotated; in force until `endsAt`. */
  isRevoked: boolean
  /** Expiry, which a rotated key passes on; null without one. */
  expiresAt: string | null
  cap: KeyCap | null
  networks: string[] | null
  /** Calls with it are accepted now. */
  inForce: boolean
  /** Latest charged call in the last 30 days (UTC, today included), and their number. */
  lastUsedAt: string | null
  calls30Days: number
}

/** Default label of an account's first key. */
export const FIRST_KEY_LABEL = 'My first key'

/** The longest grace time of a rotated key: both keys work until it ends. */
export const MAX_GRACE_SECONDS = 7 * 86_400

/** SQL over a row of `api_keys`: the key is in force. */
const IN_FORCE = sql`key_in_force(${apiKeys.revokedAt}, ${apiKeys.expiresAt}, meter_now())`

export interface NewKey {
  id: string
  accountId: string
  label: string
  scopes: readonly Scope[]
  limits: KeyLimits
  /** From `generateApiKey`. */
  hash: string
  prefix: string
}

/** SQL that makes a key; returns its end for `keyEnd`. */
export function createKeyCall(sql: Connection['sql'], key: NewKey): Fragment {
  const { expiresSeconds = 0, cap, networks } = key.limits
  return sql`
    key_create(${key.id}, ${key.accountId}, ${key.hash}, ${key.prefix}, ${key.label},
               ${textArray(key.scopes)}::text::text[],
               make_interval(secs => nullif(${expiresSeconds}::double precision, 0)),
               ${cap?.credits ?? null}::integer, ${cap?.period ?? null}::text,
               nullif(${textArray(networks ?? [])}::text::text[], '{}'))`
}

/** Makes a key, which is shown only here. The account must exist. */
export async function createKey(
  database: Database,
  accountId: string,
  label: string,
  scopes: readonly Scope[],
  limits: KeyLimits = {},
) {
  const { key, hash, prefix } = generateApiKey()
  const id = crypto.randomUUID()
  const made = { id, accountId, label, scopes, limits, hash, prefix }
  const end = await database.use(({ sql }) =>
    scalar<string>(sql`select ${createKeyCall(sql, made)}`),
  )
  return { id, expiresAt: keyEnd(end ?? ''), key, prefix }
}

/** Reads the result of `createKeyCall`; null without an end. */
export const keyEnd = (given: string): string | null => (given === '' ? null : isoTime(given))

/** Keys for operators, oldest first. Times are ISO 8601 in UTC. */
export async function listKeys(database: Database, id: string) {
  const { accountId, hash: _, capId, ...columns } = getTableColumns(apiKeys)
  const cap = sql<KeyCap | null>`(select key_cap_said(c, meter_now()) from key_caps c where c.id = ${capId})`
  const own = and(eq(accountId, id), ne(apiKeys.environment, 'web'))
  return database.use(({ db }) =>
    db
      .select({ ...columns, cap })
      .from(apiKeys)
      .where(own)
      .orderBy(asc(apiKeys.createdAt)),
  )
}

/** The account's newest keys in force; the console of the documentation calls with one of them. */
export async function usableKeys(
  database: Database,
  account: string,
  most: number,
): Promise<ResolvedKey[]> {
  const { accountId, environment, createdAt, id } = apiKeys
  const own = and(eq(accountId, account), ne(environment, 'web'), IN_FORCE)
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
             k.created_at as "createdAt", least(k.revoked_at, k.expires_at) as "endsAt",
             k.revoked_at is not null as "isRevoked", k.expires_at as "expiresAt",
             key_in_force(k.revoked_at, k.expires_at, meter_now()) as "inForce",
             (select key_cap_said(c, meter_now()) from key_caps c where c.id = k.cap_id) as cap,
             to_json(k.networks) as networks,
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

/** SQL that revokes a key now; false if there is no such key in force. */
export const revokeCall = (
  sql: Connection['sql'],
  keyId: string,
  accountId: string | null = null,
) => sql`key_revoke(${keyId}, ${accountId}::uuid)`

/** Revokes a key now. @returns false if there is no such key in force. */
export async function revokeKey(database: Database, keyId: string): Promise<boolean> {
  return database.use(({ sql }) => isTrue(sql`select ${revokeCall(sql, keyId)}`))
}

/** Revokes a key of this account now. @returns false if the account has no such key in force. */
export async function revokeAccountKey(database: Database, accountId: string, keyId: string) {
  if (!isUuid(keyId)) return false
  return database.use(({ sql }) => isTrue(sql`select ${revokeCall(sql, keyId, accountId)}`))
}

/**
 * Makes a key with the label, scopes and limits of an old one; both share one cap. The old one stops after `graceSeconds`,
 * 0 to `MAX_GRACE_SECONDS`, or at its expiry if that is sooner (`formerEndsAt`).
 * @returns undefined if the account has no such key in force.
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
    ({ sql }) => sql<{ id: string; expiresAt: string | null; formerEndsAt: string }[]>`
      with old as (
        update api_keys
           set revoked_at = least(revoked_at, meter_now() + make_interval(secs => ${graceSeconds}::integer))
         where id = ${keyId} and account_id = ${accountId} and environment <> 'web'
           and key_in_force(revoked_at, expires_at, meter_now())
        returning account_id, label, scopes, environment, expires_at, cap_id, networks, least(revoked_at, expires_at) as ends_at
      )
      insert into api_keys (account_id, hash, prefix, label, scopes, environment, created_at, expires_at, cap_id, networks)
      select account_id, ${hash}, ${prefix}, label, scopes, environment, meter_now(), expires_at, cap_id, networks from old
      returning id, expires_at as "expiresAt", (select ends_at from old) as "formerEndsAt"`,
  )
  return row && { ...row, key, prefix }
}
