/** @jsxImportSource hono/jsx */
/** Describes a feature to accounts whose plan lacks it, and names the plans that include it. */
import { FEATURE_TIERS, type Feature, PLANS, tierHas } from '../../contract/tiers.ts'
import type { Page, SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { ButtonLink } from './actions.tsx'
import { personalPage } from './page-parts.tsx'
import { humanize } from './text.tsx'

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
