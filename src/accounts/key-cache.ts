/**
 * Which account a key belongs to. Only what never changes about a key is kept (its account, scopes,
 * label); whether it still holds is decided by every charge (D21), so nothing here extends its life.
 */
import { eq } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Scope } from '../contract/endpoints.ts'
import type { Database } from '../database/client.ts'
import { apiKeys } from '../database/tables.ts'
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
  /** Remembers that the database called this key revoked: a key once revoked stays so. */
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

async function lookUp(database: Database, hash: string): Promise<ResolvedKey | undefined> {
  const [row] = await database.use(({ db }) =>
    db.select().from(apiKeys).where(eq(apiKeys.hash, hash)),
  )
  if (!row) return undefined
  const { id, accountId, label, prefix, environment } = row
  return { id, accountId, hash, label, prefix, scopes: row.scopes as Scope[], environment }
}
