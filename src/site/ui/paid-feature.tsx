/** @jsxImportSource hono/jsx */
/** Features of plans: which plans have one, and the price of an operation before it is charged. */

import type { WebOperation } from '../../contract/endpoints.ts'
import { FEATURE_TIERS, type Feature, PLANS, tierHas } from '../../contract/tiers.ts'
import { creditsOf } from '../../money/accounts/credits.ts'
import type { Child } from '../http/html.ts'
import type { Page, SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { ButtonLink, Submit } from './actions.tsx'
import type { Fact } from './facts.tsx'
import { Notice, personalPage } from './page-parts.tsx'
import { figure, humanize, plural } from './text.tsx'

/** Describes a feature to an account whose plan lacks it, and names the plans that include it. */
export function planNeededPage(
  context: SignedInContext,
  title: string,
  text: string,
  feature: Feature,
): Page {
  return personalPage(
    { title },
    <>
      <p class="lead">{text}</p>
      <p>It comes with {plansWith(feature)}.</p>
      <p>
        <ButtonLink href={context.href('/credits')}>View plans</ButtonLink>
      </p>
    </>,
  )
}

/** @throws PageError 403 where the account's plan does not have the feature */
export function requireFeature({ session }: SignedInContext, feature: Feature, name: string) {
  if (tierHas(session.account.tier, feature)) return
  throw new PageError(403, `Your plan has no ${name}`, `It comes with ${plansWith(feature)}.`)
}

/** Returns the plans with a feature: "Pro, Team or Enterprise". */
export function plansWith(feature: Feature): string {
  const tiers: readonly string[] = FEATURE_TIERS[feature]
  const names = Object.entries(PLANS)
    .filter(([, { tier }]) => tiers.includes(tier))
    .map(([name]) => humanize(name))
  return [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ')
}

export interface Quote {
  /** Credits for all units. */
  price: number
  /** Units that the balance covers, and their price in credits. */
  covered: number
  coveredPrice: number
  balance: number
  /** No credit ceiling. */
  unlimited: boolean
}

/** Returns the quote for so many units of an operation. @throws DatabaseUnavailable */
export async function quoteOf(
  { application, session }: SignedInContext,
  { credits }: Pick<WebOperation, 'credits'> | { credits: number },
  units: number,
): Promise<Quote> {
  const now = await creditsOf(application.database, session.account.id)
  const { balance, unlimited } = now ?? { balance: 0, unlimited: false }
  const covered = unlimited ? units : Math.min(units, Math.floor(Math.max(0, balance) / credits))
  return { price: units * credits, covered, coveredPrice: covered * credits, balance, unlimited }
}

export function quoteFacts({ price, balance, unlimited }: Quote): Fact[] {
  return [
    { name: 'Price', value: plural(price, 'credit', 'credits') },
    { name: 'Your balance', value: unlimited ? 'Unlimited' : plural(balance, 'credit', 'credits') },
  ]
}

interface PaidSubmitProps {
  quote: Quote
  /** The button's text: "Search". */
  children: Child
}

/** The button of a paid form, with the most that it charges; none where the credits cover nothing. */
export function PaidSubmit({ quote: { covered, coveredPrice }, children }: PaidSubmitProps) {
  if (covered === 0) return null
  return (
    <Submit>
      {children} <span class="price">{plural(coveredPrice, 'credit', 'credits')}</span>
    </Submit>
  )
}

interface ShortfallProps {
  context: SignedInContext
  covered: number
  all: number
  things: string
  what: string
}

/** A warning where the credits cover only a part. @param things the units, as people count them @param what the operation that would stop */
export function Shortfall({ context, covered, all, things, what }: ShortfallProps) {
  if (covered >= all) return null
  return (
    <Notice tone="warn">
      {covered === 0
        ? `Your credits cover none of ${figure(all)} ${things}.`
        : `Your credits cover ${figure(covered)} of ${figure(all)} ${things}: ${what} would stop there.`}{' '}
      <a href={context.href('/credits')}>Get credits</a>
    </Notice>
  )
}
