/**
 * The rules of money once more, as plainly as they can be said: no windows kept in SQL, no credits
 * allotted later, no groups. `model.test.ts` holds the meter to it, step by step.
 */
import { REVEAL_CREDITS } from '../../../src/contract/endpoints.ts'
import { IDEMPOTENT_REPEATS } from '../../../src/contract/headers.ts'
import type { CapPeriod, KeyCap } from '../../../src/contract/keys.ts'
import { type GrantSource, TIER_RULES, type Tier } from '../../../src/contract/tiers.ts'
import type { Outcome } from '../../../src/money/charge/call.ts'

export interface ModelGrant {
  /** The database's; unknown until it is looked up after the step that made the grant. */
  id: string | null
  source: GrantSource
  amount: number
  unspent: number
  expiresAt: number
  /** The order in which grants came. */
  sequence: number
}

export interface ModelEntry {
  kind: 'charge' | 'grant' | 'expiry'
  credits: number
  balance: number
  at: number
  person: string | null
  request: string | null
}

/** A cap of credits a day or month (UTC), with all that was ever charged to it. */
export interface ModelCap {
  credits: number
  period: CapPeriod
  charges: { at: number; credits: number }[]
}

interface Window {
  startedAt: number
  count: number
}

export interface ModelAccount {
  tier: Tier
  grants: ModelGrant[]
  /** What an enterprise account spent beyond its grants. */
  debt: number
  ledger: ModelEntry[]
  rate: Window
  reveals: Window
  /** When each contact was revealed. */
  unlocked: Map<string, number>
  retries: Map<string, { fingerprint: string; at: number; repeats: number }>
  plan: { name: string; credits: number; renews: boolean; startedAt: number; endsAt: number } | null
  /** When each of its keys stops. */
  keys: Map<string, number>
  isSuspended: boolean
  /** Of keys that have one. Keys that were rotated share it. */
  caps: Map<string, ModelCap>
}

export interface ModelCall {
  key: string
  price: number
  refusal: 'parameters' | 'values' | 'scope' | null
  exists: boolean
  person: string | null
  reveal: boolean
  contacts: string[]
  channels: boolean
  retry: { key: string; fingerprint: string } | null
  request: string
}

export interface ModelOutcome extends Omit<Outcome, 'outcome' | 'unlocked' | 'account'> {
  outcome: string
  /** Ids of contacts. */
  unlocked: string[] | null
}

const DAY_MS = 86_400_000

export function newModelAccount(tier: Tier, key: string): ModelAccount {
  return {
    tier,
    grants: [],
    debt: 0,
    ledger: [],
    rate: { startedAt: Number.NEGATIVE_INFINITY, count: 0 },
    reveals: { startedAt: Number.NEGATIVE_INFINITY, count: 0 },
    unlocked: new Map(),
    retries: new Map(),
    plan: null,
    keys: new Map([[key, Number.POSITIVE_INFINITY]]),
    isSuspended: false,
    caps: new Map(),
  }
}

export function balanceOf(account: ModelAccount): number {
  return account.grants.reduce((sum, grant) => sum + grant.unspent, 0) - account.debt
}

/** `months` after a time in UTC, on the same day of the month or, where it has none, on its last. */
export function monthsAfter(time: number, months: number): number {
  const date = new Date(time)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime()
}

/** When the day or month of UTC began that holds at a time, or the one after it. */
export function periodStart(period: CapPeriod, time: number, later = 0): number {
  const date = new Date(time)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  return period === 'day' ? Date.UTC(year, month, day + later) : Date.UTC(year, month + later, 1)
}

function capAt(cap: ModelCap, now: number): KeyCap {
  const { credits, period, charges } = cap
  const start = periodStart(period, now)
  const counted = charges.filter(({ at }) => at >= start)
  const spent = counted.reduce((sum, charge) => sum + charge.credits, 0)
  return { credits, period, spent, renewsAt: new Date(periodStart(period, now, 1)).toISOString() }
}

