/** @jsxImportSource hono/jsx */
/** `/operator/payments/:id`: one payment whole, with what came of it and what can be done with it now. */
import { receiptOf } from '../../../money/payments/receipts.ts'
import type { Form as Fields } from '../../../site/http/form.ts'
import { type FormActions, fieldText, notFound, runAction } from '../../../site/http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { PageError } from '../../../site/http/page-error.ts'
import { orderName, priceText } from '../../../site/pages/billing/order.tsx'
import { ReceiptFacts } from '../../../site/pages/billing/receipt.tsx'
import { Submit } from '../../../site/ui/actions.tsx'
import { Facts } from '../../../site/ui/facts.tsx'
import { Checkbox } from '../../../site/ui/fields.tsx'
import { Form } from '../../../site/ui/form.tsx'
import { Flash, Notice, Section } from '../../../site/ui/page-parts.tsx'
import { cents, Day, figure } from '../../../site/ui/text.tsx'
import { readAuditLog } from '../../acts/audit-log.ts'
import { type PaymentDetails, paymentDetails } from '../../acts/payment-details.ts'
import {
  acceptPayment,
  dismissEvent,
  refund,
  refusePayment,
  takeOver,
} from '../../acts/payments.ts'
import { AuditLines } from '../../ui/audit-lines.tsx'
import {
  ConfirmLink,
  type IrreversibleAction,
  type LoadConfirmation,
} from '../../ui/confirmation.tsx'
import { foundById, operatorPage, performed } from '../../ui/frame.tsx'
import { accountPath, paymentPath } from '../../ui/paths.ts'
import { askPath, Checked } from './differing.tsx'
import { Events } from './events.tsx'
import { RefundState, reversedOf, StateBadge, StateFacts } from './states.tsx'

/** Lines of the audit log. */
const LINES = 20

const MESSAGES = {
  accepted: 'It is accepted: the credits are there.',
  refused: 'The order is refused.',
  dismissed: 'The event is dismissed.',
  done: 'It is refunded: what was left of its credits is taken back.',
  begun: 'Stripe has begun the refund.',
  taken: 'Stripe’s state is taken over: what it told says how.',
  same: 'Nothing was to be taken over.',
}

const NOTHING_DONE = 'Nothing was changed here.'

