/** @jsxImportSource hono/jsx */
/** `/operator/payments/:id`: one payment whole, with what came of it and what can be done with it now. */
import { receiptOf } from '../../../money/payments/receipts.ts'
import type { FormErrors } from '../../../site/http/form-errors.ts'
import type { Page, PageContext, SignedInContext } from '../../../site/http/page.ts'
import { orderName, priceText } from '../../../site/pages/billing/order.tsx'
import { ReceiptFacts } from '../../../site/pages/billing/receipt.tsx'
import { RowAction, Submit } from '../../../site/ui/actions.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Form } from '../../../site/ui/form.tsx'
import { Notice, Section } from '../../../site/ui/page-parts.tsx'
import { Day, figure, Moment } from '../../../site/ui/text.tsx'
import { readAuditLog } from '../../acts/audit-log.ts'
import {
  type ListedPayment,
  type PaymentDetails,
  type PaymentEventEnd,
  paymentDetails,
} from '../../acts/payment-details.ts'
import * as acts from '../../acts/payments.ts'
import { ActFields, formsOf, Refused, Said } from '../../ui/acts.tsx'
import { AuditLines } from '../../ui/audit-lines.tsx'
import { ConfirmLink } from '../../ui/confirm-link.tsx'
import { foundById, operatorPage } from '../../ui/frame.tsx'
import { type Cells, List } from '../../ui/lists.tsx'
import { accountPath, paymentPath } from '../../ui/paths.ts'
import { askPath, Checked } from './differing.tsx'

/** Lines of the audit log. */
const LINES = 20

export async function paymentPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { database, payments } = context.application
  const payment = await foundById('payment', context.id, (id) => paymentDetails(database, id))
  const { id, account } = payment
  const isAsked = new URLSearchParams(context.query).get('check') === 'yes'
  const [lines, receipt, check] = await Promise.all([
    readAuditLog(database, { subject: id, limit: LINES }),
    receiptOf(database, account.id, id),
    isAsked ? payments.check(id) : undefined,
  ])
  return operatorPage(
    context,
    { title: orderName(payment), heading: orderName(payment) },
    <>
      <Said context={context} />
      <Refused errors={errors} />
      <RefundState payment={payment} />
      <p class="lead">
        Ordered for{' '}
        <a href={context.href(accountPath(account.id))}>
          <bdi>{account.name}</bdi>
        </a>{' '}
        on <Day at={payment.createdAt} />. <code class="id">{id}</code>
      </p>
      <div class="columns even">
        <Order payment={payment} />
        <section class="panel" aria-labelledby="state">
          <h2 id="state">
            State <StateBadge payment={{ ...payment, reversed: reversedOf(payment) }} />
          </h2>
          <StateFacts payment={payment} />
          <Actions context={context} payment={payment} />
          {payments.mode === 'stripe' && (payment.checkout || payment.reference) ? (
            <p class="beside">
              <a href={context.href(askPath(id))}>Ask Stripe how it stands</a>
            </p>
          ) : null}
        </section>
      </div>
      {check ? <Checked context={context} check={check} /> : null}
      {payments.mode === 'stripe' || payment.events.length > 0 ? (
        <Section id="events" title="Stripe events">
          <List
            label="Events, newest first"
            rows={payment.events}
            none="Stripe has told nothing of it."
            cells={eventCells(context)}
          />
        </Section>
      ) : null}
      {receipt ? (
        <Section id="receipt" title="Receipt, as its account prints it">
          <ReceiptFacts receipt={receipt} />
        </Section>
      ) : null}
      <Section id="acts" title="What operators did">
        <AuditLines context={context} lines={lines} />
      </Section>
    </>,
  )
}

function Order({ payment }: { payment: PaymentDetails }) {
  const { user, account, credits } = payment
  return (
    <section class="panel" aria-labelledby="order">
      <h2 id="order">Order</h2>
      <Facts
        facts={[
          { name: 'By', value: user ? <bdi>{user.email}</bdi> : 'A deleted user' },
          { name: 'Account', value: <bdi>{account.email}</bdi> },
          { name: 'Price', value: priceText(payment) },
          {
            name: 'Credits',
            value: credits === null ? 'no ceiling' : figure(credits),
          },
        ]}
      />
    </section>
  )
}

