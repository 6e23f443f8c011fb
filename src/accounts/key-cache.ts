/** Which account a key belongs to. Only what never changes is cached: each charge checks that it is in force (D21). */
import { eq } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/client.ts'
import { apiKeys } from '../database/tables/accounts.ts'
import { hashApiKey, isWellFormed } from './api-key.ts'

const { id, accountId, hash, label, prefix, scopes, environment, expiresAt, networks } = apiKeys
/** What a call needs to know of its key. */
export const RESOLVED_COLUMNS = {
  ...{ id, accountId, hash, label, prefix, scopes, environment },
  ...{ expiresAt, networks },
}

export type ResolvedKey = Pick<typeof apiKeys.$inferSelect, keyof typeof RESOLVED_COLUMNS>

const MAX_KEYS = 50_000

export type KeyCache = ReturnType<typeof createKeyCache>

export function createKeyCache(database: Database) {
  /** By hash. */
  const known = new LRUCache<string, ResolvedKey | 'revoked'>({ max: MAX_KEYS })

  return {
    /** The key's record, or undefined where there is none. @throws DatabaseUnavailable */
    async resolve(key: string): Promise<ResolvedKey | undefined> {
      const keyHash = hashApiKey(key)
      const cached = known.get(keyHash)
      if (cached) return cached === 'revoked' ? undefined : cached
      if (!isWellFormed(key)) return undefined
      const [found] = await database.use(({ db }) =>
        db.select(RESOLVED_COLUMNS).from(apiKeys).where(eq(hash, keyHash)),
      )
      if (found) known.set(keyHash, found)
      return found
    },
    /** Remembers that the database found this key revoked. A revoked key stays revoked. */
    revoked(key: ResolvedKey) {
      known.set(key.hash, 'revoked')
    },
  }
}