export async function paymentPage(context: SignedInContext): Promise<Page> {
  const { database, payments } = context.application
  const payment = await paymentOf(context)
  const { id, account, user } = payment
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
      <Flash context={context} messages={MESSAGES} />
      <RefundState payment={payment} />
      <p class="lead">
        Ordered for{' '}
        <a href={context.href(accountPath(account.id))}>
          <bdi>{account.name}</bdi>
        </a>{' '}
        on <Day at={payment.createdAt} />. <code class="id">{id}</code>
      </p>
      <div class="columns even">
        <section class="panel" aria-labelledby="order">
          <h2 id="order">Order</h2>
          <Facts
            facts={[
              { name: 'By', value: user ? <bdi>{user.email}</bdi> : 'A deleted user' },
              { name: 'Account', value: <bdi>{account.email}</bdi> },
              { name: 'Price', value: priceText(payment) },
              {
                name: 'Credits',
                value: payment.credits === null ? 'no ceiling' : figure(payment.credits),
              },
            ]}
          />
        </section>
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
      {check ? <Checked context={context} check={check} id={id} /> : null}
      {payments.mode === 'stripe' || payment.events.length > 0 ? (
        <Section id="events" title="Stripe events">
          <Events context={context} events={payment.events} />
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

interface ActionsProps {
  context: SignedInContext
  payment: PaymentDetails
}

/** Available actions. */
function Actions({ context, payment }: ActionsProps) {
  if (isRefundable(payment)) {
    return (
      <p class="actions">
        <ConfirmLink context={context} action="refund" subject={payment.id}>
          {payment.refund === null ? 'Refund' : 'Ask for the refund again'}
        </ConfirmLink>
      </p>
    )
  }
  if (payment.state !== 'open') return null
  return (
    <Form context={context} action={paymentPath(payment.id)}>
      {payment.kind === 'plan' ? (
        <Checkbox name="renews" hint="Else the tier falls back to free when the month ends.">
          The plan renews
        </Checkbox>
      ) : null}
      {payment.checkout ? (
        <Notice tone="warn">
          Stripe tells by itself when it is paid. Accept it only if it was paid to you in another
          way.
        </Notice>
      ) : null}
      <p class="actions">
        <Submit action="accept">Accept as paid</Submit>
        <Submit action="refuse" tone="quiet">
          Refuse
        </Submit>
      </p>
    </Form>
  )
}

const ACTIONS: FormActions = {
  accept(context, form) {
    const { referralCredits } = context.application
    const renews = form.get('renews') === 'yes'
    const accepted = performed(context, acceptPayment(context.id, { renews, referralCredits }))
    return said(context, accepted, 'accepted', 'open order')
  },
  refuse: (context) =>
    said(context, performed(context, refusePayment(context.id)), 'refused', 'open order'),
  async 'take-over'(context) {
    const { payments } = context.application
    const end = await takeOver(payments, (act) => performed(context, act), context.id)
    if (!end) throw notFound('payment')
    if (end.failure !== null) {
      const done = end.taken.length > 0 ? `This was done: ${end.taken.join('; ')}.` : NOTHING_DONE
      throw new PageError(503, 'Stripe did not answer', `${done} Why it ended: ${end.failure}.`)
    }
    const word = end.taken.length > 0 ? 'taken' : 'same'
    return redirect(context.href(`${paymentPath(context.id)}?said=${word}`))
  },
  dismiss: (context, form) =>
    said(context, performed(context, dismissEvent(fieldText(form, 'id'))), 'dismissed', 'event'),
}

/** @throws PageError 404 where there was nothing to do it to */
async function said(
  context: SignedInContext,
  act: Promise<unknown>,
  word: keyof typeof MESSAGES,
  what: string,
): Promise<Reply> {
  if ((await act) === undefined) throw notFound(what)
  return redirect(context.href(`${paymentPath(context.id)}?said=${word}`))
}

export async function changePayment(context: SignedInContext, form: Fields): Promise<Reply> {
  await paymentOf(context)
  return runAction(ACTIONS, context, form, paymentPage)
}

/** @throws PageError 404 */
const paymentOf = ({ application, id }: SignedInContext): Promise<PaymentDetails> =>
  foundById('payment', id, (known) => paymentDetails(application.database, known))

export const PAYMENT_CONFIRMATIONS = {
  async refund(context, { subject }) {
    const { database, payments } = context.application
    const payment = await paymentDetails(database, subject)
    if (!payment || !isRefundable(payment)) throw notFound('payment to refund')
    return {
      title: `Refund the ${orderName(payment)} of ${payment.account.name}`,
      lead: leadOf(payment),
      label: 'Refund',
      noun: 'payment to refund',
      back: paymentPath(subject),
      prepare: () => async () => {
        const end = await refund(payments, (act) => performed(context, act), subject)
        if (end?.refund === 'held')
          throw new PageError(409, 'Nothing was refunded', `It can’t be yet: ${end.note}.`)
        return end && redirect(context.href(`${paymentPath(subject)}?said=${end.refund}`))
      },
    }
  },
} satisfies Partial<Record<IrreversibleAction, LoadConfirmation>>

/** Whether it was paid, some of the money is left, and no refund is under way at Stripe. */
const isRefundable = ({ state, charged, reversed, refund }: PaymentDetails): boolean =>
  state === 'accepted' && !(charged !== null && charged === reversed) && refund !== 'begun'

function leadOf({ kind, reference, usd, charged, reversed }: PaymentDetails): string {
  const isPart = charged !== null && reversed !== null && reversed > 0
  const left = isPart ? `the ${cents((charged - reversed) / 100)} that are left` : 'all of it'
  const credits = 'What is left of its credits goes back, and what was spent stays spent.'
  if (reference === null) {
    const money = usd === null ? 'what was paid' : cents(usd)
    const plan =
      kind === 'plan'
        ? ' Its plan ends now if this is the month that was paid; else end it on the account’s page.'
        : ''
    return `Nobody collected it but you: pay ${money} back in the way that it came. ${credits}${plan}`
  }
  const renews =
    kind === 'plan'
      ? ' Its subscription goes on until the plan is ended on the account’s page.'
      : ''
  return `Stripe is asked to pay back ${left}. When its event has come: ${credits}${renews}`
}
