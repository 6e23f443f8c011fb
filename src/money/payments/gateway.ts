/** The payment gateway: plans and top-ups are paid by Stripe, or settled by the operator. */

import type { Config, PaymentMode } from '../../config.ts'
import { type Database, DatabaseUnavailable, describeError } from '../../database/client.ts'
import { isUuid } from '../../database/uuid.ts'
import type { Log } from '../../log.ts'
import { stopPlan } from '../accounts/credits.ts'
import { type Choice, isOpenPayment, openPayment, priceOf, refusePayment } from './payments.ts'
import { noteRefundAnswer, type RefundAnswer, unpaidCheckout } from './refunds.ts'
import type { StripePayments } from './stripe.ts'
import type { Check } from './stripe-checks.ts'
import { NotAnEvent, type StripeEvent } from './stripe-event.ts'
import { runningSubscriptions, type SubscriptionEnd } from './subscriptions.ts'

/** Session of the user who pays. */
export interface Payer {
  user: { id: string; email: string }
  account: { id: string }
  role: 'owner' | 'member'
}

export type CheckoutOutcome =
  /** Recorded for the operator to accept or refuse. */
  | { outcome: 'requested'; id: string }
  /** Address of the Checkout. */
  | { outcome: 'redirect'; url: string }
  /** Not the owner, or too many open payments. */
  | { outcome: 'refused' }
  /** The form was sent before, and its order is closed. */
  | { outcome: 'decided' }
  /** The provider failed; the log has the reason. */
  | { outcome: 'unavailable' }
  /** The provider gave no answer in time. The order is refused and can't be paid. */
  | { outcome: 'unanswered' }

export type WithdrawOutcome =
  | 'withdrawn'
  /** Not an open order of the account, or not the owner. */
  | 'not open'
  /** Its Checkout is completed: the payment is on its way. */
  | 'paid'
  /** The provider failed; nothing was withdrawn. The log has the reason. */
  | 'unavailable'
  /** The provider gave no answer in time; its event will close the order if it was withdrawn. */
  | 'unanswered'

export type CancelOutcome =
  | 'cancelled'
  /** No plan would renew, or not the owner. */
  | 'no plan'
  /** The provider gave no answer in time. A repeat ends the rest. */
  | 'unanswered'

/** Result of ending an account's subscriptions at Stripe. */
export interface CollectionEnd {
  /** Subscriptions that are ended, now or with their period. */
  ended: string[]
  /** Subscriptions that may go on; null if there is none. `isAsked` is false where `PAYMENTS` isn't `stripe`. */
  left: { subscriptions: string[]; reason: string; isAsked: boolean } | null
}

const NOT_STRIPE = 'PAYMENTS is not stripe, so Stripe was not asked'

/** Opens the configured gateway. */
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
  // Loaded here, because Stripe's library takes time and memory that a service without it need not spend.
  const { StripePayments } = await import('./stripe.ts')
  const stripe = new StripePayments({ ...settings, secretKey, webhookSecret, url })
  return createPaymentGateway(database, stripe, log)
}

export type PaymentGateway = ReturnType<typeof createPaymentGateway>

export function createPaymentGateway(
  database: Database,
  stripe: Pick<StripePayments, keyof StripePayments> | undefined,
  log: Log,
) {
  const mode: PaymentMode = stripe ? 'stripe' : 'manual'
  return {
    mode,

    /** @param idempotencyKey records a repeated choice once, with one Checkout */
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

    /** Withdraws an unpaid order. */
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

    /** Ends the account's subscriptions at Stripe, for an operator. A repeat ends the rest. */
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
     * @returns the reason against refunding by hand an order that was accepted by hand; null if there is none. Stripe may have
     *   collected an order with a Checkout even though no event told so.
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

    /** The rest of a payment that Stripe collected, in its own currency; undefined where Stripe doesn't say. */
    async left(payment: string): Promise<string | undefined> {
      try {
        return await stripe?.left(payment)
      } catch (error) {
        if (error instanceof DatabaseUnavailable || !(error instanceof Error)) throw error
        return undefined
      }
    },

    /** Asks Stripe for a refund that is already noted, and notes its answer. @param attempt number of the try */
    async refund(payment: string, attempt: number): Promise<RefundAnswer> {
      const answer: RefundAnswer = stripe
        ? await stripe.refund(payment, attempt)
        : { refund: 'refused', note: NOT_STRIPE }
      await noteRefundAnswer(database, payment, attempt, answer)
      if (answer.refund !== 'begun')
        log.warn(`a refund was ${answer.refund}`, { payment, reason: answer.note })
      return answer
    },

    /** Compares one payment, or all that wait, with Stripe. @returns undefined if there is no such payment */
    async check(payment?: string): Promise<Check | undefined> {
      if (stripe) return stripe.check(payment)
      return { differences: [], asked: 0, hasMore: false, failure: NOT_STRIPE }
    },

    /** Prepares an event that Stripe did not send. @throws if Stripe doesn't answer */
    async applying(event: StripeEvent) {
      if (!stripe) throw new Error('PAYMENTS is not stripe')
      return stripe.applying(event)
    },

    /** Takes a webhook's raw body and its `Stripe-Signature`. @returns the status of the answer. */
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

/** True if Stripe gave no answer in time, so that the request's end is unknown. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'StripeConnectionError'
