/** Plans and top-ups that the operator accepts, and the referrals that they pay for. */
import { describe, expect, test } from 'bun:test'
import { PLANS, TOP_UPS } from '../../../src/contract/tiers.ts'
import { silentLog } from '../../../src/log.ts'
import { creditsOf } from '../../../src/money/accounts/credits.ts'
import { createPaymentGateway } from '../../../src/money/payments/gateway.ts'
import {
  type Choice,
  listPayments,
  paymentsOf,
  refusePayment,
} from '../../../src/money/payments/payments.ts'
import { giveRewards, referralOf } from '../../../src/money/payments/referrals.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { shared } from '../../helpers/shared.ts'
import {
  PASSWORD,
  type Person,
  requestWith,
  sharedPeople,
  signedIn,
} from '../../people/users/fixtures.ts'
import { expectBooksToBalance } from '../charge/fixtures.ts'
import { accepted } from './accepted.ts'

const REFERRAL = { referralCredits: 250 }

const people = sharedPeople(({ sql }) => expectBooksToBalance(sql))
const gateway = shared(async () => createPaymentGateway(people.database, undefined, silentLog))

async function chosen({ session }: Person, choice: Choice): Promise<string> {
  const answer = await gateway.checkout(session, choice)
  if (answer.outcome !== 'requested') throw new Error(answer.outcome)
  return answer.id
}

const accept = (id: string) => accepted(people.database, id, REFERRAL)
const balanceOf = async ({ session }: Person) =>
  (await creditsOf(people.database, session.account.id))?.balance

test('top-ups have the credits and prices of the price list', () => {
  expect(TOP_UPS).toEqual({
    small: { credits: 500, usd: 10 },
    medium: { credits: 2_500, usd: 45 },
    large: { credits: 10_000, usd: 170 },
  })
})

describe('choosing', () => {
  test('a top-up leaves a request and gives nothing; accepting it gives its credits', async () => {
    const person = await people.person()
    const id = await chosen(person, { topUp: 'small' })
    expect(await balanceOf(person)).toBe(250)
    expect(await accept(id)).toMatchObject({
      id,
      kind: 'topup',
      item: 'small',
      usd: TOP_UPS.small.usd,
      state: 'accepted',
    })
    expect(await balanceOf(person)).toBe(250 + TOP_UPS.small.credits)
    const [payment] = await paymentsOf(people.database, person.session.account.id)
    expect(payment).toMatchObject({
      id,
      state: 'accepted',
      decidedAt: new Date(people.clock.now()).toISOString(),
    })
  })

  test.each(Object.keys(PLANS) as (keyof typeof PLANS)[])(
    'plan %s, accepted, begins with its tier and credits',
    async (plan) => {
      const person = await people.person()
      await accept(await chosen(person, { plan }))
      const credits = await creditsOf(people.database, person.session.account.id)
      expect(credits).toMatchObject({
        tier: PLANS[plan].tier,
        balance: 250 + (PLANS[plan].credits ?? 0),
        plan: { name: plan, renews: false },
      })
    },
  )

  test('ten operators who accept one payment at once give its credits once', async () => {
    const person = await people.person()
    const id = await chosen(person, { topUp: 'large' })
    const accepted = await Promise.all(Array.from({ length: 10 }, () => accept(id)))
    expect(accepted.filter(Boolean)).toHaveLength(1)
    expect(await balanceOf(person)).toBe(250 + TOP_UPS.large.credits)
  })

  test('what was refused can’t be accepted, and the other way round', async () => {
    const person = await people.person()
    const [one, other] = [
      await chosen(person, { topUp: 'small' }),
      await chosen(person, { topUp: 'small' }),
    ]
    expect(await refusePayment(people.database, one)).toMatchObject({ state: 'refused' })
    expect(await accept(one)).toBeUndefined()
    await accept(other)
    expect(await refusePayment(people.database, other)).toBeUndefined()
    expect(await balanceOf(person)).toBe(250 + TOP_UPS.small.credits)
  })

  test('the price is the one of the day it was chosen', async () => {
    const person = await people.person()
    const id = await chosen(person, { topUp: 'small' })
    await people.sql`update payments set credits = 77 where id = ${id}`
    await accept(id)
    expect(await balanceOf(person)).toBe(250 + 77)
  })

  test('only the owner chooses, and no more than twenty things at once', async () => {
    const { session } = await people.person()
    const member = { ...session, role: 'member' as const }
    expect(await gateway.checkout(member, { topUp: 'small' })).toEqual({ outcome: 'refused' })
    const stranger = await people.person()
    const forged = { ...stranger.session, account: session.account }
    expect(await gateway.checkout(forged, { topUp: 'small' })).toEqual({ outcome: 'refused' })
    for (let count = 0; count < 20; count++) await gateway.checkout(session, { topUp: 'small' })
    expect(await gateway.checkout(session, { topUp: 'small' })).toEqual({ outcome: 'refused' })
    expect(await paymentsOf(people.database, session.account.id)).toHaveLength(20)
  })

  test('a plan is cancelled to its end', async () => {
    const { session } = await people.person()
    expect(await gateway.cancelPlan(session)).toBe('no plan')
    const id = (await gateway.checkout(session, { plan: 'essential' })) as { id: string }
    await accepted(people.database, id.id, { ...REFERRAL, renews: true })
    const plan = async () => (await creditsOf(people.database, session.account.id))?.plan
    expect(await plan()).toMatchObject({ renews: true })
    expect(await gateway.cancelPlan({ ...session, role: 'member' })).toBe('no plan')
    expect(await gateway.cancelPlan(session)).toBe('cancelled')
    expect(await plan()).toMatchObject({ name: 'essential', renews: false })
  })

  test('the operator’s list has what waits, the oldest first, and who asked', async () => {
    await people.clock.advance(1)
    const person = await people.person('Waiting')
    const id = await chosen(person, { plan: 'pro' })
    const open = await listPayments(people.database, 'open')
    expect(open.at(-1)).toMatchObject({ id, account: { name: 'Waiting', email: person.email } })
    expect(open.every(({ state }) => state === 'open')).toBe(true)
  })

  test('where Stripe is not set up, its webhook is nowhere', async () => {
    expect(await gateway.webhook('{}', 't=1,v1=x')).toBe(404)
  })
})

