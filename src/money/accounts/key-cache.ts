/** Cache of keys by hash. It holds only what never changes: each charge checks that the key is in force. */
import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/client.ts'
import { createHashLookup } from '../../database/hash-lookup.ts'
import { apiKeys } from '../../database/tables/accounts.ts'
import { textArray } from '../../database/text-array.ts'
import { hashApiKey, isWellFormed } from './api-key.ts'

const { id, accountId, hash, label, prefix, scopes, environment, expiresAt, networks } = apiKeys
/** Columns of a key that a call needs. */
export const RESOLVED_COLUMNS = {
  id,
  accountId,
  hash,
  label,
  prefix,
  scopes,
  environment,
  expiresAt,
  networks,
}

export type ResolvedKey = Pick<typeof apiKeys.$inferSelect, keyof typeof RESOLVED_COLUMNS>

const MAX_KEYS = 50_000
const MAX_ENDED = 10_000
/** Memory of ended keys, short because a key may be in force again after a clock that ran ahead was corrected. */
const ENDED_MS = 1_000

export type KeyCache = ReturnType<typeof createKeyCache>

export function createKeyCache(database: Database) {
  const known = new LRUCache<string, ResolvedKey>({ max: MAX_KEYS })
  /** Hashes of keys that the database found to be revoked or expired. */
  const ended = new LRUCache<string, true>({ max: MAX_ENDED, ttl: ENDED_MS })
  const lookUp = createHashLookup(async (hashes) => {
    const rows = await database.use(({ db }) =>
      db
        .select(RESOLVED_COLUMNS)
        .from(apiKeys)
        .where(sql`${hash} in (select unnest(${textArray(hashes)}::text::text[]))`),
    )
    return new Map(rows.map((row) => [row.hash, row]))
  })

  return {
    /**
     * @param isOver tells that the sender's address is over its limit of rejected keys
     * @returns undefined if there is no such key
     * @throws DatabaseUnavailable
     */
    async resolve(key: string, isOver = () => false): Promise<ResolvedKey | undefined> {
      const keyHash = hashApiKey(key)
      if (ended.has(keyHash)) return undefined
      const cached = known.get(keyHash)
      if (cached) return cached
      if (!isWellFormed(key)) return undefined
      const found = await lookUp(keyHash, isOver())
      if (found) known.set(keyHash, found)
      return found
    },
    /** @returns the record from memory, without a lookup. */
    cached(key: string): ResolvedKey | undefined {
      const keyHash = hashApiKey(key)
      return ended.has(keyHash) ? undefined : known.get(keyHash)
    },
    /** Remembers for a second that the database found this key revoked or expired. */
    revoked(key: ResolvedKey) {
      ended.set(key.hash, true)
      known.delete(key.hash)
    },
  }
}
