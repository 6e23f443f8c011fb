/** @jsxImportSource hono/jsx */
/** Events of the payment provider, as tables: those that wait for the operator, and those of one payment. */

import type { PaymentEvent } from '../../../money/payments/payments.ts'
import type { PageContext } from '../../../site/http/page.ts'
import { RowAction } from '../../../site/ui/actions.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Section, Table } from '../../../site/ui/page-parts.tsx'
import { Moment } from '../../../site/ui/text.tsx'
import type { PaymentEventEnd } from '../../acts/payment-details.ts'

interface WaitingEventsProps {
  context: PageContext
  events: readonly PaymentEvent[]
}

export function WaitingEvents({ context, events }: WaitingEventsProps) {
  if (events.length === 0) return null
  return (
    <Section id="events" title="Stripe’s events that wait for you" count={events.length}>
      <Table
        label="Events, oldest first"
        isCards
        columns={[
          'Time (UTC)',
          'Event',
          { label: 'What to do', card: 'line' },
          { label: 'Done', card: 'last' },
        ]}
        rows={events.map(({ id, at, kind, reason }) => [
          <Moment at={at} />,
          <>
            {kind} <code class="id">{id}</code>
          </>,
          reason,
          <RowAction context={context} action="dismiss" id={id} label="Dismiss" of={kind} />,
        ])}
      />
    </Section>
  )
}

interface EventsProps {
  context: PageContext
  events: readonly PaymentEventEnd[]
}

/** Stripe's events of one payment, and their results. */
export function Events({ context, events }: EventsProps) {
  if (events.length === 0) return <p class="empty">Stripe has told nothing of it.</p>
  return (
    <Table
      label="Events, newest first"
      isCards
      columns={[
        'Time (UTC)',
        'Event',
        { label: 'What became of it', card: 'line' },
        { label: 'End', card: 'last' },
      ]}
      rows={events.map(({ id, at, kind, outcome, reason, dismissedAt }) => [
        <Moment at={at} />,
        <>
          {kind} <code class="id">{id}</code>
        </>,
        reason,
        outcome === 'waiting' && !dismissedAt ? (
          <RowAction context={context} action="dismiss" id={id} label="Dismiss" of={kind} />
        ) : (
          <Badge>{dismissedAt ? 'dismissed' : outcome}</Badge>
        ),
      ])}
    />
  )
}
