/** @jsxImportSource hono/jsx */
/** The limits of each tier, from the table that the meter reads. */
import { TIER_RULES } from '../../contract/tiers.ts'
import { numbers, Table } from '../components/page-parts.tsx'
import { figure, perWindow } from '../components/text.tsx'

/** @param hasReveals whether first reveals are told as well */
export function TierLimits({ hasReveals = false }: { hasReveals?: boolean }) {
  const reveals = hasReveals ? [numbers('First reveals')] : []
  return (
    <Table
      label="Limits"
      isCards
      columns={['Tier', numbers('Requests'), ...reveals]}
      rows={Object.values(TIER_RULES).map((rule) => [
        <code>{rule.tier}</code>,
        `${figure(rule.rateLimit)} ${perWindow(rule.rateSeconds)}`,
        ...(hasReveals ? [`${figure(rule.revealLimit)} ${perWindow(rule.revealSeconds)}`] : []),
      ])}
    />
  )
}
