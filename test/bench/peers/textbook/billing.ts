/** Who calls, whether too often, and what it costs, in the usual way: a statement for each step, and a transaction. */
import { createHash, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { CALL_CREDITS } from '../../../../src/contract/endpoints.ts'
import { TIER_RULES, type Tier } from '../../../../src/contract/tiers.ts'
import { query } from './statements.ts'

/** The call is refused with this status. */
export class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface Caller {
  keyId: string
  account: string
  tier: Tier
  name: string
  email: string
  organization: string | null
  balance: number
  label: string
  prefix: string
  scopes: readonly string[]
  environment: string
}

/** @throws Refused 401 where no key was sent, or one that is unknown or revoked. */
export async function authenticate(
  pool: pg.Pool,
  authorization: string | undefined,
): Promise<Caller> {
  const key = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
  if (!key) throw new Refused(401, 'Send the header Authorization: Bearer <API_KEY>.')
  const [caller] = await query<Caller>(
    pool,
    `select k.id as "keyId", k.label, k.prefix, k.scopes, k.environment, a.id as account, a.tier, a.name, a.email,
            a.organization, a.balance::double precision as balance
       from api_keys k join accounts a on a.id = k.account_id
      where k.hash = $1 and (k.revoked_at is null or k.revoked_at > now())`,
    [createHash('sha256').update(key).digest('hex')],
  )
  if (!caller) throw new Refused(401, 'The key is unknown or revoked.')
  return caller
}

export interface Rate {
  limit: number
  remaining: number
  resetSeconds: number
}

export class RateLimits {
  readonly #limiters: Readonly<Record<Tier, RateLimiterPostgres>>

  constructor(pool: pg.Pool) {
    const limiter = (tier: Tier) =>
      new RateLimiterPostgres({
        storeClient: pool,
        tableName: 'request_counts',
        tableCreated: true,
        keyPrefix: '',
        points: TIER_RULES[tier].rateLimit,
        duration: TIER_RULES[tier].rateSeconds,
      })
    this.#limiters = {
      free: limiter('free'),
      starter: limiter('starter'),
      pro: limiter('pro'),
      team: limiter('team'),
      enterprise: limiter('enterprise'),
    }
  }

  /** Counts a call. @throws Refused 429 where it is one too many. */
  async count({ account, tier }: Caller): Promise<Rate> {
    try {
      const { remainingPoints, msBeforeNext } = await this.#limiters[tier].consume(account)
      return {
        limit: TIER_RULES[tier].rateLimit,
        remaining: remainingPoints,
        resetSeconds: Math.ceil((Date.now() + msBeforeNext) / 1_000),
      }
    } catch (error) {
      if (error instanceof RateLimiterRes) throw new Refused(429, 'Too many requests.')
      throw error
    }
  }
}

/** Charges a call in a transaction. @returns the balance after it. @throws Refused 402 where it is too low. */
export async function charge(pool: pg.Pool, caller: Caller, endpoint: string): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const [row] = await query<{ balance: number }>(
      client,
      'select balance::double precision as balance from accounts where id = $1 for update',
      [caller.account],
    )
    const balance = (row?.balance ?? 0) - CALL_CREDITS
    if (balance < 0) throw new Refused(402, 'The balance is too low.')
    await query(client, 'update accounts set balance = $2 where id = $1', [caller.account, balance])
    await query(
      client,
      `insert into ledger (account_id, at, kind, credits, balance_after, request_id, endpoint, key_id)
       values ($1, now(), 'charge', $2, $3, $4, $5, $6)`,
      [caller.account, -CALL_CREDITS, balance, randomUUID(), endpoint, caller.keyId],
    )
    await client.query('commit')
    return balance
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
