/** Accounts that call the API of a served database. */
import { SCOPES } from '../../src/contract/endpoints.ts'
import type { Tier } from '../../src/contract/tiers.ts'
import type { Database } from '../../src/database/client.ts'
import { createAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'

/** Makes an account with a key for everything, and with credits that never expire. */
export async function newCaller(
  database: Database,
  { tier = 'team', credits = 0 }: { tier?: Tier; credits?: number } = {},
) {
  const id = await createAccount(database, { name: 'Ada', email: 'a@example.com', tier })
  if (credits > 0) await grantCredits(database, id, credits, 'topup')
  const { key } = await createKey(database, id, 'test', SCOPES)
  return { id, key }
}
