/** @jsxImportSource hono/jsx */
/** Plans and top-ups with their prices, a button to choose each, and the account's orders. */
import { CALL_CREDITS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { PLANS, TIER_RULES, TOP_UPS } from '../../contract/tiers.ts'
import type { Payment } from '../../payments/payments.ts'
import type { PageContext } from '../http/page.ts'
import { Badge, type Tone } from './badges.tsx'
import { numbers, Section, Table } from './page-parts.tsx'
import { isSuspended } from './suspension.tsx'
import { Day, figure, humanize } from './text.tsx'

interface PricesProps {
  context: PageContext
  payments: readonly Payment[]
}

/** What plans have beside credits, in the order of their prices: each adds one. */
const EXTRAS = Object.values(PLANS).map(({ extras }) => extras)

/** The contract's table of plans, each with its button. */
export function Plans(prices: PricesProps) {
  return (
    <Table
      label="Plans"
      isCards
      columns={[
        'Plan',
        { label: 'Order', card: 'last' },
        ...['Per month', 'Credits', 'Data calls', 'Reveals', 'Requests a minute'].map((label) =>
          numbers(label),
        ),
        { label: 'Includes', card: 'line' },
      ]}
      rows={Object.entries(PLANS).map(([name, { tier, usdPerMonth, credits }], position) => {
        const worth = (price: number) => (credits === null ? 'unlimited' : figure(credits / price))
        const price = usdPerMonth === null ? 'custom' : `$${figure(usdPerMonth)}`
        const { rateLimit, rateSeconds } = TIER_RULES[tier]
        const agreed = usdPerMonth === null ? 'price to be agreed' : `${price} a month`
        return [
          <span class="unbroken">{humanize(name)}</span>,
          prices.context.session?.account.tier === tier ? (
            <Badge tone="good">Current</Badge>
          ) : (
            <Choose {...prices} kind="plan" item={name} what={`${humanize(name)}, ${agreed}`} />
          ),
          price,
          worth(1),
          worth(CALL_CREDITS),
          worth(REVEAL_CREDITS),
          figure((rateLimit * 60) / rateSeconds),
          // Each plan has what those before it have.
          EXTRAS.slice(0, position + 1).join(', '),
        ]
      })}
    />
  )
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

function Choose({ context, payments, kind, item, what }: ChooseProps) {
  const { session, application, href } = context
  if (!session)
    return (
      <a class="unbroken" href={href('/sign-up')}>
        Sign up
      </a>
    )
  // A checkout that was left may be started again; a request waits for the operator.
  const isOpen = payments.some((it) => it.state === 'open' && it.kind === kind && it.item === item)
  if (isOpen && application.payments.mode === 'manual') return <Badge tone="warn">Requested</Badge>
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
  if (state === 'open') return { tone: 'warn', label: 'Open' }
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
