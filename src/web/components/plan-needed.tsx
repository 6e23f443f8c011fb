/** @jsxImportSource hono/jsx */
/** What a feature is, for those whose plan hasn't got it, and which plans have. */
import { FEATURE_TIERS, type Feature, PLANS } from '../../contract/tiers.ts'
import type { Html } from '../http/html.ts'
import type { SignedInContext } from '../http/page.ts'
import { humanize } from './text.tsx'

interface PlanNeededProps {
  context: SignedInContext
  title: string
  text: string
  feature: Feature
}

export function PlanNeeded({ context, title, text, feature }: PlanNeededProps): Html {
  return (
    <>
      <h1>{title}</h1>
      <p class="lead">{text}</p>
      <p>It comes with {plansWith(feature)}.</p>
      <p>
        <a class="button" href={context.href('/credits')}>
          See the plans
        </a>
      </p>
    </>
  )
}

/** "Pro, Team or Enterprise" */
export function plansWith(feature: Feature): string {
  const tiers: readonly string[] = FEATURE_TIERS[feature]
  const names = Object.entries(PLANS)
    .filter(([, { tier }]) => tiers.includes(tier))
    .map(([name]) => humanize(name))
  return [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ')
}
