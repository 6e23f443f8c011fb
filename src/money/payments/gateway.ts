/** The payment gateway: plans and top-ups are paid by Stripe, or settled by the operator. */

import type { Config, PaymentMode } from '../../config.ts'
import { type Database, DatabaseUnavailable, describeError } from '../../database/client.ts'
import { isUuid } from '../../database/uuid.ts'
import type { Log } from '../../log.ts'
import { stopPlan } from '../accounts/credits.ts'
import { type Choice, isOpenPayment, openPayment, priceOf, refusePayment } from './payments.ts'
import { noteRefundAnswer, type RefundAnswer, unpaidCheckout } from './refunds.ts'
import { createStripe, isUnanswered, type StripePayments } from './stripe.ts'
import type { Check } from './stripe-checks.ts'
import { NotAnEvent, type StripeEvent } from './stripe-event.ts'
import { runningSubscriptions, type SubscriptionEnd } from './subscriptions.ts'

/** What the gateway needs of a session. */
export interface Payer {
  user: { id: string; email: string }
  account: { id: string }
  role: 'owner' | 'member'
}

export type CheckoutOutcome =
  /** Recorded; the operator accepts or refuses it. */
  | { outcome: 'requested'; id: string }
  /** The user pays at this URL. */
  | { outcome: 'redirect'; url: string }
  /** The user is not the owner, or too many payments are open. */
  | { outcome: 'refused' }
  /** The same form was sent before, and its order is paid, refused or withdrawn by now. */
  | { outcome: 'decided' }
  /** The payment provider failed; the log says how. */
  | { outcome: 'unavailable' }
  /** The payment provider gave no answer in time. The order is refused, and can't be paid. */
  | { outcome: 'unanswered' }

export type WithdrawOutcome =
  | 'withdrawn'
  /** It is not an open order of the account, or the user is not the owner. */
  | 'not open'
  /** Its Checkout is completed, so the payment is on its way. */
  | 'paid'
  /** The payment provider failed; the log says how. Nothing was withdrawn. */
  | 'unavailable'
  /** The payment provider gave no answer in time: its event says the end, if the order is withdrawn. */
  | 'unanswered'

export type CancelOutcome =
  | 'cancelled'
  /** No plan would renew, or the user is not the owner. */
  | 'no plan'
  /** The payment provider gave no answer in time. Asked again, it ends what is left. */
  | 'unanswered'

/** How the subscriptions of an account were ended at Stripe. */
export interface CollectionEnd {
  /** Those that Stripe collects for no more, or with the period that runs. */
  ended: string[]
  /** Those that may go on, and why; null where none does. Whether Stripe was asked: it isn't where `PAYMENTS` is another. */
  left: { subscriptions: string[]; reason: string; isAsked: boolean } | null
}

const NOT_STRIPE = 'PAYMENTS is not stripe, so Stripe was not asked'

/** The gateway as the operator has configured it. */
export async function openPaymentGateway(
  config: Pick<
    Config,
    | 'payments'
    | 'serviceName'
    | 'referralCredits'
    | `stripe${'SecretKey' | 'WebhookSecret' | 'Url'}`
  >,
  { database, appUrl, log }: { database: Database; appUrl: string; log: Log },
): Promise<PaymentGateway> {
  const { serviceName, referralCredits, stripeSecretKey: secretKey, stripeUrl: url } = config
  const { stripeWebhookSecret: webhookSecret } = config
  if (config.payments !== 'stripe' || !secretKey || !webhookSecret)
    return createPaymentGateway(database, undefined, log)
  const settings = { database, appUrl, serviceName, referralCredits, log }
  const stripe = await createStripe({ ...settings, secretKey, webhookSecret, url })
  return createPaymentGateway(database, stripe, log)
}

export type PaymentGateway = ReturnType<typeof createPaymentGateway>

