/** A server that speaks the calls of Stripe's API that are made, and signs events as Stripe does. */
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import StripeClient from 'stripe'

export const WEBHOOK_SECRET = 'whsec_test_secret'
export const SECRET_KEY = 'sk_test_key'

export interface FakeCall {
  method: string
  path: string
  form: URLSearchParams
  authorization: string
  idempotencyKey: string
}

export interface FakeStripe {
  url: string
  calls: FakeCall[]
  /** Subscriptions as Stripe has them, by id. */
  subscriptions: Map<
    string,
    { status: string; cancel_at_period_end: boolean; metadata: Record<string, string> }
  >
  /** The next call is answered with this status. */
  failNext(status: number): void
  stop(): Promise<void>
}

export async function startFakeStripe(): Promise<FakeStripe> {
  const calls: FakeCall[] = []
  const subscriptions: FakeStripe['subscriptions'] = new Map()
  let failure: number | undefined

  const answer = ({ method, path }: FakeCall): object => {
    const [, , kind, id = ''] = path.split('/')
    if (kind === 'checkout') {
      return {
        id: `cs_${randomUUID()}`,
        object: 'checkout.session',
        url: 'https://checkout.stripe.test/pay',
      }
    }
    const subscription = subscriptions.get(id) ?? {
      status: 'active',
      cancel_at_period_end: false,
      metadata: {},
    }
    if (method === 'DELETE') subscription.status = 'canceled'
    if (method === 'POST') subscription.cancel_at_period_end = true
    subscriptions.set(id, subscription)
    return { id, object: 'subscription', ...subscription }
  }

  const server: Server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const call = {
        method: request.method ?? '',
        path: request.url ?? '',
        form: new URLSearchParams(body),
        authorization: request.headers.authorization ?? '',
        idempotencyKey: String(request.headers['idempotency-key'] ?? ''),
      }
      calls.push(call)
      const status = failure ?? 200
      failure = undefined
      response.writeHead(status, { 'content-type': 'application/json' })
      const refused = { error: { type: 'invalid_request_error', message: 'refused by the test' } }
      response.end(JSON.stringify(status === 200 ? answer(call) : refused))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    subscriptions,
    failNext(status) {
      failure = status
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

const signer = new StripeClient(SECRET_KEY).webhooks

/** The body and `Stripe-Signature` of an event; `secret` and `timestamp` (seconds) as a forger would have them. */
export async function signed(
  event: object,
  { secret = WEBHOOK_SECRET, timestamp }: { secret?: string; timestamp?: number } = {},
): Promise<[body: string, signature: string]> {
  const payload = JSON.stringify(event)
  const header = { payload, secret, ...(timestamp === undefined ? {} : { timestamp }) }
  return [payload, await signer.generateTestHeaderStringAsync(header)]
}

let last = 0
export function eventOf(type: string, object: object, id = `evt_${++last}`) {
  return { id, object: 'event', type, data: { object } }
}

export function checkoutEvent(
  payment: string,
  changes: object = {},
  type = 'checkout.session.completed',
) {
  return eventOf(type, {
    object: 'checkout.session',
    mode: 'payment',
    payment_status: 'paid',
    metadata: { payment },
    ...changes,
  })
}

/** One paid period of a subscription, until `endsMs`. */
export function invoiceEvent(
  payment: string,
  subscription: string,
  invoice: string,
  endsMs: number,
) {
  return eventOf('invoice.paid', {
    id: invoice,
    object: 'invoice',
    parent: { subscription_details: { metadata: { payment }, subscription } },
    lines: { data: [{ period: { end: Math.floor(endsMs / 1_000) } }] },
  })
}