function enter(
  account: ModelAccount,
  entry: Partial<ModelEntry> & Pick<ModelEntry, 'kind' | 'credits' | 'at'>,
) {
  account.ledger.push({ person: null, request: null, balance: balanceOf(account), ...entry })
}

/** Of two grants that expire together the older comes first. */
function soonestFirst(a: ModelGrant, b: ModelGrant): number {
  return a.expiresAt === b.expiresAt ? a.sequence - b.sequence : a.expiresAt - b.expiresAt
}

function spend(account: ModelAccount, credits: number) {
  account.grants.sort(soonestFirst)
  let left = credits
  for (const grant of account.grants) {
    const burned = Math.min(grant.unspent, left)
    grant.unspent -= burned
    left -= burned
  }
  account.debt += left
}

function add(
  account: ModelAccount,
  source: GrantSource,
  amount: number,
  expiresAt: number,
  now: number,
) {
  const paid = Math.min(account.debt, amount)
  account.debt -= paid
  account.grants.push({
    id: null,
    source,
    amount,
    unspent: amount - paid,
    expiresAt,
    sequence: account.grants.length,
  })
  enter(account, { kind: 'grant', credits: amount, at: now })
}

/** Settles grants and plans that fell due by now. */
export function settle(account: ModelAccount, now: number) {
  const due = account.grants.filter((grant) => grant.unspent > 0 && grant.expiresAt <= now)
  due.sort(soonestFirst)
  for (const grant of due) {
    const lost = grant.unspent
    grant.unspent = 0
    enter(account, { kind: 'expiry', credits: -lost, at: now })
  }
  const { plan } = account
  if (!plan || plan.endsAt > now) return
  if (!plan.renews) {
    account.plan = null
    account.tier = 'free'
    return
  }
  for (let periods = 1; plan.endsAt <= now; periods++)
    plan.endsAt = monthsAfter(plan.startedAt, periods)
  if (plan.credits > 0) add(account, 'plan', plan.credits, plan.endsAt, now)
}

export function grantCredits(
  account: ModelAccount,
  source: GrantSource,
  amount: number,
  lastsMs: number | null,
  now: number,
): number {
  settle(account, now)
  add(account, source, amount, lastsMs === null ? Number.POSITIVE_INFINITY : now + lastsMs, now)
  return balanceOf(account)
}

export function startPlan(
  account: ModelAccount,
  plan: { name: string; tier: Tier; credits: number; renews: boolean },
  now: number,
) {
  settle(account, now)
  const endsAt = monthsAfter(now, 1)
  account.tier = plan.tier
  account.plan = { ...plan, startedAt: now, endsAt }
  if (plan.credits > 0) add(account, 'plan', plan.credits, endsAt, now)
}

export function stopPlan(account: ModelAccount, atEnd: boolean, now: number): boolean {
  settle(account, now)
  if (!account.plan) return false
  account.plan.renews = false
  if (!atEnd) {
    account.plan.endsAt = now
    for (const grant of account.grants) {
      if (grant.source === 'plan' && grant.unspent > 0)
        grant.expiresAt = Math.min(grant.expiresAt, now)
    }
    settle(account, now)
  }
  return true
}

/** The window that holds now. */
function windowAt(window: Window, seconds: number, now: number): Window {
  return window.startedAt + seconds * 1_000 > now ? window : { startedAt: now, count: 0 }
}

