/**
 * Lines of bulk searches, kept for a day between the page of the price and the answers: an address is too short for them.
 * The answers are not kept.
 */
import type { Database } from '../../database/client.ts'
import { isUuid } from '../../database/uuid.ts'

/** Lines of one bulk search, at most. */
export const MAX_LINES = 200

export interface KeptSearch {
  /** Each search once. */
  lines: readonly string[]
  /** Lines that were left out because they repeat one of these. */
  repeated: number
  /**
   * Positions of the lines that find something, which are the units that are paid for, in their order. Decided once, when the
   * price is confirmed; absent until then.
   */
  priced?: readonly number[]
  /** Units up to which the charge was confirmed: those that the credits covered, which the button named the price of. */
  most?: number
}

export type PricedSearch = KeptSearch & Required<Pick<KeptSearch, 'priced' | 'most'>>

const keyOf = (id: string) => `search ${id}`

/** @returns the id under which the account finds the lines again for 24 hours. @throws DatabaseUnavailable */
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

/** @returns undefined where the account has no such search, or no longer. @throws DatabaseUnavailable */
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

/**
 * Keeps what was confirmed, for 24 hours from then. Where something else was confirmed meanwhile, that stays.
 * @param search as it is kept. @throws DatabaseUnavailable
 */
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
