/** Accounts of a test directory. */
import {
  GRANT_SOURCES,
  type GrantSource,
  PLANS,
  type PlanName,
  TIERS,
  type Tier,
} from '../contract/tiers.ts'
import {
  createAccount,
  type Database,
  type Expiry,
  errorCode,
  grantCredits,
  isUuid,
  setAccount,
  showAccount,
  startPlan,
  stopPlan,
} from '../embed-testing.ts'
import { type KeyOptions, newKey, revokeKey } from './keys.ts'
import {
  checkChoice,
  checkCount,
  checkDuration,
  checkFlag,
  checkNames,
  checkText,
  checkTime,
  isText,
  NotThere,
  TEXT,
  WrongOption,
} from './options.ts'

export interface AccountOptions {
  /** Defaults to `free`. */
  tier?: Tier
  /** Credits that never expire; defaults to 0. */
  credits?: number
  /** `organization` of `/v1/me`; defaults to the service's name. */
  organization?: string
  name?: string
  email?: string
}

export interface PlanOptions {
  /** Begins another period when one ends; otherwise the tier falls back to free. */
  renews?: boolean
}

export const ACCOUNT_OPTIONS = [
  'tier',
  'credits',
  'organization',
  'name',
  'email',
] as const satisfies readonly (keyof AccountOptions)[]

const PLAN_NAMES = Object.keys(PLANS) as PlanName[]

/** One entry of an account's ledger; the balance is the sum of all `credits`. */
export interface LedgerEntry {
  /** ISO 8601, of the directory's clock. */
  at: string
  kind: 'grant' | 'charge' | 'expiry' | 'reversal' | 'carried'
  /** Change of the balance: a charge is negative. */
  credits: number
  balanceAfter: number
  /** `X-Request-Id` of the charged call, and its endpoint like `/v1/people/{id}`. */
  requestId: string | null
  endpoint: string | null
}

/** An account, settled. Times are ISO 8601 in UTC. */
export interface AccountState {
  id: string
  name: string
  email: string
  tier: Tier
  organization: string | null
  plan: string | null
  planRenews: boolean
  planEndsAt: string | null
  createdAt: string
  suspendedAt: string | null
  suspensionReason: string | null
  creditsBalance: number
}

/** Actions on an account. */
export interface AccountHandle {
  id: string
  /** Makes a further key; limits and credits are the account's. @returns the key */
  newKey(options?: KeyOptions): Promise<string>
  /** Ends a key of this account: its next call is refused. */
  revoke(key: string): Promise<void>
  /**
   * Gives credits.
   * @param source defaults to `topup`
   * @param expires a duration from now (`'7d'`), a time, or `'never'`; by default as the source has it:
   *   `trial` lasts 7 days, `plan` 30 days, `topup` and `referral` for good.
   * @returns the balance after.
   */
  grant(credits: number, source?: GrantSource, expires?: string | Date): Promise<number>
  /** Changes the tier, from the next call on. */
  setTier(tier: Tier): Promise<void>
  /** Begins a plan now: its tier, and its credits for 30 days. */
  startPlan(plan: PlanName, options?: PlanOptions): Promise<void>
  /** Ends the plan now, with what is left of its credits. */
  stopPlan(): Promise<void>
  /** State of the account, as `account show` prints it. */
  show(): Promise<AccountState>
  /** Credits available now: what has expired is gone from it. */
  balance(): Promise<number>
  /** Every entry, oldest first. */
  ledger(): Promise<LedgerEntry[]>
}

export interface TestAccount extends AccountHandle {
  /** An API key with all scopes: `Authorization: Bearer <key>`. */
  key: string
}

/** Makes an account. @param onChange called after changes that the service's caches don't notice @internal */
export async function newAccount(
  database: Database,
  options: AccountOptions,
  onChange: () => void,
): Promise<TestAccount> {
  checkNames('account', options, ACCOUNT_OPTIONS)
  const { tier = 'free', credits = 0, organization } = options
  const { name = 'Test', email = 'test@example.com' } = options
  checkChoice('tier', TIERS, tier)
  checkCount('credits', credits)
  for (const [option, text] of Object.entries({ name, email, organization })) {
    if (text !== undefined) checkText(option, text, TEXT, isText)
  }
  const id = await createAccount(database, { name, email, tier, organization })
  if (credits > 0) await grantCredits(database, id, credits, 'topup')
  const handle = accountHandle(database, id, onChange)
  return { ...handle, key: await handle.newKey() }
}

/** An account by its id; its actions throw if there is none. @internal */
export function accountHandle(database: Database, id: string, onChange: () => void): AccountHandle {
  checkText('account', id, "an account's id", isUuid)
  return {
    id,
    async newKey(options = {}) {
      existing(await showAccount(database, id))
      return newKey(database, id, options)
    },
    revoke: (key) => revokeKey(database, id, key),
    async startPlan(plan, options = {}) {
      checkChoice('plan', PLAN_NAMES, plan)
      checkNames('startPlan', options, ['renews'])
      const renews = checkFlag('renews', options.renews ?? false)
      existing(await startPlan(database, id, plan, renews))
      onChange()
    },
    async stopPlan() {
      if (!(await stopPlan(database, id, false))) {
        throw new WrongOption('stopPlan: the account has no plan')
      }
      onChange()
    },
    show: async () => existing(await showAccount(database, id)),
    async grant(amount, source = 'topup', expires) {
      checkCount('credits', amount, 1)
      checkChoice('source', GRANT_SOURCES, source)
      const granting = grantCredits(database, id, amount, source, expiryOf(expires))
      return existing(await granting.catch(refuseGrant))
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

/** Translates refusals of the database. */
function refuseGrant(error: unknown): never {
  const reason = GRANT_REFUSALS[errorCode(error) ?? '']
  throw reason === undefined ? error : new WrongOption(reason)
}

/** By SQLSTATE. */
const GRANT_REFUSALS: Readonly<Record<string, string>> = {
  '22023': 'expires: expected a time in the future',
  '22003': 'credits: the balance would be larger than can be kept',
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
    throw new NotThere('the account is gone: reset() ends the accounts that were made before it')
  }
  return found
}
