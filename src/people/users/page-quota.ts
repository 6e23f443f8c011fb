/** How many pages of the directory an account may read: more than a person does, fewer than a program wants. */
import { type Tier, tierHas } from '../../contract/tiers.ts'
import type { Database } from '../../database/client.ts'
import { countPages, firstOver } from './rate-limiter.ts'

export interface PageQuota {
  perMinute: number
  perDay: number
}

/** The members of a workspace read together. */
const WORKSPACE_FACTOR = 5

/** Factor for suggestions while typing: six lists of eight names hold no more than a page of fifty. */
const SUGGESTIONS_FACTOR = 6

/** Counts one page or one list of suggestions more, exactly between instances. @returns whole seconds to wait, 0 where allowed. @throws DatabaseUnavailable */
export async function countPage(
  database: Database,
  { perMinute, perDay }: PageQuota,
  { id, tier }: { id: string; tier: Tier },
  what: 'pages' | 'suggestions' = 'pages',
): Promise<number> {
  const ofPlan = tierHas(tier, 'workspace') ? WORKSPACE_FACTOR : 1
  const factor = what === 'suggestions' ? ofPlan * SUGGESTIONS_FACTOR : ofPlan
  const windows = [
    { subject: `${what} minute ${id}`, limit: perMinute * factor, seconds: 60 },
    { subject: `${what} day ${id}`, limit: perDay * factor, seconds: 86_400 },
  ]
  return firstOver(windows, await countPages(database, windows))?.endsIn ?? 0
}
