/** @jsxImportSource hono/jsx */
/** Plans side by side: what each costs and has, and its button. */
import { CALL_CREDITS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { PLANS, type PlanName, TIER_RULES } from '../../contract/tiers.ts'
import { Badge } from './badges.tsx'
import { Choose, type PricesProps } from './price-list.tsx'
import { figure, humanize } from './text.tsx'

const NAMES = Object.keys(PLANS) as PlanName[]

/** The contract's table of plans, a card for each. */
export function Plans(prices: PricesProps) {
  const current = prices.context.session?.account.tier
  return (
    <ul class="plans">
      {NAMES.map((name) => {
        const { tier, usdPerMonth } = PLANS[name]
        const price = usdPerMonth === null ? null : `$${figure(usdPerMonth)}`
        const what = `${humanize(name)}, ${price ? `${price} a month` : 'price to be agreed'}`
        return (
          <li class={tier === current ? 'card current' : 'card'}>
            <h3>
              {humanize(name)} {tier === current ? <Badge tone="good">Current</Badge> : null}
            </h3>
            <p>
              <strong class="figure">{price ?? 'Custom'}</strong> {price ? 'a month' : 'price'}
            </p>
            <ul>
              {featuresOf(name).map((feature) => (
                <li>{feature}</li>
              ))}
            </ul>
            {tier === current ? null : (
              <p>
                <Choose {...prices} kind="plan" item={name} what={what} />
              </p>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Lines about a plan: its monthly credits and their worth, the rate limit, and the features of its tier. */
function featuresOf(name: PlanName): string[] {
  const { tier, credits } = PLANS[name]
  const { rateLimit, rateSeconds } = TIER_RULES[tier]
  // Each plan has what those before it have.
  const extras = NAMES.slice(0, NAMES.indexOf(name) + 1).map((each) => PLANS[each].extras)
  return [
    ...(credits === null
      ? []
      : [
          `${figure(credits)} credits a month`,
          `${figure(credits / CALL_CREDITS)} data calls or ${figure(credits / REVEAL_CREDITS)} reveals`,
        ]),
    `${figure((rateLimit * 60) / rateSeconds)} requests a minute`,
    ...extras.map(humanize),
  ]
}
