/** What other services send here: no page, no session, no form. Who sent it is known by its signature. */
import type { PaymentDesk } from '../../payments/desk.ts'
import { bytesOf } from '../http/form.ts'

/** Stripe's events have some kilobytes. */
const MAX_EVENT_BYTES = 1024 * 1024

/** Takes an event of Stripe's. The signature is of the body as it came, so it is read as it is. @throws PageError 413 */
export async function receiveStripe(payments: PaymentDesk, request: Request): Promise<Response> {
  const body = new TextDecoder().decode(await bytesOf(request, MAX_EVENT_BYTES))
  const status = await payments.webhook(body, request.headers.get('stripe-signature'))
  return new Response(null, { status })
}
