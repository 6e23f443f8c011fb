/** Where people choose plans and top-ups, whichever way they are paid. */

import { stopPlan } from '../accounts/accounts.ts'
import type { PaymentMode } from '../config.ts'
import { type Database, DatabaseUnavailable, describeError } from '../database/client.ts'
import type { Log } from '../log.ts'
import { type Choice, itemOf, openPayment } from './payments.ts'
import type { StripePayments } from './stripe.ts'

/** Who chooses: what of a session is needed here. */
export interface Chooser {
  user: { id: string; email: string }
  account: { id: string }
  role: 'owner' | 'member'
}

export type Chosen =
  /** The operator will see to it. */
  | { outcome: 'requested'; id: string }
  /** The person pays there. */
  | { outcome: 'redirect'; url: string }
  /** Not the owner, or too many are open. */
  | { outcome: 'refused' }
  /** The payment provider does not answer, or not as it should; the log says more. */
  | { outcome: 'unavailable' }

export interface PaymentDesk {
  mode: PaymentMode
  /** @param once a request sent again with the same one is written down once */
  choose(chooser: Chooser, choice: Choice, once?: string): Promise<Chosen>
  /** The plan ends with its period. @returns false where there is none that would go on. */
  cancelPlan(chooser: Chooser): Promise<boolean>
  /** A webhook's raw body and its `Stripe-Signature`. @returns the status to answer; the body is of no interest. */
  webhook(body: string, signature: string | null): Promise<200 | 400 | 404 | 503>
}

export function createPaymentDesk(
  database: Database,
  stripe: StripePayments | undefined,
  log: Log,
): PaymentDesk {
  return {
    mode: stripe ? 'stripe' : 'manual',

    async choose({ user, account, role }, choice, once) {
      if (role !== 'owner') return { outcome: 'refused' }
      // What has no price is agreed on with the operator.
      if (stripe && itemOf(choice).usd !== null) {
        try {
          const url = await stripe.checkout(account.id, user, choice)
          return url ? { outcome: 'redirect', url } : { outcome: 'refused' }
        } catch (error) {
          if (error instanceof DatabaseUnavailable) throw error
          log.error('a checkout was not begun', { error: describeError(error) })
          return { outcome: 'unavailable' }
        }
      }
      const id = await openPayment(database, account.id, user.id, choice, once)
      return id ? { outcome: 'requested', id } : { outcome: 'refused' }
    },

    async cancelPlan({ account, role }) {
      if (role !== 'owner') return false
      const collected = stripe ? await stripe.cancel(account.id) : false
      return (await stopPlan(database, account.id, true)) || collected
    },

    async webhook(body, signature) {
      if (!stripe) return 404
      try {
        return signature !== null && (await stripe.receive(body, signature)) ? 200 : 400
      } catch (error) {
        const reason = error instanceof DatabaseUnavailable ? error.message : describeError(error)
        log.error('a payment event was not applied; it will be sent again', { reason })
        return 503
      }
    },
  }
}
