/**
 * Refunds by the operator, of whole payments. A payment without a provider is refunded by one SQL function. Stripe is asked for the
 * others, and its events take the credits back.
 */
import type Stripe from 'stripe'
import type { Connection, Database } from '../../database/client.ts'
import { type Fragment, scalar } from '../../database/scalar.ts'
import { moneyText } from './amounts.ts'
import { claimsOn, goneOf } from './claims.ts'
import { type Payment, PLAN_TIERS } from './payments.ts'
import { idOf } from './stripe-event.ts'

/** Stripe's answer: `begun`, `refused`, or `unknown` where it gave none. */
export interface RefundAnswer {
  refund: 'begun' | 'refused' | 'unknown'
  /** Stripe's id of a refund that has begun; else the reason. */
  note: string
}

/** SQL that refunds a payment settled without a provider; returns its id, null for other payments. */
export const refundCall = (sql: Connection['sql'], payment: string): Fragment =>
  sql`payment_refund(${payment}, ${PLAN_TIERS}::json)`

/** SQL that notes a request to Stripe; returns the number of the try, null if Stripe must not be asked. */
export const refundAskCall = (sql: Connection['sql'], payment: string): Fragment =>
  sql`payment_refund_ask(${payment})`

/** Finds the Checkout of an accepted order without a known payment by Stripe; null if there is none. */
export function unpaidCheckout(database: Database, payment: string): Promise<string | null> {
  return database.use(({ sql }) =>
    scalar<string>(sql`
      select checkout from payments where id = ${payment} and state = 'accepted' and reference is null`),
  )
}

/** Notes Stripe's answer. */
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

/** Characters kept of a reason. */
const MAX_NOTE = 300

/**
 * Asks Stripe to refund the rest of a payment. A try repeated is one refund at Stripe.
 * @param payment our id
 */
export async function refundAtStripe(
  stripe: Stripe,
  { id, kind, reference }: CollectedPayment & { id: string },
  attempt: number,
): Promise<RefundAnswer> {
  try {
    const [intent, ...others] = await intentsOf(stripe, { kind, reference })
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

/** The rest of a payment in its own currency: "¥800". Undefined where it has no single charge. @throws if Stripe doesn't say */
export async function leftAtStripe(
  stripe: Stripe,
  collected: CollectedPayment,
): Promise<string | undefined> {
  const [intentId, ...others] = await intentsOf(stripe, collected)
  if (!intentId || others.length > 0) return undefined
  const { latest_charge: id } = await stripe.paymentIntents.retrieve(intentId)
  const charge = id && (await claimsOn(stripe, idOf(id)))
  return charge ? moneyText(charge.charged - goneOf(charge), charge.currency) : undefined
}

/** A payment with Stripe's id of a top-up's PaymentIntent or a plan's invoice. */
type CollectedPayment = Pick<Payment, 'kind'> & { reference: string }

/** Lists the PaymentIntents of a payment: none if its invoice was paid in another way, several if in parts. */
export async function intentsOf(
  stripe: Stripe,
  { kind, reference: invoice }: CollectedPayment,
): Promise<string[]> {
  if (kind === 'topup') return [invoice]
  const { data } = await stripe.invoicePayments.list({ invoice, status: 'paid', limit: 100 })
  return data.flatMap(({ payment: { payment_intent: intent } }) => (intent ? [idOf(intent)] : []))
}

/** True if Stripe says that nothing was done. A conflict means that the same request is in progress. */
export function isRefusal(error: Error): boolean {
  const status = 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 409
}
