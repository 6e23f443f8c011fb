/** @jsxImportSource hono/jsx */
/** The limits of each tier, from the table that the meter reads. */
import { PLANS, TIER_RULES, type Tier, type TierRule } from '../../contract/tiers.ts'
import { numbers, Table } from '../ui/page-parts.tsx'
import { figure, humanize, perWindow } from '../ui/text.tsx'

/** @param hasReveals whether first reveals are told as well */
export function TierLimits({ hasReveals = false }: { hasReveals?: boolean }) {
  const reveals = hasReveals ? [numbers('First reveals')] : []
  return (
    <Table
      label="Limits"
      isCards
      columns={['Plan and tier', numbers('Requests'), ...reveals]}
      rows={Object.values(TIER_RULES).map((rule) => [
        <>
          {planOf(rule.tier)} (<code>{rule.tier}</code>)
        </>,
        requestsOf(rule),
        ...(hasReveals ? [`${figure(rule.revealLimit)} ${perWindow(rule.revealSeconds)}`] : []),
      ])}
    />
  )
}

/** The name under which a tier is sold, or its own. */
function planOf(tier: Tier): string {
  const plan = Object.entries(PLANS).find(([, it]) => it.tier === tier)
  return humanize(plan?.[0] ?? tier)
}

/** A limit by the second is easier compared with others by the minute. */
function requestsOf({ rateLimit, rateSeconds }: TierRule): string {
  const limit = `${figure(rateLimit)} ${perWindow(rateSeconds)}`
  return rateSeconds === 1 ? `${limit} (${figure(rateLimit * 60)} a minute)` : limit
}
