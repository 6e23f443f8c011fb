/** The payment gateway: plans and top-ups are paid by Stripe, or settled by the operator. */
import { stopPlan } from '../accounts/credits.ts'
import type { PaymentMode } from '../config.ts'
import { type Database, DatabaseUnavailable, describeError } from '../database/client.ts'
import { isUuid } from '../database/uuid.ts'
import type { Log } from '../log.ts'
import { type Choice, isOpenPayment, openPayment, priceOf, refusePayment } from './payments.ts'
import type { StripePayments } from './stripe.ts'
import { NotAnEvent } from './stripe-event.ts'

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

export type WithdrawOutcome =
  | 'withdrawn'
  /** It is not an open order of the account, or the user is not the owner. */
  | 'not open'
  /** Its Checkout is completed, so the payment is on its way. */
  | 'paid'
  /** The payment provider failed; the log says how. Nothing was withdrawn. */
  | 'unavailable'

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
          return { outcome: 'unavailable' }
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
        return 'unavailable'
      }
    },

    /** Ends the plan with its period. @returns false where no plan would renew. */
    async cancelPlan({ account, role }: Payer): Promise<boolean> {
      if (role !== 'owner') return false
      const collected = stripe ? await stripe.cancel(account.id) : false
      return (await stopPlan(database, account.id, true)) || collected
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
