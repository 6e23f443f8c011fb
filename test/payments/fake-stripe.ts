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

/** What was collected for an order, and what is claimed of it. Amounts are in cents. */
export interface Charge {
  id: string
  payment: string
  intent: string
  /** Of a plan's period; a top-up has none. */
  invoice?: string
  amount: number
  currency: string
  refunds: { id: string; amount: number; status: string }[]
  disputes: { id: string; amount: number; currency: string; status: string }[]
}

export interface FakeStripe {
  url: string
  calls: FakeCall[]
  /** Subscriptions as Stripe has them, by id. */
  subscriptions: Map<
    string,
    { status: string; cancel_at_period_end: boolean; metadata: Record<string, string> }
  >
  /** Checkout sessions by id, as `open`, `complete` or `expired`. */
  sessions: Map<string, { id: string; payment: string; status: string; idempotencyKey: string }>
  charges: Map<string, Charge>
  /** Collects for an order: its charge, with nothing claimed of it. */
  collect(payment: string, changes?: Partial<Charge>): Charge
  /** The next call is answered with this status. */
  failNext(status: number): void
  stop(): Promise<void>
}

const CHECKOUT_URL = 'https://checkout.stripe.test/pay'
const list = (data: object[]) => ({ object: 'list', data, has_more: false, url: '/v1/list' })

export async function startFakeStripe(): Promise<FakeStripe> {
  const calls: FakeCall[] = []
  const subscriptions: FakeStripe['subscriptions'] = new Map()
  const sessions: FakeStripe['sessions'] = new Map()
  const charges: FakeStripe['charges'] = new Map()
  let failure: number | undefined

  const shown = (session: { id: string; payment: string; status: string }) => ({
    ...session,
    object: 'checkout.session',
    url: session.status === 'open' ? CHECKOUT_URL : null,
    metadata: { payment: session.payment },
  })

  /** @returns undefined where Stripe answers that this can't be. */
  function checkout({ method, form, idempotencyKey }: FakeCall, id: string, verb: string) {
    if (method === 'POST' && id === '') {
      const before = [...sessions.values()].find((each) => each.idempotencyKey === idempotencyKey)
      const payment = form.get('metadata[payment]') ?? ''
      const session = before ?? {
        id: `cs_${randomUUID()}`,
        payment,
        status: 'open',
        idempotencyKey,
      }
      sessions.set(session.id, session)
      return shown(session)
    }
    const session = sessions.get(id)
    if (!session || (verb === 'expire' && session.status !== 'open')) return undefined
    if (verb === 'expire') session.status = 'expired'
    return shown(session)
  }

  function subscription({ method }: FakeCall, id: string) {
    const unknown = { status: 'active', cancel_at_period_end: false, metadata: {} }
    const found = subscriptions.get(id) ?? unknown
    if (method === 'DELETE') found.status = 'canceled'
    if (method === 'POST') found.cancel_at_period_end = true
    subscriptions.set(id, found)
    return { id, object: 'subscription', ...found }
  }

  /** The invoice payment of a charge, with its invoice expanded. */
  const invoicePayment = ({ invoice, payment }: Charge) => ({
    object: 'invoice_payment',
    invoice: {
      id: invoice,
      object: 'invoice',
      parent: { subscription_details: { metadata: { payment }, subscription: 'sub_any' } },
    },
  })

  const answer = (call: FakeCall): object | undefined => {
    const { pathname, searchParams: query } = new URL(call.path, 'http://stripe.test')
    const [, , kind, id = '', third = '', verb = ''] = pathname.split('/')
    const ofIntent = (intent: string | null) =>
      [...charges.values()].filter((charge) => charge.intent === intent)
    switch (kind) {
      case 'checkout': {
        if (call.method === 'POST' || third) return checkout(call, third, verb)
        const found = ofIntent(query.get('payment_intent')).filter(({ invoice }) => !invoice)
        return list(found.map(({ payment }) => ({ metadata: { payment } })))
      }
      case 'subscriptions':
        return subscription(call, id)
      case 'charges': {
        const charge = charges.get(id)
        return charge && { ...charge, object: 'charge', payment_intent: charge.intent }
      }
      case 'refunds':
        return list(charges.get(query.get('charge') ?? '')?.refunds ?? [])
      case 'disputes':
        return list(charges.get(query.get('charge') ?? '')?.disputes ?? [])
      case 'invoice_payments': {
        const found = ofIntent(query.get('payment[payment_intent]'))
        return list(found.filter(({ invoice }) => invoice).map(invoicePayment))
      }
      default:
        return undefined
    }
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
      const found = failure === undefined ? answer(call) : undefined
      const status = found ? 200 : (failure ?? 400)
      failure = undefined
      response.writeHead(status, { 'content-type': 'application/json' })
      const refused = { error: { type: 'invalid_request_error', message: 'refused by the test' } }
      response.end(JSON.stringify(found ?? refused))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    subscriptions,
    sessions,
    charges,
    collect(payment, changes) {
      const charge: Charge = {
        ...{ id: `ch_${randomUUID()}`, intent: `pi_${randomUUID()}`, payment },
        ...{ amount: 4_900, currency: 'usd', refunds: [], disputes: [] },
        ...changes,
      }
      charges.set(charge.id, charge)
      return charge
    },
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

/** A refund or dispute of a charge; Stripe is asked how the charge stands. */
export function claimEvent({ id }: Charge, type = 'charge.dispute.created') {
  return eventOf(type, type === 'charge.refunded' ? { id } : { charge: id })
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