/** One call through the gates. */
export function charge(account: ModelAccount, call: ModelCall, now: number): ModelOutcome {
  settle(account, now)
  const rule = TIER_RULES[account.tier]
  const rate = windowAt(account.rate, rule.rateSeconds, now)
  const reveals = windowAt(account.reveals, rule.revealSeconds, now)
  const firstReveal = call.reveal && call.person !== null && !account.unlocked.has(call.person)
  const required = firstReveal ? REVEAL_CREDITS : call.price
  const bound = call.retry ? account.retries.get(call.retry.key) : undefined
  const holds = bound !== undefined && bound.at > now - DAY_MS
  const replay = holds && bound.fingerprint === call.retry?.fingerprint
  const cap = account.caps.get(call.key)
  const capNow = cap && capAt(cap, now)

  const outcome = ((): string => {
    if ((account.keys.get(call.key) ?? Number.NEGATIVE_INFINITY) <= now) return 'revoked'
    if (rate.count >= rule.rateLimit) return 'rate_limited'
    rate.count++
    account.rate = rate
    if (account.isSuspended) return 'suspended'
    if (call.refusal === 'parameters') return 'refused'
    if (holds && !replay) return 'key_reused'
    if (replay && bound.repeats >= IDEMPOTENT_REPEATS) return 'key_exhausted'
    if (call.refusal === 'scope' || (call.refusal === 'values' && !replay)) return 'refused'
    if (call.price === 0) return 'free'
    if (!replay && !rule.unlimited && balanceOf(account) < required) {
      return rule.sampled ? 'sample' : 'insufficient'
    }
    if (!replay && capNow && capNow.credits - capNow.spent < required) return 'key_cap'
    if (!call.exists) return 'not_found'
    if (replay) return 'replayed'
    if (firstReveal && reveals.count >= rule.revealLimit) return 'reveal_cap'
    return 'charged'
  })()

  if (outcome === 'charged') {
    spend(account, required)
    cap?.charges.push({ at: now, credits: required })
    if (firstReveal && call.person) {
      account.unlocked.set(call.person, now)
      reveals.count++
      account.reveals = reveals
    }
    const person = firstReveal ? call.person : null
    enter(account, { kind: 'charge', credits: -required, at: now, person, request: call.request })
    if (call.retry) {
      const { key, fingerprint } = call.retry
      account.retries.set(key, {
        fingerprint,
        at: now,
        repeats: 0,
      })
    }
  }
  if (outcome === 'replayed' && bound) bound.repeats++
  // A repeat knows the unlocks of the call that it repeats.
  const knownUntil = outcome === 'replayed' && bound ? bound.at : now
  const seen = call.contacts
    .filter((person) => (account.unlocked.get(person) ?? Number.POSITIVE_INFINITY) <= knownUntil)
    .sort()
  return {
    outcome,
    charged: outcome === 'charged' ? required : 0,
    // A sample looks nothing up, so not whether the contact is unlocked either.
    required: outcome === 'sample' && call.reveal ? REVEAL_CREDITS : required,
    balance: balanceOf(account),
    tier: account.tier,
    rateLimit: rule.rateLimit,
    rateRemaining: Math.max(0, rule.rateLimit - rate.count),
    rateResetMs: rate.startedAt + rule.rateSeconds * 1_000,
    revealResetMs: outcome === 'reveal_cap' ? reveals.startedAt + rule.revealSeconds * 1_000 : null,
    keyCap: (outcome === 'key_cap' || outcome === 'free') && capNow ? capNow : null,
    nowMs: now,
    unlocked: (outcome === 'charged' || outcome === 'replayed') && seen.length > 0 ? seen : null,
  }
}

/** What a quote says: it counts as a request, and then the call is made, on a copy of the account. */
export function quote(account: ModelAccount, call: ModelCall, now: number): ModelOutcome {
  settle(account, now)
  const { rateLimit, rateSeconds } = TIER_RULES[account.tier]
  const rate = windowAt(account.rate, rateSeconds, now)
  const isInForce = (account.keys.get(call.key) ?? Number.NEGATIVE_INFINITY) > now
  if (isInForce && rate.count < rateLimit) {
    rate.count++
    account.rate = rate
  }
  const foretold = charge(structuredClone(account), call, now)
  return {
    ...foretold,
    outcome: foretold.outcome === 'charged' ? 'quoted' : foretold.outcome,
    charged: 0,
    balance: balanceOf(account),
    rateRemaining: Math.max(0, rateLimit - rate.count),
    unlocked: null,
    keyCap: foretold.outcome === 'key_cap' ? foretold.keyCap : null,
  }
}
