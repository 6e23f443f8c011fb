/**
 * Events in any order, repeated and late, against a small model of what was paid: at each moment the ledger sums to the
 * balance, and in the end credits agree with the money that was kept. `PAYMENT_RUNS=500` for a full run.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LIMIT_MS } from '../../helpers/limit.ts'
import { type Charge, checkoutEvent, claimEvent, invoiceEvent } from './fake-stripe.ts'
import { REWARD, sharedShop } from './shop.ts'

const SEED = 14
const RUNS = Number(process.env.PAYMENT_RUNS ?? 8)

const DAY_MS = 86_400_000
const CREDITS = { topup: 500, plan: 3_000 }

const shop = sharedShop()

interface Paid {
  kind: keyof typeof CREDITS
  charge: Charge
}

// ---------------------------------------------------------------- what happens

const which = fc.nat(99)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('order' as const), plan: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('withdraw' as const) }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('pay' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('renew' as const), which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('expire' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('refund' as const),
      which,
      cents: fc.integer({ min: 1, max: 6_000 }),
      isTold: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('fail refund' as const), which }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('dispute' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('end dispute' as const),
      which,
      isWon: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('deliver' as const), which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('repeat' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('spend' as const),
      credits: fc.integer({ min: 1, max: 400 }),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** One story: what people and Stripe do, and in which order its events come in. */
async function tell(steps: readonly Step[], lastly: readonly number[]) {
  const guest = await shop.guest()
  const both = [guest.account, guest.referrer]
  const paid: Paid[] = []
  const waiting: object[] = []
  const delivered: object[] = []
  let order: { kind: Paid['kind']; payment: string } | undefined
  let plan: string | undefined
  let spent = 0

  const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % from.length]
  const collect = (kind: Paid['kind'], payment: string) => {
    const invoice = kind === 'plan' ? { invoice: `in_${crypto.randomUUID()}` } : {}
    const charge = shop.stripe.collect(payment, invoice)
    paid.push({ kind, charge })
    waiting.push(
      kind === 'plan'
        ? invoiceEvent(
            payment,
            `sub_${payment}`,
            charge.invoice ?? '',
            shop.clock.now() + (30 + paid.length) * DAY_MS,
          )
        : checkoutEvent(payment, { payment_intent: charge.intent }),
    )
  }
  async function deliver(at: number) {
    const [event] = waiting.splice(at % waiting.length, 1)
    if (!event) return
    expect(await shop.deliver(event)).toBe(200)
    delivered.push(event)
  }

  const act = async (it: Step) => {
    const charge = 'which' in it ? pick(paid, it.which)?.charge : undefined
    switch (it.does) {
      case 'order': {
        const kind = it.plan ? 'plan' : 'topup'
        order = {
          kind,
          payment: await guest.choose(it.plan ? { plan: 'essential' } : { topUp: 'small' }),
        }
        return
      }
      case 'withdraw':
        if (order) await guest.withdraw(order.payment)
        return
      // Also what was withdrawn or has ended a moment ago may be paid: Stripe's word is the last.
      case 'pay':
        if (!order) return
        collect(order.kind, order.payment)
        if (order.kind === 'plan') plan = order.payment
        order = undefined
        return
      case 'renew':
        if (plan) collect('plan', plan)
        return
      case 'expire':
        if (order) waiting.push(checkoutEvent(order.payment, {}, 'checkout.session.expired'))
        return
      case 'refund':
        if (!charge) return
        charge.refunds.push({
          id: `re_${crypto.randomUUID()}`,
          amount: it.cents,
          status: 'succeeded',
        })
        if (it.isTold) waiting.push(claimEvent(charge, 'charge.refunded'))
        // Told by a later event of the same charge, or by this one.
        waiting.push(claimEvent(charge, 'refund.updated'))
        return
      case 'fail refund': {
        const refund = charge?.refunds.at(-1)
        if (!charge || !refund) return
        refund.status = 'failed'
        waiting.push(claimEvent(charge, 'refund.failed'))
        return
      }
      case 'dispute':
        if (!charge || charge.disputes.length > 0) return
        charge.disputes.push({
          id: `dp_${crypto.randomUUID()}`,
          amount: charge.amount,
          currency: 'usd',
          status: 'needs_response',
        })
        waiting.push(claimEvent(charge), claimEvent(charge, 'charge.dispute.funds_withdrawn'))
        return
      case 'end dispute': {
        const dispute = charge?.disputes[0]
        if (!charge || dispute?.status !== 'needs_response') return
        dispute.status = it.isWon ? 'won' : 'lost'
        waiting.push(claimEvent(charge, 'charge.dispute.closed'))
        if (it.isWon) waiting.push(claimEvent(charge, 'charge.dispute.funds_reinstated'))
        return
      }
      case 'deliver':
        return deliver(it.which)
      case 'repeat': {
        const event = pick(delivered, it.which)
        if (event) expect(await shop.deliver(event)).toBe(200)
        return
      }
      case 'spend':
        spent += await spend(guest.account, it.credits)
    }
  }

  for (const it of steps) {
    await act(it)
    await expectLedgerToSumUp(both)
  }
  for (const at of lastly) await deliver(at)
  // The rest comes at once, each event twice.
  const rest = waiting.splice(0)
  const statuses = await Promise.all([...rest, ...rest].map(shop.deliver))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  await expectLedgerToSumUp(both)
  return { guest, paid, spent }
}

