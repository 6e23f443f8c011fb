/** `/webhooks/stripe`: Stripe's events. A signature authenticates each; there is no session and no form. */
import type { PaymentGateway } from '../../payments/gateway.ts'
import { bytesOf } from '../http/form.ts'

/** Stripe's events have a few kilobytes. */
const MAX_EVENT_BYTES = 1024 * 1024

/** Applies one event. The body stays as it was sent, because the signature covers it. @throws PageError 413 */
export async function receiveStripe(payments: PaymentGateway, request: Request): Promise<Response> {
  const body = new TextDecoder().decode(await bytesOf(request, MAX_EVENT_BYTES))
  const status = await payments.webhook(body, request.headers.get('stripe-signature'))
  return new Response(null, { status })
}
