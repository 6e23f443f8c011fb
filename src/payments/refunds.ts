/**
 * Refunds that the operator asks for. What was settled without a provider is refunded by one SQL function; of what Stripe collected
 * Stripe is asked, and its events take the credits back, as those of any refund (D102). Whole payments alone: what is left of them.
 */
import type Stripe from 'stripe'
import type { Connection, Database } from '../database/client.ts'
import { type Fragment, scalar } from '../database/scalar.ts'
import { type Payment, PLAN_TIERS } from './payments.ts'

/** How Stripe answered: it has begun the refund, refused it, or its answer is not known. */
export interface RefundAnswer {
  refund: 'begun' | 'refused' | 'unknown'
  /** Stripe's id of a refund that has begun, else the reason. */
  note: string
}

/** The expression that refunds what was settled without a provider: the payment's id, null where it is not such a payment. */
export const refundCall = (sql: Connection['sql'], payment: string): Fragment =>
  sql`payment_refund(${payment}, ${PLAN_TIERS}::json)`

/** The expression that notes that Stripe is asked: the number of the try; null where Stripe must not be asked. */
export const refundAskCall = (sql: Connection['sql'], payment: string): Fragment =>
  sql`payment_refund_ask(${payment})`

/** The Checkout of an accepted order for which no payment by Stripe is known; null where there is no such order, or it has no Checkout. */
export function unpaidCheckout(database: Database, payment: string): Promise<string | null> {
  return database.use(({ sql }) =>
    scalar<string>(sql`
      select checkout from payments where id = ${payment} and state = 'accepted' and reference is null`),
  )
}

/** Notes how Stripe answered. */
export async function noteRefundAnswer(
  database: Database,
  payment: string,
  attempt: number,
  { refund, note }: RefundAnswer,
): Promise<void> {
  await database.use(
    ({ sql }) =>
      sql`select payment_refund_answered(${payment}, ${attempt}::integer, ${refund}, ${note})`,
  )
}

/** Longest reason that is kept. */
const MAX_NOTE = 300

/**
 * Asks Stripe to refund what is left of a payment. The same try is one refund at Stripe, however often it is made.
 * @param payment ours, with Stripe's id of what was collected: a top-up's PaymentIntent or a plan's invoice
 */
export async function refundAtStripe(
  stripe: Stripe,
  { id, kind, reference }: { id: string; kind: Payment['kind']; reference: string },
  attempt: number,
): Promise<RefundAnswer> {
  try {
    const intent = kind === 'plan' ? await intentOf(stripe, reference) : reference
    if (!intent) return { refund: 'refused', note: 'its invoice was not paid through Stripe' }
    const asked = { payment_intent: intent, metadata: { payment: id } }
    const refund = await stripe.refunds.create(asked, { idempotencyKey: `refund-${id}-${attempt}` })
    return { refund: 'begun', note: refund.id }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const said = isRefusal(error) ? `Stripe refused: ${error.message}` : error.message
    return { refund: isRefusal(error) ? 'refused' : 'unknown', note: said.slice(0, MAX_NOTE) }
  }
}

/** The PaymentIntent by which an invoice was paid; undefined where it was paid in another way. */
export async function intentOf(stripe: Stripe, invoice: string): Promise<string | undefined> {
  const { data } = await stripe.invoicePayments.list({ invoice, status: 'paid', limit: 1 })
  const intent = data[0]?.payment.payment_intent
  return typeof intent === 'string' ? intent : intent?.id
}

/** Whether Stripe's answer says that nothing was done. A conflict says that the same request is being worked on. */
export function isRefusal(error: Error): boolean {
  const status = 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 409
}
