/** Accounts of a test directory. */
import { createAccount, setAccount, showAccount } from '../accounts/accounts.ts'
import { type Expiry, grantCredits } from '../accounts/credits.ts'
import { createKey } from '../accounts/keys.ts'
import { SCOPES, type Scope } from '../contract/endpoints.ts'
import { GRANT_SOURCES, type GrantSource, TIERS, type Tier } from '../contract/tiers.ts'
import type { Database } from '../database/client.ts'
import { checkChoice, checkCount, checkDuration, checkTime } from './options.ts'

export interface AccountOptions {
  /** `free` unless said otherwise. */
  tier?: Tier
  /** Credits that never expire; none unless said otherwise. */
  credits?: number
  /** What `/v1/me` names as `organization`; the service's own name where there is none. */
  organization?: string
  name?: string
  email?: string
}

export interface KeyOptions {
  /** All of them unless said otherwise. */
  scopes?: readonly Scope[]
  label?: string
}

/** One entry of an account's ledger; the balance is the sum of all `credits` (D14). */
export interface LedgerEntry {
  /** ISO 8601, of the directory's clock. */
  at: string
  kind: 'grant' | 'charge' | 'expiry' | 'reversal' | 'carried'
  /** What the entry did to the balance: a charge is negative. */
  credits: number
  balanceAfter: number
  /** Of a charge: the `X-Request-Id` of the call, and its endpoint, as `/v1/people/{id}`. */
  requestId: string | null
  endpoint: string | null
}

export interface TestAccount {
  id: string
  /** An API key with all scopes: `Authorization: Bearer <key>`. */
  key: string
  /** Another key of the same account; limits and credits are the account's. @returns the key. */
  newKey(options?: KeyOptions): Promise<string>
  /**
   * Gives credits.
   * @param source `topup` unless said otherwise
   * @param expires a duration from now (`'7d'`), a time, or `'never'`; by default as the source has it:
   *   `trial` lasts 7 days, `plan` 30 days, `topup` and `referral` for good (D15).
   * @returns the balance after.
   */
  grant(credits: number, source?: GrantSource, expires?: string | Date): Promise<number>
  /** Changes the tier, from the next call on. */
  setTier(tier: Tier): Promise<void>
  /** Credits available now: what has expired is gone from it. */
  balance(): Promise<number>
  /** Every entry, oldest first. */
  ledger(): Promise<LedgerEntry[]>
}

/** Makes an account. @param onChange called after a change that the service may have cached otherwise. */
export async function newAccount(
  database: Database,
  options: AccountOptions,
  onChange: () => void,
): Promise<TestAccount> {
  const { tier = 'free', credits = 0, organization } = options
  const { name = 'Test', email = 'test@example.com' } = options
  checkChoice('tier', TIERS, tier)
  checkCount('credits', credits)
  const id = await createAccount(database, { name, email, tier, organization })
  const newKey = async ({ scopes = SCOPES, label = 'test' }: KeyOptions = {}) => {
    for (const scope of scopes) checkChoice('scopes', SCOPES, scope)
    const { key } = await createKey(database, id, label, scopes)
    return key
  }
  if (credits > 0) await grantCredits(database, id, credits, 'topup')
  return {
    id,
    key: await newKey(),
    newKey,
    async grant(amount, source = 'topup', expires) {
      checkCount('credits', amount, 1)
      checkChoice('source', GRANT_SOURCES, source)
      return existing(await grantCredits(database, id, amount, source, expiryOf(expires)))
    },
    async setTier(next) {
      existing(await setAccount(database, id, { tier: checkChoice('tier', TIERS, next) }))
      onChange()
    },
    balance: async () => existing(await showAccount(database, id)).creditsBalance,
    async ledger() {
      // Reading the account writes the entries of what has expired.
      existing(await showAccount(database, id))
      return database.use(
        ({ sql }) => sql<LedgerEntry[]>`
          select at, kind, credits, balance_after::double precision as "balanceAfter",
                 request_id as "requestId", endpoint
            from ledger where account_id = ${id} order by sequence`,
      )
    },
  }
}

function expiryOf(expires: string | Date | undefined): Expiry | undefined {
  if (expires === undefined || expires === 'never') return expires
  if (typeof expires === 'string' && /^\d+[a-z]$/.test(expires)) {
    return { lastsSeconds: checkDuration('expires', expires) }
  }
  return { at: checkTime('expires', expires) }
}

/** @throws where the account is gone: `reset()` deletes all accounts. */
function existing<T>(found: T | undefined | false): T {
  if (found === undefined || found === false) {
    throw new Error('the account is gone: reset() ends the accounts that were made before it')
  }
  return found
}
