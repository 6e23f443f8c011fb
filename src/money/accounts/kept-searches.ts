/** Bulk searches, kept for a day between price and answers because their lines don't fit in a URL. Answers are not kept. */
import type { Database } from '../../database/client.ts'
import { isUuid } from '../../database/uuid.ts'

/** Lines of one bulk search, at most. */
export const MAX_LINES = 200

export interface KeptSearch {
  lines: readonly string[]
  /** Number of lines left out as repeats. */
  repeated: number
  /**
   * Positions of the lines that find something, which are the paid units. Fixed when the price is confirmed; absent until then.
   */
  priced?: readonly number[]
  /** Confirmed units: the button named their price, and the credits covered them. */
  most?: number
}

export type PricedSearch = KeptSearch & Required<Pick<KeptSearch, 'priced' | 'most'>>

const keyOf = (id: string) => `search ${id}`

/** Keeps lines for 24 hours. @returns their id, valid for this account. @throws DatabaseUnavailable */
export async function keepSearch(
  database: Database,
  accountId: string,
  search: KeptSearch,
): Promise<string> {
  const id = crypto.randomUUID()
  await database.use(
    ({ sql }) => sql`
      insert into idempotency_keys (account_id, key, fingerprint, charged_at)
      values (${accountId}, ${keyOf(id)}, ${JSON.stringify(search)}, meter_now())`,
  )
  return id
}

/** @returns undefined if the account has no such search or it has expired. @throws DatabaseUnavailable */
export async function keptSearch(
  database: Database,
  accountId: string,
  id: string,
): Promise<KeptSearch | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await database.use(
    ({ sql }) => sql<{ text: string }[]>`
      select fingerprint as text from idempotency_keys
       where account_id = ${accountId} and key = ${keyOf(id)}
         and charged_at > meter_now() - interval '24 hours'`,
  )
  return row && JSON.parse(row.text)
}

/** Stores a confirmation for 24 hours. The first one stays where two are sent. @throws DatabaseUnavailable */
export async function priceSearch(
  database: Database,
  accountId: string,
  id: string,
  search: KeptSearch,
  confirmed: PricedSearch,
): Promise<void> {
  await database.use(
    ({ sql }) => sql`
      update idempotency_keys
         set fingerprint = ${JSON.stringify(confirmed)}, charged_at = ${
           search.priced ? sql`charged_at` : sql`meter_now()`
         }
       where account_id = ${accountId} and key = ${keyOf(id)} and fingerprint = ${JSON.stringify(search)}`,
  )
}
