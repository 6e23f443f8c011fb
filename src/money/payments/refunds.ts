/**
 * Refunds that the operator asks for. What was settled without a provider is refunded by one SQL function; of what Stripe collected
 * Stripe is asked, and its events take the credits back, as those of any refund. Whole payments alone: what is left of them.
 */
import type Stripe from 'stripe'
import type { Connection, Database } from '../../database/client.ts'
import { type Fragment, scalar } from '../../database/scalar.ts'
import { type Payment, PLAN_TIERS } from './payments.ts'
import { idOf } from './stripe-event.ts'

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
    const [intent, ...others] = kind === 'plan' ? await intentsOf(stripe, reference) : [reference]
    if (!intent) return { refund: 'refused', note: 'its invoice was not paid through Stripe' }
    if (others.length > 0)
      return {
        refund: 'refused',
        note: 'its invoice was paid in several parts: refund them at Stripe',
      }
    const asked = { payment_intent: intent, metadata: { payment: id } }
    const refund = await stripe.refunds.create(asked, { idempotencyKey: `refund-${id}-${attempt}` })
    return { refund: 'begun', note: refund.id }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const said = isRefusal(error) ? `Stripe refused: ${error.message}` : error.message
    return { refund: isRefusal(error) ? 'refused' : 'unknown', note: said.slice(0, MAX_NOTE) }
  }
}

/** The PaymentIntents by which an invoice was paid: none where it was paid in another way, several where it was paid in parts. */
export async function intentsOf(stripe: Stripe, invoice: string): Promise<string[]> {
  const { data } = await stripe.invoicePayments.list({ invoice, status: 'paid', limit: 100 })
  return data.flatMap(({ payment: { payment_intent: intent } }) => (intent ? [idOf(intent)] : []))
}

/** Whether Stripe's answer says that nothing was done. A conflict says that the same request is being worked on. */
export function isRefusal(error: Error): boolean {
  const status = 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 409
}
