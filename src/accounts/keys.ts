/** An account's own keys, as the application shows and changes them. */
import { sql } from 'drizzle-orm'
import type { Scope } from '../contract/endpoints.ts'
import type { Database } from '../database/client.ts'
import { isoTime } from '../database/iso-time.ts'
import { isUuid } from '../database/uuid.ts'
import { generateApiKey } from './api-key.ts'

export interface KeyUse {
  id: string
  label: string
  prefix: string
  scopes: Scope[]
  createdAt: string
  /** When it stops, or stopped; null where nothing ends it. */
  endsAt: string | null
  /** Whether it still opens anything. */
  inForce: boolean
  /** Of its charged calls in the last 30 days, the latest, and how many they are; from the ledger. */
  lastUsedAt: string | null
  calls30Days: number
}

/** How long an old key may go on beside the one that takes its place. */
export const MAX_GRACE_SECONDS = 7 * 86_400

/** Newest first. The application's own credential is none of them. */
export async function keysOf(database: Database, accountId: string): Promise<KeyUse[]> {
  return database.use(async ({ db }) => [
    ...(await db.execute<KeyUse & Record<string, unknown>>(sql`
      select k.id, k.label, k.prefix, to_json(k.scopes) as scopes,
             ${isoTime('k.created_at')} as "createdAt", ${isoTime('k.revoked_at')} as "endsAt",
             (k.revoked_at > meter_now()) is not false as "inForce",
             ${isoTime('used.last_at')} as "lastUsedAt", coalesce(used.calls, 0)::integer as "calls30Days"
        from api_keys k
        left join (
          select key_id, count(*) as calls, max(at) as last_at from ledger
           where account_id = ${accountId} and at > meter_now() - interval '30 days' and kind = 'charge'
           group by key_id
        ) used on used.key_id = k.id
       where k.account_id = ${accountId} and k.environment <> 'web'
       order by k.created_at desc, k.id`)),
  ])
}

/** Ends a key of this account now (D21). @returns false where the account has no such key in force. */
export async function revokeAccountKey(
  database: Database,
  accountId: string,
  keyId: string,
): Promise<boolean> {
  if (!isUuid(keyId)) return false
  const rows = await database.use(({ db }) =>
    db.execute(sql`
      update api_keys set revoked_at = meter_now()
       where id = ${keyId} and account_id = ${accountId} and environment <> 'web'
         and (revoked_at > meter_now()) is not false
      returning 1`),
  )
  return rows.length > 0
}

/**
 * A new key with an old one's label and scopes; the old one stops after the grace time, or when it would have anyway.
 * @param graceSeconds 0 to `MAX_GRACE_SECONDS`
 * @returns the new key, shown this once; undefined where the account has no such key in force.
 */
export async function rotateKey(
  database: Database,
  accountId: string,
  keyId: string,
  graceSeconds: number,
): Promise<{ id: string; key: string; prefix: string } | undefined> {
  if (!(graceSeconds >= 0 && graceSeconds <= MAX_GRACE_SECONDS))
    throw new RangeError('a grace time out of range')
  if (!isUuid(keyId)) return undefined
  const { key, hash, prefix } = generateApiKey()
  const [row] = await database.use(({ db }) =>
    db.execute<{ id: string }>(sql`
      with old as (
        update api_keys
           set revoked_at = least(revoked_at, meter_now() + make_interval(secs => ${graceSeconds}::integer))
         where id = ${keyId} and account_id = ${accountId} and environment <> 'web'
           and (revoked_at > meter_now()) is not false
        returning account_id, label, scopes, environment
      )
      insert into api_keys (account_id, hash, prefix, label, scopes, environment, created_at)
      select account_id, ${hash}, ${prefix}, label, scopes, environment, meter_now() from old
      returning id`),
  )
  return row && { id: row.id, key, prefix }
}
