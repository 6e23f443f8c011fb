/** A server that speaks the calls of Stripe's API that are made, and signs events as Stripe does. */
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { type invoiceOf, shownInvoice, subscriptionOf } from './events.ts'

export {
  checkoutEvent,
  claimEvent,
  eventOf,
  invoiceEvent,
  invoiceOf,
  type Line,
  lineOf,
  SECRET_KEY,
  signed,
  WEBHOOK_SECRET,
} from './events.ts'

export interface FakeCall {
  method: string
  path: string
  form: URLSearchParams
  authorization: string
  idempotencyKey: string
}

/** A charge for an order, with refunds and disputes of it. Amounts are in the smallest unit. */
export interface Charge {
  id: string
  payment: string
  /** '' where it was paid outside Stripe. */
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
  sessions: Map<
    string,
    { id: string; payment: string; mode: string; status: string; idempotencyKey: string }
  >
  charges: Map<string, Charge>
  /** Paid invoices by id, as their events have them. */
  invoices: Map<string, ReturnType<typeof invoiceOf>>
  /** Collects for an order: its charge, with nothing claimed of it. */
  collect(payment: string, changes?: Partial<Charge>): Charge
  /** The next call is answered with this status. */
  failNext(status: number): void
  /** So many calls are answered, and the one behind them with this status. */
  failAfter(calls: number, status: number): void
  /** The next calls get no answer, until this is called again. */
  hang(hangs: boolean): void
  /** The next call is done, and its answer lost. */
  loseNext(): void
  stop(): Promise<void>
}

const CHECKOUT_URL = 'https://checkout.stripe.test/pay'
const list = (data: object[]) => ({ object: 'list', data, has_more: false, url: '/v1/list' })

/** A page of a longer list: what comes behind `starting_after`. */
function page(all: readonly object[], query: URLSearchParams) {
  const after = query.get('starting_after')
  const from = after ? all.findIndex((each) => 'id' in each && each.id === after) + 1 : 0
  const to = from + Number(query.get('limit') ?? 10)
  return { ...list(all.slice(from, to)), has_more: to < all.length }
}