// ---------------------------------------------------------------- what holds

/** Charges an account as a call does, if its balance covers it. @returns the credits spent */
async function spend(account: string, credits: number): Promise<number> {
  const rows = await shop.sql`
    with counted as (
      update accounts set balance = balance - ${credits}::integer, unallotted = unallotted + ${credits}::integer
       where id = ${account} and balance >= ${credits}::integer returning balance
    )
    insert into ledger (account_id, at, kind, credits, balance_after)
    select ${account}, meter_now(), 'charge', -${credits}::integer, balance from counted returning credits`
  return rows.length > 0 ? credits : 0
}

async function expectLedgerToSumUp(accounts: string[]) {
  const wrong = await shop.sql`
    select a.id, a.balance from accounts a
     where a.id = any (string_to_array(${accounts.join(' ')}, ' ')::uuid[])
       and (a.balance < 0
            or a.balance <> (select coalesce(sum(credits), 0) from ledger where account_id = a.id)
            or a.balance + a.unallotted <> (select coalesce(sum(remaining), 0) from credit_grants where account_id = a.id))`
  expect([...wrong]).toEqual([])
}

const keptOf = ({ amount, refunds, disputes }: Charge) => {
  const sum = (claims: { amount: number }[]) =>
    claims.reduce((total, claim) => total + claim.amount, 0)
  const refunded = sum(refunds.filter(({ status }) => status !== 'failed'))
  const disputed = sum(disputes.filter(({ status }) => status !== 'won'))
  return Math.max(0, amount - refunded - disputed) / amount
}

/** Credits that the money kept of each payment pays for, without the reward, and what one side has of the reward. */
function modelOf(paid: readonly Paid[]) {
  const credits = paid.map(({ kind, charge }) => Math.floor(CREDITS[kind] * keptOf(charge)))
  const reward = Math.floor(REWARD * Math.max(0, ...paid.map(({ charge }) => keptOf(charge))))
  return { credits: credits.reduce((total, each) => total + each, 0), reward }
}

const balanceOf = async (account: string) => {
  const [row] = await shop.sql`select balance::integer from accounts where id = ${account}`
  return row?.balance
}

const story = fc.tuple(
  fc.array(step, { minLength: 25, maxLength: 60 }),
  fc.array(fc.nat(99), { minLength: 10, maxLength: 10 }),
)

test(
  'where nothing is spent, credits are exactly what the money kept pays for, in whatever order events come',
  async () => {
    let [payments, claims] = [0, 0]
    const property = fc.asyncProperty(story, async ([steps, lastly]) => {
      const told = steps.filter(({ does }) => does !== 'spend')
      const { guest, paid } = await tell(told, lastly)
      const { credits, reward } = modelOf(paid)
      expect(await balanceOf(guest.account)).toBe(credits + reward)
      expect(await balanceOf(guest.referrer)).toBe(reward)
      payments += paid.length
      claims += paid.filter(({ charge }) => keptOf(charge) < 1).length
    })
    await fc.assert(property, { seed: SEED, numRuns: RUNS })
    // Random stories must pay and claim back, or they prove less than they seem to.
    expect(payments).toBeGreaterThan(RUNS)
    expect(claims).toBeGreaterThan(RUNS / 4)
  },
  LIMIT_MS + RUNS * 4_000,
)

test(
  'what is spent is spent: nobody has more than was paid for, or less than what is left of it',
  async () => {
    let spentInAll = 0
    const property = fc.asyncProperty(story, async ([steps, lastly]) => {
      const { guest, paid, spent } = await tell(steps, lastly)
      const { credits, reward } = modelOf(paid)
      const balance = await balanceOf(guest.account)
      expect(balance).toBeGreaterThanOrEqual(Math.max(0, credits + reward - spent))
      // Of each grant what is due is taken back, or nothing is left of it.
      const wrong = await shop.sql`
      with claimed as (
        select b.*, g.amount, g.remaining, p.charged, p.reversed, g.source
          from payment_grants b join credit_grants g on g.id = b.grant_id join payments p on p.id = b.payment_id
         where p.account_id = ${guest.account} and g.source <> 'referral'
      )
      select * from claimed
       where taken_back > credits_due(amount, charged, reversed)
          or (taken_back < credits_due(amount, charged, reversed) and remaining > 0)`
      expect([...wrong]).toEqual([])
      spentInAll += spent
    })
    await fc.assert(property, { seed: SEED + 1, numRuns: RUNS })
    expect(spentInAll).toBeGreaterThan(RUNS)
  },
  LIMIT_MS + RUNS * 4_000,
)