export function createPaymentGateway(
  database: Database,
  stripe: StripePayments | undefined,
  log: Log,
) {
  const mode: PaymentMode = stripe ? 'stripe' : 'manual'
  return {
    mode,

    /** @param idempotencyKey the same choice with the same key is recorded once, and leads to one Checkout. */
    async checkout(
      { user, account, role }: Payer,
      choice: Choice,
      idempotencyKey?: string,
    ): Promise<CheckoutOutcome> {
      if (role !== 'owner') return { outcome: 'refused' }
      // The operator agrees on a price where the list has none.
      if (stripe && priceOf(choice).usd !== null) {
        try {
          const begun = await stripe.checkout(account.id, user, choice, idempotencyKey)
          return typeof begun === 'string' ? { outcome: begun } : { outcome: 'redirect', ...begun }
        } catch (error) {
          if (error instanceof DatabaseUnavailable) throw error
          log.error('a checkout was not begun', { error: describeError(error) })
          return { outcome: isUnanswered(error) ? 'unanswered' : 'unavailable' }
        }
      }
      const id = await openPayment(database, account.id, user.id, choice, idempotencyKey)
      if (!id) return { outcome: 'refused' }
      const isOpen = await isOpenPayment(database, account.id, id)
      return isOpen ? { outcome: 'requested', id } : { outcome: 'decided' }
    },

    /** Takes an order back that is not paid yet. */
    async withdraw({ account, role }: Payer, paymentId: string): Promise<WithdrawOutcome> {
      if (role !== 'owner' || !isUuid(paymentId)) return 'not open'
      if (!(await isOpenPayment(database, account.id, paymentId))) return 'not open'
      if (!stripe) {
        return (await refusePayment(database, paymentId, 'owner')) ? 'withdrawn' : 'not open'
      }
      try {
        return (await stripe.withdraw(paymentId)) ? 'withdrawn' : 'paid'
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error
        log.error('an order was not withdrawn', { error: describeError(error) })
        return isUnanswered(error) ? 'unanswered' : 'unavailable'
      }
    },

    /** Ends the plan with its period. */
    async cancelPlan({ account, role }: Payer): Promise<CancelOutcome> {
      if (role !== 'owner') return 'no plan'
      try {
        const ended = stripe ? await stripe.cancel(account.id, 'with its period') : []
        const isStopped = (await stopPlan(database, account.id, true)) || ended.length > 0
        return isStopped ? 'cancelled' : 'no plan'
      } catch (error) {
        if (!isUnanswered(error)) throw error
        log.error('a plan was not cancelled', { error: describeError(error) })
        return 'unanswered'
      }
    },

    /** Ends the subscriptions by which Stripe collects for an account's plan, as the operator asks. Asked again, it ends what is left. */
    async endCollection(account: string, when: SubscriptionEnd): Promise<CollectionEnd> {
      const running = await runningSubscriptions(database, account)
      if (running.length === 0) return { ended: [], left: null }
      const isAsked = stripe !== undefined
      if (!stripe)
        return { ended: [], left: { subscriptions: running, reason: NOT_STRIPE, isAsked } }
      try {
        return { ended: await stripe.cancel(account, when), left: null }
      } catch (error) {
        if (error instanceof DatabaseUnavailable || !(error instanceof Error)) throw error
        const reason = error.message
        log.error('a subscription was not ended', { account, error: describeError(error) })
        const subscriptions = await runningSubscriptions(database, account)
        const ended = running.filter((id) => !subscriptions.includes(id))
        return { ended, left: { subscriptions, reason, isAsked } }
      }
    },

    /**
     * Why an order that was accepted by hand is not to be refunded by hand; null where it may be. One that has a Checkout may have been
     * collected by Stripe all the same, whose event was lost.
     */
    async refundObstacle(payment: string): Promise<string | null> {
      const checkout = await unpaidCheckout(database, payment)
      if (checkout === null) return null
      if (!stripe) return `it has a Checkout at Stripe, which may have collected it: ${NOT_STRIPE}`
      try {
        if (!(await stripe.isPaid(checkout))) return null
        return 'Stripe says that it collected this order: take over its state first, then ask for the refund'
      } catch (error) {
        if (!(error instanceof Error)) throw error
        return `whether Stripe collected this order is not known: ${error.message}`
      }
    },

    /** Asks Stripe for a refund that was noted as asked for, and notes its answer. @param attempt which try it is */
    async refund(payment: string, attempt: number): Promise<RefundAnswer> {
      const answer: RefundAnswer = stripe
        ? await stripe.refund(payment, attempt)
        : { refund: 'refused', note: NOT_STRIPE }
      await noteRefundAnswer(database, payment, attempt, answer)
      if (answer.refund !== 'begun')
        log.warn(`a refund was ${answer.refund}`, { payment, reason: answer.note })
      return answer
    },

    /**
     * Asks Stripe how a payment stands, or those that wait, and what of it differs from here.
     * @returns undefined where there is no such payment
     */
    async check(payment?: string): Promise<Check | undefined> {
      if (stripe) return stripe.check(payment)
      return { differences: [], asked: 0, hasMore: false, failure: NOT_STRIPE }
    },

    /** What applies an event of Stripe's that was not sent, and what follows at Stripe. @throws where Stripe doesn't answer */
    async applying(event: StripeEvent) {
      if (!stripe) throw new Error('PAYMENTS is not stripe')
      return stripe.applying(event)
    },

    /** Takes a webhook's raw body and its `Stripe-Signature`. @returns the status to answer, without a body. */
    async webhook(body: string, signature: string | null): Promise<200 | 400 | 404 | 503> {
      if (!stripe) return 404
      try {
        return signature !== null && (await stripe.receive(body, signature)) ? 200 : 400
      } catch (error) {
        if (error instanceof NotAnEvent) {
          log.warn('a payment event was not read', { reason: error.message })
          return 400
        }
        const isUnknown = error instanceof DatabaseUnavailable && error.isUnknown
        const outcome = isUnknown ? 'may or may not be applied' : 'was not applied'
        const reason = error instanceof DatabaseUnavailable ? error.message : describeError(error)
        log.error(`a payment event ${outcome}; the provider sends it again`, { reason })
        return 503
      }
    },
  }
}
