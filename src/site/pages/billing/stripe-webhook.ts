/** `/webhooks/stripe`: Stripe's events. A signature authenticates each; there is no session and no form. */
import type { PaymentGateway } from '../../../money/payments/gateway.ts'
import { bytesOf } from '../../http/body.ts'

/** Stripe's events have a few kilobytes. */
const MAX_EVENT_BYTES = 256 * 1024

/** Header with a time and at least one signature, in any order: `t=1492774577,v1=5257a8…`. */
const SIGNATURE = /^(?=.*\bt=\d{1,12}(,|$))(?=.*\bv1=[0-9a-f]{64}(,|$))[\w=,]{1,1000}$/

/**
 * Applies one event. The body stays as it was sent, because the signature covers it. Without the form of a signature no body is read.
 * @throws PageError 413, 408
 */
export async function receiveStripe(
  payments: Pick<PaymentGateway, 'webhook'>,
  request: Request,
): Promise<Response> {
  const signature = request.headers.get('stripe-signature') ?? ''
  if (!SIGNATURE.test(signature)) return new Response(null, { status: 400 })
  const body = new TextDecoder().decode(await bytesOf(request, MAX_EVENT_BYTES, true))
  return new Response(null, { status: await payments.webhook(body, signature) })
}
