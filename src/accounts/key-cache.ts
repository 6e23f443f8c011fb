/**
 * Which account a key belongs to. The cache keeps only what never changes about a key (account, scopes, label).
 * Every charge checks that the key is in force (D21), so the cache never extends a key's life.
 */
import { eq } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Scope } from '../contract/endpoints.ts'
import type { Database } from '../database/client.ts'
import { apiKeys } from '../database/tables/accounts.ts'
import { hashApiKey, isWellFormed } from './api-key.ts'

export interface ResolvedKey {
  id: string
  accountId: string
  hash: string
  label: string
  prefix: string
  scopes: readonly Scope[]
  environment: string
}

export interface KeyCache {
  /** The key's record, or undefined where there is none. @throws DatabaseUnavailable */
  resolve(key: string): Promise<ResolvedKey | undefined>
  /** Remembers that the database found this key revoked. A revoked key stays revoked. */
  revoked(key: ResolvedKey): void
}

const MAX_KEYS = 50_000

export function createKeyCache(database: Database): KeyCache {
  const known = new LRUCache<string, ResolvedKey>({ max: MAX_KEYS })
  const revoked = new LRUCache<string, true>({ max: MAX_KEYS })

  async function resolve(key: string): Promise<ResolvedKey | undefined> {
    if (!isWellFormed(key)) return undefined
    const hash = hashApiKey(key)
    if (revoked.has(hash)) return undefined
    const cached = known.get(hash)
    if (cached) return cached
    const found = await lookUp(database, hash)
    if (found) known.set(hash, found)
    return found
  }

  return {
    resolve,
    revoked(key) {
      known.delete(key.hash)
      revoked.set(key.hash, true)
    },
  }
}

async function lookUp(database: Database, keyHash: string): Promise<ResolvedKey | undefined> {
  const { id, accountId, hash, label, prefix, scopes, environment } = apiKeys
  const [row] = await database.use(({ db }) =>
    db
      .select({ id, accountId, hash, label, prefix, scopes, environment })
      .from(apiKeys)
      .where(eq(hash, keyHash)),
  )
  return row
}