export async function startFakeStripe(): Promise<FakeStripe> {
  const calls: FakeCall[] = []
  const subscriptions: FakeStripe['subscriptions'] = new Map()
  const sessions: FakeStripe['sessions'] = new Map()
  const charges: FakeStripe['charges'] = new Map()
  const invoices: FakeStripe['invoices'] = new Map()
  let failure: number | undefined
  let untilFailure = 0
  let isLost = false
  let hangs = false
  const failAfter = (calls: number, status: number) => {
    failure = status
    untilFailure = calls
  }
  /** Charges by the key of what refunded them. */
  const refunded = new Map<string, object>()

  const shown = (session: { id: string; payment: string; status: string; mode: string }) => ({
    ...session,
    ...paidIn(session),
    object: 'checkout.session',
    url: session.status === 'open' ? CHECKOUT_URL : null,
    metadata: { payment: session.payment },
  })

  /** How a Checkout was paid, once it is complete. */
  function paidIn({ payment, status }: { payment: string; status: string }) {
    const isPaid = status === 'complete'
    const charge = isPaid && [...charges.values()].find((each) => each.payment === payment)
    const payment_status = isPaid ? 'paid' : 'unpaid'
    if (!charge) return { payment_status }
    const { invoice, intent } = charge
    return { payment_status, ...(invoice ? { invoice } : { payment_intent: intent }) }
  }

  /** @returns undefined where Stripe answers that this can't be. */
  function checkout({ method, form, idempotencyKey }: FakeCall, id: string, verb: string) {
    if (method === 'POST' && id === '') {
      const before = [...sessions.values()].find((each) => each.idempotencyKey === idempotencyKey)
      const payment = form.get('metadata[payment]') ?? ''
      const session = before ?? {
        id: `cs_${randomUUID()}`,
        payment,
        mode: form.get('mode') ?? '',
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

  /** What has ended is neither changed nor ended again. */
  function subscription({ method }: FakeCall, id: string) {
    const unknown = { status: 'active', cancel_at_period_end: false, metadata: {} }
    const found = subscriptions.get(id) ?? unknown
    if (method !== 'GET' && found.status === 'canceled') return undefined
    if (method === 'DELETE') found.status = 'canceled'
    if (method === 'POST') found.cancel_at_period_end = true
    subscriptions.set(id, found)
    return { id, object: 'subscription', ...found }
  }

  /** The invoice payment of a charge, with its invoice expanded. */
  const invoicePayment = ({ invoice, payment, intent }: Charge) => ({
    object: 'invoice_payment',
    payment: intent
      ? { type: 'payment_intent', payment_intent: intent }
      : { type: 'payment_record', payment_record: 'pr_1' },
    invoice: {
      id: invoice,
      object: 'invoice',
      parent: { subscription_details: { metadata: { payment }, subscription: 'sub_any' } },
    },
  })

  /** Refunds what is left of a charge, once for each key. */
  function refund({ form, idempotencyKey }: FakeCall) {
    const before = refunded.get(idempotencyKey)
    if (before) return before
    const charge = [...charges.values()].find(({ intent }) => intent === form.get('payment_intent'))
    const isGone = (each: { status: string }) => !['failed', 'canceled'].includes(each.status)
    const back = charge?.refunds.filter(isGone).reduce((sum, { amount }) => sum + amount, 0) ?? 0
    if (!charge || back >= charge.amount) return undefined
    const made = { id: `re_${randomUUID()}`, amount: charge.amount - back, status: 'succeeded' }
    charge.refunds.push(made)
    refunded.set(idempotencyKey, made)
    return made
  }

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
        if (call.method === 'POST') return refund(call)
        return list(charges.get(query.get('charge') ?? '')?.refunds ?? [])
      case 'disputes':
        return list(charges.get(query.get('charge') ?? '')?.disputes ?? [])
      case 'payment_intents': {
        const [charge] = ofIntent(id)
        return charge && { id, object: 'payment_intent', latest_charge: charge.id }
      }
      case 'invoices': {
        const named = query.get('subscription')
        const invoice = invoices.get(id)
        if (third === 'lines') return invoice && page(invoice.lines.data, query)
        if (!named) return invoice && shownInvoice(invoice)
        const those = [...invoices.values()].filter((each) => subscriptionOf(each) === named)
        return list(those.map(shownInvoice))
      }
      case 'invoice_payments': {
        const invoice = query.get('invoice')
        const found = invoice
          ? [...charges.values()].filter((charge) => charge.invoice === invoice)
          : ofIntent(query.get('payment[payment_intent]'))
        return page(found.filter(({ invoice }) => invoice).map(invoicePayment), query)
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
      if (hangs) return
      const fails = failure !== undefined && untilFailure-- === 0 ? failure : undefined
      const found = fails === undefined ? answer(call) : undefined
      const status = found ? 200 : (fails ?? 400)
      if (fails !== undefined) failure = undefined
      if (isLost) {
        isLost = false
        // Begun, because a client asks again by itself where nothing came.
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        response.write('{', () => response.destroy())
        return
      }
      response.writeHead(status, { 'content-type': 'application/json' })
      const code = call.method === 'GET' && status === 400 ? { code: 'resource_missing' } : {}
      const refused = {
        error: { type: 'invalid_request_error', message: 'refused by the test', ...code },
      }
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
    invoices,
    collect(payment, changes) {
      const charge: Charge = {
        id: `ch_${randomUUID()}`,
        intent: `pi_${randomUUID()}`,
        payment,
        amount: 4_900,
        currency: 'usd',
        refunds: [],
        disputes: [],
        ...changes,
      }
      charges.set(charge.id, charge)
      return charge
    },
    hang(begins) {
      hangs = begins
    },
    loseNext() {
      isLost = true
    },
    failNext(status) {
      failAfter(0, status)
    },
    failAfter,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
