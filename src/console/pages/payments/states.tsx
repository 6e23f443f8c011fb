/** @jsxImportSource hono/jsx */
/** In which state a payment is, in words. */

import { Badge } from '../../../site/ui/badges.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Notice } from '../../../site/ui/page-parts.tsx'
import { cents, Moment } from '../../../site/ui/text.tsx'
import type { ListedPayment, PaymentDetails } from '../../acts/payment-details.ts'

const REFUSED_BY = {
  owner: 'withdrawn by its owner',
  operator: 'refused by an operator',
  checkout: 'its Checkout ended without a payment',
  choice: 'replaced by the owner’s next choice',
}

const REFUNDS = {
  asked: 'Stripe is being asked',
  begun: 'begun, waiting for Stripe’s event',
  refused: 'asked for, and not done',
  unknown: 'asked, and Stripe’s answer is not known',
}

/** Its states with their times, and what Stripe calls it. */
export function StateFacts({ payment }: { payment: PaymentDetails }) {
  const { state, refusedBy, decidedAt, charged, reversed, refund, refundAt } = payment
  const paidBack = {
    none: null,
    all: 'all of it',
    part: `${amountText(reversed)} of ${amountText(charged)}`,
  }
  const refused = refusedBy ? REFUSED_BY[refusedBy] : 'its Checkout could not begin'
  return (
    <Facts
      facts={[
        { name: 'Ordered (UTC)', value: <Moment at={payment.createdAt} /> },
        {
          name: state === 'accepted' ? 'Paid (UTC)' : 'Refused (UTC)',
          value: decidedAt && <Moment at={decidedAt} />,
        },
        { name: 'Why', value: state === 'refused' ? refused : null },
        {
          name: 'Collected by',
          value: state === 'accepted' ? (payment.reference ? 'Stripe' : 'you') : null,
        },
        {
          name: 'Paid back',
          value: paidBack[reversedOf(payment)],
        },
        { name: 'Refund', value: refund && REFUNDS[refund] },
        { name: 'Since (UTC)', value: refund && refundAt && <Moment at={refundAt} /> },
        { name: 'Checkout', value: payment.checkout && <code class="id">{payment.checkout}</code> },
        {
          name: payment.kind === 'plan' ? 'Invoice' : 'PaymentIntent',
          value: payment.reference && <code class="id">{payment.reference}</code>,
        },
      ]}
    />
  )
}

/** @param amount in cents */
const amountText = (amount: number | null) => cents((amount ?? 0) / 100)

/** How much of a payment was paid back. */
export function reversedOf({ charged, reversed }: PaymentDetails): ListedPayment['reversed'] {
  if (!charged || !reversed) return 'none'
  return reversed === charged ? 'all' : 'part'
}

/** State of a requested refund, and the next step. */
export function RefundState({ payment: { refund, refundNote } }: { payment: PaymentDetails }) {
  switch (refund) {
    case 'begun':
      return (
        <Notice tone="warn">
          Asked, waiting for Stripe: its event takes the credits back. Refund {refundNote}.
        </Notice>
      )
    case 'refused':
      return <Notice tone="bad">Nothing was refunded: {refundNote}.</Notice>
    case 'unknown':
    case 'asked':
      return (
        <Notice tone="warn">
          It is not known whether Stripe has begun the refund
          {refundNote ? `: ${refundNote}` : ''}. Ask for it again: both together are one refund.
        </Notice>
      )
    default:
      return null
  }
}

/** One word or two, for lists and headings. */
export function StateBadge({
  payment,
}: {
  payment: Pick<ListedPayment, 'state' | 'reversed' | 'refund'>
}) {
  const { state, reversed, refund } = payment
  if (refund === 'refused') return <Badge tone="bad">refund failed</Badge>
  if (refund !== null) return <Badge tone="warn">refund asked for</Badge>
  if (reversed === 'all') return <Badge>refunded</Badge>
  if (reversed === 'part') return <Badge>refunded in part</Badge>
  if (state === 'open') return <Badge tone="warn">waiting</Badge>
  return <Badge tone={state === 'accepted' ? 'good' : 'plain'}>{state}</Badge>
}
