/** Prices of tools, from the table that bills. */
import { ENDPOINTS, REVEAL_CREDITS } from '../contract/endpoints.ts'
import { PLANS, TIER_RULES, TOP_UPS } from '../contract/tiers.ts'
import { READING_TOOLS } from './tools.ts'

export const BALANCE_TOOL = 'get_balance'
export const REVEAL_TOOL = 'reveal_contact'
export const VALUES_TOOL = 'get_filter_values'

/** Credits of a call, by the tool's name; of a reveal, where it is the first of its contact. */
export const PRICES: readonly { tool: string; credits: number }[] = [
  { tool: BALANCE_TOOL, credits: ENDPOINTS.me.credits },
  { tool: VALUES_TOOL, credits: 0 },
  ...READING_TOOLS.map(({ name, endpoint }) => ({
    tool: name,
    credits: ENDPOINTS[endpoint].credits,
  })),
  { tool: REVEAL_TOOL, credits: REVEAL_CREDITS },
]

export const creditsOf = (tool: string): number =>
  PRICES.find((price) => price.tool === tool)?.credits ?? 0

/** A price as titles and descriptions say it. */
export function priceOf(tool: string): string {
  const credits = creditsOf(tool)
  if (tool === REVEAL_TOOL) return `${credits} credits, asks first`
  return credits === 0 ? 'free' : `${credits} credits`
}

/** The resource `chainkin://prices`. */
export const PRICE_LIST = {
  tools: PRICES,
  notes: [
    `A contact is unlocked for good by its first reveal; later ones cost ${ENDPOINTS.person.credits} credits, as get_person does.`,
    'A page of a list costs the same however many records it has, and if it has none.',
    'Errors, refused calls and samples cost nothing.',
  ],
  plans: PLANS,
  topUps: TOP_UPS,
  limits: Object.values(TIER_RULES).map((rule) => ({
    tier: rule.tier,
    requests: { most: rule.rateLimit, inSeconds: rule.rateSeconds },
    firstReveals: { most: rule.revealLimit, inSeconds: rule.revealSeconds },
  })),
}
