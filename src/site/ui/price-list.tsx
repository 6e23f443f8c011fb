/** @jsxImportSource hono/jsx */
/** Top-ups with their prices, the button that chooses a plan or a top-up, and the account's orders. */
import { TOP_UPS } from '../../contract/tiers.ts'
import type { Payment } from '../../money/payments/payments.ts'
import type { PageContext } from '../http/page.ts'
import { Badge, type Tone } from './badges.tsx'
import { numbers, Section, Table } from './page-parts.tsx'
import { isSuspended } from './suspension.tsx'
import { Day, figure, humanize } from './text.tsx'

export interface PricesProps {
  context: PageContext
  payments: readonly Payment[]
}

export function TopUps(prices: PricesProps) {
  return (
    <Table
      label="Top-ups"
      isCards
      columns={['Top-up', numbers('Credits'), numbers('Once'), { label: 'Order', card: 'line' }]}
      rows={Object.entries(TOP_UPS).map(([name, { credits, usd }]) => [
        humanize(name),
        figure(credits),
        `$${figure(usd)}`,
        <Choose
          {...prices}
          kind="topup"
          item={name}
          what={`${figure(credits)} credits, $${figure(usd)}`}
        />,
      ])}
    />
  )
}

interface ChooseProps extends PricesProps {
  kind: Payment['kind']
  item: string
  /** The choice with its price, which screen readers say for the button. */
  what: string
}

/** A link to the order's page, or why this visitor can't order it. */
export function Choose({ context, payments, kind, item, what }: ChooseProps) {
  const { session, application, href } = context
  if (!session)
    return (
      <a class="button quiet small" href={href('/sign-up')} aria-label={`Sign up for ${what}`}>
        Sign up
      </a>
    )
  // A checkout that was left may be started again; a request waits for the operator.
  const isOpen = payments.some((it) => it.state === 'open' && it.kind === kind && it.item === item)
  if (isOpen && application.payments.mode === 'manual') return <Badge tone="warn">Waiting</Badge>
  if (isSuspended(context)) return <span class="quiet">not while suspended</span>
  if (session.role !== 'owner') return <span class="quiet">the owner chooses</span>
  return (
    <a
      class="button quiet small"
      href={href(`/credits/order?${kind === 'plan' ? 'plan' : 'topUp'}=${item}`)}
      aria-label={`Choose ${what}`}
    >
      Choose
    </a>
  )
}

const REFUSED: Readonly<Record<NonNullable<Payment['refusedBy']>, string>> = {
  owner: 'Withdrawn',
  choice: 'Withdrawn',
  checkout: 'Not paid',
  operator: 'Refused',
}

function statusOf({ state, refusedBy, reversed }: Payment): { tone: Tone; label: string } {
  if (state === 'open') return { tone: 'warn', label: 'Waiting' }
  if (state === 'refused') return { tone: 'bad', label: REFUSED[refusedBy ?? 'operator'] }
  if (reversed === 'all') return { tone: 'bad', label: 'Paid back' }
  if (reversed === 'part') return { tone: 'warn', label: 'Paid back in part' }
  return { tone: 'good', label: 'Accepted' }
}

/** The account's orders and their states, with the receipts of those that were paid. */
export function Chosen({ context, payments }: PricesProps) {
  return (
    <Section id="chosen" title="Billing history">
      <Table
        label="Orders, newest first"
        isCards
        columns={[
          'Date',
          { label: 'Order', card: 'title' },
          numbers('Credits', 'unit'),
          numbers('Price', 'end'),
          { label: 'Status', card: 'line' },
        ]}
        rows={payments.map((payment) => {
          const { createdAt, kind, item, credits, usd, decidedAt } = payment
          const { tone, label } = statusOf(payment)
          const name = kind === 'plan' ? `Plan: ${humanize(item)}` : `Top-up: ${item}`
          return [
            <Day at={createdAt} />,
            name,
            credits === null ? 'unlimited' : figure(credits),
            usd === null ? 'to be agreed' : `$${figure(usd)}`,
            <>
              <Badge tone={tone}>{label}</Badge> {decidedAt ? <Day at={decidedAt} /> : null}{' '}
              {payment.state === 'accepted' ? (
                <a
                  href={context.href(`/credits/receipts/${payment.id}`)}
                  aria-label={`Receipt of ${name}`}
                >
                  Receipt
                </a>
              ) : null}
            </>,
          ]
        })}
      />
    </Section>
  )
}
