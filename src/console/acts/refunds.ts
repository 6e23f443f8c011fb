/** Refunds, as commands and pages ask for them: each is one act, and of a payment that Stripe collected Stripe is asked then. */
import type { PaymentGateway } from '../../money/payments/gateway.ts'
import type { RefundAnswer } from '../../money/payments/refunds.ts'
import { askForRefund, refundPayment } from './payments.ts'
import type { Perform } from './perform.ts'

export type RefundEnd =
  /** The remaining credits were taken back. */
  | { refund: 'done' }
  /** Nothing was done: the order was accepted by hand, and Stripe collected it too, or may have. */
  | { refund: 'held'; note: string }
  /** Stripe was asked. Where it has begun, its event takes the credits back. */
  | RefundAnswer

/**
 * Refunds a payment, once. Where Stripe's answer is unknown the refund may be asked for again: it is the same refund at Stripe.
 * @returns undefined where there is nothing to refund: it was not paid, is paid back, or another one asks Stripe at this moment
 */
export async function refund(
  gateway: PaymentGateway,
  perform: Perform,
  id: string,
): Promise<RefundEnd | undefined> {
  const obstacle = await gateway.refundObstacle(id)
  if (obstacle !== null) return { refund: 'held', note: obstacle }
  if ((await perform(refundPayment(id))) !== undefined) return { refund: 'done' }
  const attempt = await perform(askForRefund(id))
  return attempt === undefined ? undefined : gateway.refund(id, attempt)
}
