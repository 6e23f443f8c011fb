/** Tiers with their limits and features, plans and top-ups (contract: Plans, Limits). */

export const TIERS = ['free', 'starter', 'pro', 'team', 'enterprise'] as const
export type Tier = (typeof TIERS)[number]

export interface TierRule {
  tier: Tier
  /** Requests per window, and the window's length in seconds. */
  rateLimit: number
  rateSeconds: number
  /** First reveals per window, and the window's length in seconds. */
  revealLimit: number
  revealSeconds: number
  /** Whether a balance below the price gets a sample, and not a 402. */
  sampled: boolean
  /** Whether there is no credit ceiling. */
  unlimited: boolean
}

const paid = {
  rateLimit: 120,
  rateSeconds: 60,
  revealLimit: 600,
  revealSeconds: 3_600,
  sampled: false,
  unlimited: false,
}

export const TIER_RULES: Readonly<Record<Tier, TierRule>> = {
  free: { ...paid, tier: 'free', revealLimit: 60, sampled: true },
  starter: { ...paid, tier: 'starter' },
  pro: { ...paid, tier: 'pro' },
  team: { ...paid, tier: 'team', rateLimit: 300 },
  enterprise: { ...paid, tier: 'enterprise', rateLimit: 5, rateSeconds: 1, unlimited: true },
}

/** Failed authentications per address that are answered 401, and the window's length in seconds. */
export const REJECTED_KEYS_LIMIT = 20
export const REJECTED_KEYS_SECONDS = 60

export const GRANT_SOURCES = ['plan', 'trial', 'topup', 'referral'] as const
export type GrantSource = (typeof GRANT_SOURCES)[number]

/** Default life of trial credits in days. */
export const TRIAL_DAYS = 7

export const PLANS = {
  essential: { tier: 'starter', usdPerMonth: 49, credits: 3_000, extras: 'CSV export' },
  pro: { tier: 'pro', usdPerMonth: 99, credits: 6_000, extras: 'bulk search' },
  team: { tier: 'team', usdPerMonth: 249, credits: 15_000, extras: 'shared workspace' },
  enterprise: { tier: 'enterprise', usdPerMonth: null, credits: null, extras: 'no credit ceiling' },
} as const satisfies Record<
  string,
  { tier: Tier; usdPerMonth: number | null; credits: number | null; extras: string }
>
export type PlanName = keyof typeof PLANS

/** Credits bought once, which never expire. A larger one is cheaper by the credit, but never cheaper than a plan. */
export const TOP_UPS = {
  small: { credits: 500, usd: 10 },
  medium: { credits: 2_500, usd: 45 },
  large: { credits: 10_000, usd: 170 },
} as const satisfies Record<string, { credits: number; usd: number }>
export type TopUpName = keyof typeof TOP_UPS

/** Tiers of each feature of the application. */
export const FEATURE_TIERS = {
  csvExport: ['starter', 'pro', 'team', 'enterprise'],
  bulkSearch: ['pro', 'team', 'enterprise'],
  workspace: ['team', 'enterprise'],
} as const satisfies Record<string, readonly Tier[]>
export type Feature = keyof typeof FEATURE_TIERS

export function tierHas(tier: Tier, feature: Feature): boolean {
  return FEATURE_TIERS[feature].some((each) => each === tier)
}
