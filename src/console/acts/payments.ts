/** Acts on payments: accept, refuse, refund, take over from Stripe, and dismiss an event of the provider. */
import { type Database, DatabaseUnavailable, isoTime } from '../../database/client.ts'
import { moneyText } from '../../money/payments/amounts.ts'
import {
  acceptCall,
  dismissCall,
  findPayment,
  type Payment,
  refuseCall,
} from '../../money/payments/payments.ts'
import { type RefundAnswer, refundAskCall, refundCall } from '../../money/payments/refunds.ts'
import type { EventCall } from '../../money/payments/stripe-events.ts'
import { ActRefused, act, done, given, type Output, type Target, tick } from './act.ts'
import { type PaymentDetails, paymentDetails } from './payment-details.ts'

const ORDER = { subject: 'payment', noun: 'open payment' } as const

/** Gives what an open payment is for. @returns its id */
export const acceptPayment = act({
  ...ORDER,
  name: 'payment.accept',
  button: 'Accept as paid',
  said: 'It is accepted: the credits are there.',
  command: 'payments accept',
  about: 'it is paid: give what it was for',
  fields: {
    renews: {
      ...tick,
      label: 'The plan renews',
      hint: 'Else the tier falls back to free when the month ends.',
      option: '--renews',
      about: 'a plan goes on when its period ends (default: the tier falls back to free)',
    },
    referralCredits: given<number>(),
  },
  statement: ({ id }, acceptance) => ({
    call: (sql) => acceptCall(sql, id, acceptance),
    result: String,
  }),
  tell: tellPayment,
})

/** Refuses an open payment. @returns its id */
export const refusePayment = act({
  ...ORDER,
  name: 'payment.refuse',
  fields: {},
  button: 'Refuse',
  said: 'The order is refused.',
  command: 'payments refuse',
  about: 'it will not be paid',
  statement: ({ id }) => ({ call: (sql) => refuseCall(sql, id), result: String }),
  tell: tellPayment,
})

async function tellPayment({
  database,
  target,
}: {
  database: Database
  target: Target
}): Promise<Output> {
  const payment = await findPayment(database, target.id)
  return { json: { ...payment }, text: payment ? paymentText(payment) : '' }
}

/** A payment on one line. */
export function paymentText({ state, reversed, kind, item, credits, usd }: Payment): string {
  const paidBack = { none: '', part: ', paid back in part', all: ', paid back' }[reversed]
  const price = usd === null ? 'price to be agreed' : `$${usd}`
  return `${state}${paidBack}: ${kind === 'plan' ? 'plan' : 'top-up'} ${item}, ${credits ?? 'unlimited'} credits, ${price}`
}

/** Notes that an event of the payment provider was dealt with. Nothing is done where it doesn't wait. The id is the provider's. */
export const dismissEvent = act({
  name: 'payment.dismiss',
  subject: 'event',
  noun: 'payment event that waits',
  fields: {},
  page: 'payment',
  button: 'Dismiss',
  said: 'The event is dismissed.',
  command: 'payments dismiss',
  about: 'you have dealt with a payment event that waited',
  statement: ({ id }) => done((sql) => dismissCall(sql, id)),
  tell: ({ target: { id } }) => ({ json: { id, dismissed: true }, text: `dismissed: ${id}` }),
})

/** How a refund ended: the credits were taken back here, or Stripe was asked, whose event takes them back. */
export type RefundEnd = { refund: 'done' } | RefundAnswer

/**
 * Refunds what is left of a payment, once. Where Stripe's answer is unknown the refund may be asked for again: it is the same refund at Stripe.
 * Nothing is done where nothing is left to refund: it was not paid, is paid back, or another one asks Stripe at this moment.
 */
export const refund = act({
  name: 'payment.refund',
  subject: 'payment',
  noun: 'payment to refund',
  button: 'Refund',
  said: {
    done: 'It is refunded: what was left of its credits is taken back.',
    begun: 'Stripe has begun the refund.',
  },
  command: 'payments refund',
  about: 'pay back what is left of a payment; it can’t be undone',
  confirm: {
    what: 'a refund',
    undone: 'nothing was refunded',
    question: 'Refund this payment?',
  },
  /** `atStripe` notes that Stripe is asked; else what is left of the credits is taken back, where no provider collected. */
  fields: { atStripe: given<boolean>() },
  async ask({ database, gateway }, { on }) {
    const payment = await paymentDetails(database, on)
    if (!payment || !isRefundable(payment)) return undefined
    const left = payment.reference && payment.reversed ? await (await gateway()).left(on) : 'all'
    const { kind, item, account } = payment
    const order = `${item} ${kind === 'plan' ? 'plan' : 'top-up'}`
    return { title: `Refund the ${order} of ${account.name}`, lead: refundLead(payment, left) }
  },
  /** Returns which try it is, where Stripe is asked. */
  statement: ({ id }, { atStripe }) => ({
    call: (sql) => (atStripe ? refundAskCall(sql, id) : refundCall(sql, id)),
    result: (given) => (atStripe ? Number(given) : 0),
  }),
  async run({ gateway, own }, target): Promise<RefundEnd | undefined> {
    const payments = await gateway()
    const obstacle = await payments.refundObstacle(target.id)
    // It was accepted by hand, and Stripe collected it too, or may have.
    if (obstacle !== null) throw new ActRefused(`nothing was refunded: ${obstacle}`)
    if ((await own(target, { atStripe: false })) !== undefined) return { refund: 'done' }
    const attempt = await own(target, { atStripe: true })
    return attempt === undefined ? undefined : payments.refund(target.id, attempt)
  },
  end: ({ refund }) => refund,
  async tell({ database, target: { id }, result }) {
    const payment = await findPayment(database, id)
    return { json: { ...payment, ...result }, text: refundText(result) }
  },
})