describe('referrals', () => {
  const RULES = { holdDays: 30, perMonth: 20 }
  const DAY = 86_400
  const codeOf = async ({ session }: Person) =>
    (await referralOf(people.database, session.account.id))?.code
  const sweep = (rules = RULES) => giveRewards(people.database, rules)
  /** Rewards whatever was paid so far. */
  const rewardAll = async () => {
    await people.clock.advance(31 * DAY)
    await sweep()
  }
  /** Credits that an account got by referrals. */
  const earnedBy = async ({ session }: Person) => {
    const [row] = await people.sql<{ credits: number }[]>`
      select coalesce(sum(amount), 0)::integer as credits from credit_grants
       where account_id = ${session.account.id} and source = 'referral'`
    return row?.credits
  }

  test('the first payment of somebody who came by a link gives both their credits, and no other does', async () => {
    const referrer = await people.person('Referrer')
    const guest = await people.person('Guest', await codeOf(referrer))
    await accept(await chosen(guest, { topUp: 'small' }))
    const waiting = await referralOf(people.database, referrer.session.account.id)
    expect(waiting).toMatchObject({ joined: 1, waiting: 1, rewarded: 0 })
    await rewardAll()
    expect([await earnedBy(referrer), await earnedBy(guest)]).toEqual([250, 250])
    await accept(await chosen(guest, { plan: 'essential' }))
    await rewardAll()
    expect(await earnedBy(referrer)).toBe(250)
    const rewarded = await referralOf(people.database, referrer.session.account.id)
    expect(rewarded).toMatchObject({ joined: 1, waiting: 0, rewarded: 1 })
    const { grants } = (await creditsOf(people.database, referrer.session.account.id))!
    expect(grants.find(({ source }) => source === 'referral')).toMatchObject({
      amount: 250,
      expiresAt: null,
    })
  })

  test('nobody is rewarded before the payment can no longer be taken back', async () => {
    const referrer = await people.person('Referrer')
    const guest = await people.person('Guest', await codeOf(referrer))
    await accept(await chosen(guest, { topUp: 'small' }))
    await people.clock.advance(30 * DAY - 1)
    await sweep()
    expect([await earnedBy(referrer), await earnedBy(guest)]).toEqual([0, 0])
    await people.clock.advance(1)
    await sweep()
    expect([await earnedBy(referrer), await earnedBy(guest)]).toEqual([250, 250])
  })

  test('a payment that was taken back rewards nobody, and a later one may', async () => {
    const referrer = await people.person('Referrer')
    const guest = await people.person('Guest', await codeOf(referrer))
    const first = await chosen(guest, { topUp: 'small' })
    await accept(first)
    await people.sql`update payments set charged = 1000, reversed = 1000 where id = ${first}`
    await rewardAll()
    expect(await earnedBy(referrer)).toBe(0)
    await accept(await chosen(guest, { topUp: 'small' }))
    await rewardAll()
    expect(await earnedBy(referrer)).toBe(250)
  })

  test('of several payments that stand the credits hang on the oldest', async () => {
    const guest = await people.person('Guest', await codeOf(await people.person('Referrer')))
    const paid: string[] = []
    for (const _ of [1, 2, 3]) {
      const payment = await chosen(guest, { topUp: 'small' })
      await accept(payment)
      paid.push(payment)
      await people.clock.advance(DAY)
    }
    await people.sql`update payments set charged = 1000, reversed = 1000 where id = ${paid[0]!}`
    await rewardAll()
    const grants = await people.sql`
      select payment_id as payment from payment_grants b join credit_grants g on g.id = b.grant_id and g.source = 'referral'
       where payment_id in ${people.sql(paid)}`
    expect(grants.map(({ payment }) => payment)).toEqual([paid[1], paid[1]])
  })

  test('an account is rewarded for so many in a month, whoever sweeps; others wait for the next', async () => {
    await people.clock.set('2026-06-01T00:00:00.000Z')
    const referrer = await people.person('Referrer')
    const code = await codeOf(referrer)
    for (let count = 0; count < 7; count++) {
      const guest = await people.person('Guest', code)
      await accept(await chosen(guest, { topUp: 'small' }))
    }
    const rules = { holdDays: 0, perMonth: 3 }
    const sweeps = () => Promise.all([1, 2, 3, 4].map(() => sweep(rules)))
    const earned: (number | undefined)[] = []
    for (const day of ['2026-06-01', '2026-06-30', '2026-07-01', '2026-08-01', '2026-09-01']) {
      await people.clock.set(`${day}T00:00:00.000Z`)
      await sweeps()
      earned.push(await earnedBy(referrer))
    }
    expect(earned).toEqual([750, 750, 1_500, 1_750, 1_750])
  })

  test('the limit of a month holds beside another instance that rewards at the same moment', async () => {
    await people.clock.set('2026-06-01T00:00:00.000Z')
    const referrer = await people.person('Referrer')
    const code = await codeOf(referrer)
    const [one, other] = [await people.person('One', code), await people.person('Other', code)]
    await accept(await chosen(other, { topUp: 'small' }))
    const rules = { holdDays: 0, perMonth: 1 }
    const { end } = await people.sql.begin(async (sql) => {
      await sql`select from accounts where id = ${referrer.session.account.id} for update`
      await sql`
        update referrals set paid_at = meter_now(), credits = 250, rewarded_at = meter_now()
         where account_id = ${one.session.account.id}`
      const end = sweep(rules)
      const waiting = () =>
        people.sql`select from pg_locks where locktype = 'transactionid' and not granted`
      while ((await waiting()).length === 0) await Bun.sleep(5)
      return { end }
    })
    await end
    expect(await earnedBy(other)).toBe(0)
    // Nothing is due, so that a sweep ends.
    expect([...(await people.sql`select referral_reward_next('0', 1) as given`)]).toEqual([
      { given: false },
    ])
    await people.clock.set('2026-07-01T00:00:00.000Z')
    await sweep(rules)
    expect(await earnedBy(other)).toBe(250)
  })

  test('payments of one guest accepted at once reward once', async () => {
    const referrer = await people.person('Referrer')
    const guest = await people.person('Guest', await codeOf(referrer))
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => chosen(guest, { topUp: 'small' })),
    )
    await Promise.all(ids.map(accept))
    await people.clock.advance(31 * DAY)
    await Promise.all([sweep(), sweep(), sweep()])
    expect([await earnedBy(referrer), await earnedBy(guest)]).toEqual([250, 250])
  })

  test('a chain of people who pay at once is rewarded link by link, and nobody waits for ever', async () => {
    const chain = [await people.person('First')]
    for (let count = 0; count < 5; count++)
      chain.push(await people.person('Next', await codeOf(chain.at(-1)!)))
    const ids = await Promise.all(chain.map((person) => chosen(person, { topUp: 'small' })))
    await Promise.all(ids.map(accept))
    await people.clock.advance(31 * DAY)
    await Promise.all([sweep(), sweep(), sweep()])
    const earned = await Promise.all(chain.map(earnedBy))
    expect(earned).toEqual([250, 500, 500, 500, 500, 250])
  })

  test('a code of nobody, or none, gives nothing; nobody refers themselves', async () => {
    const guest = await people.person('Guest', 'nobodyscode1')
    await accept(await chosen(guest, { topUp: 'small' }))
    await rewardAll()
    expect(await earnedBy(guest)).toBe(0)
    const { id } = guest.session.account
    await expectRejection(
      (async () => people.sql`update referrals set referrer_id = ${id} where account_id = ${id}`)(),
    )
  })

  test('who had an account of the same mailbox was brought by nobody, also not by themselves', async () => {
    const referrer = await people.person('Referrer')
    const [name] = referrer.email.split('@')
    const again = { name: 'Again', password: PASSWORD, referral: await codeOf(referrer) }
    const email = `${name}+again@example.com`
    await people.unmailed.signUp({ ...again, email }, people.newAddress())
    const cookie = await signedIn(people.unmailed, email, PASSWORD, people.newAddress())
    const session = (await people.unmailed.session(requestWith(cookie)))!
    const guest = { email, session, cookie }
    expect(await balanceOf(guest)).toBe(0)
    await accept(await chosen(guest, { topUp: 'large' }))
    await rewardAll()
    expect([await earnedBy(referrer), await earnedBy(guest)]).toEqual([0, 0])
  })

  test('0 credits switch it off', async () => {
    const referrer = await people.person('Referrer')
    const guest = await people.person('Guest', await codeOf(referrer))
    await accepted(people.database, await chosen(guest, { topUp: 'small' }), {
      referralCredits: 0,
    })
    await rewardAll()
    expect([await earnedBy(referrer), await earnedBy(guest)]).toEqual([0, 0])
  })
})
