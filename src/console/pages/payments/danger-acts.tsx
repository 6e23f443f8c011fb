/** @jsxImportSource hono/jsx */
/** Irreversible actions on a payment: confirmation and act. */

import { notFound } from '../../../site/http/form-errors.ts'
import { redirect } from '../../../site/http/page.ts'
import { PageError } from '../../../site/http/page-error.ts'
import { orderName } from '../../../site/pages/billing/order.tsx'
import { cents } from '../../../site/ui/text.tsx'
import { type PaymentDetails, paymentDetails } from '../../acts/payment-details.ts'
import { refund } from '../../acts/payments.ts'
import type { DangerMaker, DangerName } from '../../ui/dangers.tsx'
import { performed } from '../../ui/frame.tsx'
import { paymentPath } from '../../ui/paths.ts'

export const PAYMENT_DANGERS = {
  async refund(context, { on }) {
    const { database, payments } = context.application
    const payment = await paymentDetails(database, on)
    if (!payment || !isRefundable(payment)) throw notFound('payment to refund')
    return {
      title: `Refund the ${orderName(payment)} of ${payment.account.name}`,
      lead: leadOf(payment),
      label: 'Refund',
      what: 'payment to refund',
      back: paymentPath(on),
      prepare: () => async () => {
        const end = await refund(payments, (act) => performed(context, act), on)
        if (end?.refund === 'held')
          throw new PageError(409, 'Nothing was refunded', `It can’t be yet: ${end.note}.`)
        return end && redirect(context.href(`${paymentPath(on)}?said=${end.refund}`))
      },
    }
  },
} satisfies Partial<Record<DangerName, DangerMaker>>

/** Whether it was paid, some of the money is left, and no refund is under way at Stripe. */
export const isRefundable = ({ state, charged, reversed, refund }: PaymentDetails): boolean =>
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