/** @throws ActRefused where the refund did not begin, or its outcome is unknown */
function refundText(end: RefundEnd): string {
  switch (end.refund) {
    case 'done':
      return 'refunded: what was left of its credits is taken back'
    case 'begun':
      return `Stripe has begun the refund ${end.note}; its event takes the credits back`
    case 'refused':
      throw new ActRefused(`nothing was refunded: ${end.note}`)
    case 'unknown':
      throw new ActRefused(
        `it is not known whether Stripe has begun the refund: ${end.note}. Repeat the command: both together are one refund`,
      )
  }
}

/** True if it was paid, some of the money is left, and no refund is under way at Stripe. */
export const isRefundable = ({ state, charged, reversed, refund }: PaymentDetails): boolean =>
  state === 'accepted' && !(charged !== null && charged === reversed) && refund !== 'begun'

/** @param left amount at Stripe; `all` where nothing went back yet, undefined where Stripe doesn't say */
function refundLead({ kind, reference, usd }: PaymentDetails, left: string | undefined): string {
  const credits = 'What is left of its credits goes back, and what was spent stays spent.'
  if (reference === null) {
    const plan =
      kind === 'plan'
        ? ' Its plan ends now if this is the month that was paid; else end it on the account’s page.'
        : ''
    return `Nobody collected it but you: pay ${usd === null ? 'what was paid' : moneyText(usd * 100)} back in the way that it came. ${credits}${plan}`
  }
  const renews =
    kind === 'plan'
      ? ' Its subscription goes on until the plan is ended on the account’s page.'
      : ''
  const amount =
    left === 'all' ? 'all of it' : left ? `the ${left} that are left` : 'what is left of it'
  return `Stripe is asked to pay back ${amount}. When its event has come: ${credits}${renews}`
}

interface TakenOver {
  /** Descriptions of applied events. */
  taken: string[]
  /** Why it ended early; null where it didn't. */
  failure: string | null
}

/**
 * Takes over how Stripe says that a payment stands, by the functions that apply its events. Stripe is asked anew.
 * The statement applies one event, and says its outcome in words, where it changed something.
 */
export const takeOver = act({
  name: 'payment.take-over',
  subject: 'payment',
  noun: 'payment',
  button: 'Take over Stripe’s state',
  said: {
    taken: 'Stripe’s state is taken over: what it told says how.',
    same: 'Nothing was to be taken over.',
  },
  command: 'payments take-over',
  about: 'applies what Stripe says of a payment, as its events would have',
  fields: { event: given<EventCall>() },
  statement: (_, { event }) => ({
    call: (sql) =>
      sql`(select e.outcome || ': ' || e.reason from ${event(sql)} e where e.outcome <> 'ignored')`,
    result: String,
  }),
  async run({ gateway, own }, target): Promise<TakenOver | undefined> {
    const payments = await gateway()
    const check = await payments.check(target.id)
    if (!check) return undefined
    const taken: string[] = []
    try {
      for (const { event } of check.differences) {
        if (!event) continue
        const { call, follow } = await payments.applying(event)
        const said = await own(target, { event: call })
        if (said !== undefined) taken.push(said)
        // Even where the event was applied before: its follow-up at Stripe may have failed then.
        try {
          for (const older of await follow()) taken.push(`${older} was ended at Stripe`)
        } catch (error) {
          if (!(error instanceof Error)) throw error
          const failure = `an older subscription may go on at Stripe, ask again: ${error.message}`
          return { taken, failure }
        }
      }
    } catch (error) {
      if (error instanceof DatabaseUnavailable || !(error instanceof Error)) throw error
      return { taken, failure: error.message }
    }
    return { taken, failure: check.failure }
  },
  end({ taken, failure }) {
    if (failure === null) return taken.length > 0 ? 'taken' : 'same'
    const here =
      taken.length > 0 ? `this was done: ${taken.join('; ')}` : 'nothing was changed here'
    throw new ActRefused(`${here}. Why it ended: ${failure}`)
  },
  tell({ result: { taken, failure } }) {
    const text = [...taken, failure].filter(Boolean).join('\n') || 'nothing differs'
    return { json: { taken, failure }, text, exitCode: failure === null ? 0 : 1 }
  },
})

/** An order that waits. Times are ISO 8601 in UTC. */
export interface WaitingPayment
  extends Pick<Payment, 'id' | 'kind' | 'item' | 'credits' | 'usd' | 'createdAt'> {
  account: { id: string; name: string; email: string }
  /** True if its owner was led to the payment provider, who tells when it is paid. */
  isAtProvider: boolean
}

/** The orders that wait, the oldest first, at most `limit`, and how many there are. */
export async function waitingPayments(database: Database, limit: number) {
  const [row] = await database.use(
    ({ sql }) => sql<{ payments: WaitingPayment[]; count: number }[]>`
      select (select count(*)::integer from payments where state = 'open') as count,
             (select coalesce(json_agg(waiting), '[]') from (
                select p.id, p.kind, p.item, p.credits, p.usd, p.created_at as "createdAt",
                       p.checkout is not null as "isAtProvider",
                       json_build_object('id', a.id, 'name', a.name, 'email', a.email) as account
                  from payments p join accounts a on a.id = p.account_id
                 where p.state = 'open' order by p.created_at, p.id limit ${limit}::integer) waiting) as payments`,
  )
  const payments = row?.payments ?? []
  for (const payment of payments) payment.createdAt = isoTime(payment.createdAt)
  return { payments, count: row?.count ?? 0 }
}