interface ActionsProps {
  context: SignedInContext
  payment: PaymentDetails
}

/** Available actions. */
function Actions({ context, payment }: ActionsProps) {
  const { id, kind, checkout } = payment
  if (acts.isRefundable(payment)) {
    return (
      <p class="actions">
        <ConfirmLink context={context} act={acts.refund} on={id}>
          {payment.refund === null ? 'Refund' : 'Ask for the refund again'}
        </ConfirmLink>
      </p>
    )
  }
  if (payment.state !== 'open') return null
  return (
    <Form context={context} action={paymentPath(id)}>
      <ActFields
        act={acts.acceptPayment}
        errors={undefined}
        without={kind === 'plan' ? [] : ['renews']}
      />
      {checkout ? (
        <Notice tone="warn">
          Stripe tells by itself when it is paid. Accept it only if it was paid to you in another
          way.
        </Notice>
      ) : null}
      <p class="actions">
        <Submit action={acts.acceptPayment.name}>{acts.acceptPayment.button}</Submit>
        <Submit action={acts.refusePayment.name} tone="quiet">
          {acts.refusePayment.button}
        </Submit>
      </p>
    </Form>
  )
}

export const changePayment = formsOf('payment', paymentPage)

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
function StateFacts({ payment }: { payment: PaymentDetails }) {
  const { state, refusedBy, decidedAt, refund, refundAt } = payment
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

/** How much of a payment was paid back. */
function reversedOf({ charged, reversed }: PaymentDetails): ListedPayment['reversed'] {
  if (!charged || !reversed) return 'none'
  return reversed === charged ? 'all' : 'part'
}

/** State of a requested refund, and the next step. */
function RefundState({ payment: { refund, refundNote } }: { payment: PaymentDetails }) {
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

/** The kind of an event, with the name that Stripe gave it. */
export const eventName = ({ kind, id }: { kind: string; id: string }) => (
  <>
    {kind} <code class="id">{id}</code>
  </>
)

export const dismissal = (context: PageContext, id: string, kind: string) => (
  <RowAction
    {...{ context, id, of: kind }}
    action={acts.dismissEvent.name}
    label={acts.dismissEvent.button}
  />
)

type Order = Parameters<typeof orderName>[0] &
  Parameters<typeof priceText>[0] & {
    id: string
    createdAt: string
    account: { id: string; name: string; email: string }
  }

const EMAIL = { label: 'E-mail', card: 'line' } as const

/** Columns of orders, for the lists of payments and the first page. */
export const orderCells = (context: PageContext) => {
  const order = ({ id, account, ...of }: Order) => (
    <a href={context.href(paymentPath(id))}>
      {orderName(of)}
      <span class="unseen"> of {account.name}</span>
    </a>
  )
  const account = ({ account: { id, name } }: Order) => (
    <a href={context.href(accountPath(id))}>
      <bdi>{name}</bdi>
    </a>
  )
  return {
    order: ['Order', order],
    account: ['Account', account],
    email: [EMAIL, ({ account: { email } }: Order) => <bdi>{email}</bdi>],
    price: ['Price', (of: Order) => priceText(of)],
    ordered: ['Ordered', ({ createdAt }: Order) => <Day at={createdAt} />],
  } as const
}

/** Stripe's events of one payment, and their results. */
const eventCells = (context: PageContext): Cells<PaymentEventEnd> => [
  ['Time (UTC)', ({ at }) => <Moment at={at} />],
  ['Event', eventName],
  [{ label: 'What became of it', card: 'line' }, ({ reason }) => reason],
  [
    { label: 'End', card: 'last' },
    ({ id, kind, outcome, dismissedAt }) =>
      outcome === 'waiting' && !dismissedAt ? (
        dismissal(context, id, kind)
      ) : (
        <Badge>{dismissedAt ? 'dismissed' : outcome}</Badge>
      ),
  ],
]
