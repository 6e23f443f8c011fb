/** Plans and top-ups that the operator accepts, and referrals: chosen on a page, given by a command. */
import { describe, expect, test } from 'bun:test'
import { type Feature, PLANS, TIER_RULES, TOP_UPS, tierHas } from '../../src/contract/tiers.ts'
import { startPlan } from '../../src/money/accounts/credits.ts'
import { listPayments } from '../../src/money/payments/payments.ts'
import { giveRewards } from '../../src/money/payments/referrals.ts'
import { monthAfter } from '../../src/site/pages/billing/order.tsx'
import { formatDay } from '../../src/site/ui/text.tsx'
import { run } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { accepted } from '../money/payments/accepted.ts'
import { PASSWORD } from '../people/users/fixtures.ts'
import { factIn, formIn, numberIn, plansIn, tableIn, textIn } from './reading.ts'
import { csrfIn, type Person, sharedPostgresTown, type Visitor } from './visitor.ts'

const CHOICES = 'Orders, newest first'

const FEATURES: Readonly<Record<Feature, string>> = {
  csvExport: 'CSV export',
  bulkSearch: 'Bulk search',
  workspace: 'Shared workspace',
}

const { service, town } = sharedPostgresTown(fixtures, () => ({
  environment: { REFERRAL_CREDITS: '40' },
}))

/** Runs a command in a process of its own. */
async function operator(...args: string[]) {
  const { host, port, database, user, pass } = service.sql.options
  const DATABASE_URL = `postgres://${user}:${pass}@${host[0]}:${port[0]}/${database}`
  const { code, json } = await run([...args, '--json'], {
    env: { DATABASE_URL, REFERRAL_CREDITS: '40' },
  })
  return { code, ...json() }
}
/** The orders that wait. */
const openOf = async ({ accountId }: Person): Promise<string[]> => {
  const open = await listPayments(service.database, 'open')
  return open.filter((each) => each.accountId === accountId).map(({ id }) => id)
}
const choose = (visitor: Visitor, fields: Record<string, string>) =>
  visitor.submit('/credits', { idempotencyKey: crypto.randomUUID(), ...fields })
const balanceOf = (person: Person) => service.balance(person.accountId)

describe('the price list', () => {
  test('has the plans and top-ups of the table in code; choosing takes signing up', async () => {
    const page = await town.visitor().text('/credits')
    const plans = plansIn(page)
    expect(plans).toHaveLength(Object.keys(PLANS).length)
    for (const [i, plan] of Object.values(PLANS).entries()) {
      const { price, features, choice } = plans[i] ?? {}
      expect(price).toBe(
        plan.usdPerMonth === null ? 'Custom price' : `$${plan.usdPerMonth} a month`,
      )
      expect(choice).toBe('Sign up')
      const { rateLimit, rateSeconds } = TIER_RULES[plan.tier]
      expect(features).toContain(`${(rateLimit * 60) / rateSeconds} requests a minute`)
      for (const [feature, name] of Object.entries(FEATURES)) {
        const isListed = features?.includes(name)
        expect([name, isListed]).toEqual([name, tierHas(plan.tier, feature as Feature)])
      }
    }
    const topUps = tableIn(page, 'Top-ups').map(([, credits = '', usd]) => [numberIn(credits), usd])
    expect(topUps).toEqual(Object.values(TOP_UPS).map(({ credits, usd }) => [credits, `$${usd}`]))
    const sent = await choose(town.visitor(), { topUp: 'small' })
    expect(sent.status).toBe(403)
  })
})

describe('the page of an order', () => {
  const ordered = async (someone: Person, order: string) => {
    const page = await someone.text(`/credits/order?${order}`)
    return { page, text: textIn(page), form: formIn(page, '/credits') }
  }

  test('says price, credits and renewal before anything is sent, and its form is the order', async () => {
    const someone = await town.person()
    const topUp = await ordered(someone, 'topUp=medium')
    expect(factIn(topUp.page, 'You pay')).toBe('$45 once')
    expect(factIn(topUp.page, 'You get')).toStartWith('2,500 credits, which never expire')
    expect(factIn(topUp.page, 'Renews')).toStartWith('Never')
    const plan = await ordered(someone, 'plan=pro')
    expect(factIn(plan.page, 'You pay')).toBe('$99 a month')
    expect(factIn(plan.page, 'You get')).toStartWith('6,000 credits each month')
    expect(plan.text).not.toContain('What it replaces')
    expect(factIn((await ordered(someone, 'plan=enterprise')).page, 'You pay')).toBe(
      'price to be agreed',
    )
    expect(await openOf(someone)).toEqual([])
    const sent = await someone.post('/credits', topUp.form ?? [])
    expect(sent.headers.get('location')).toBe('/credits?payment=requested')
    expect(await openOf(someone)).toHaveLength(1)
    for (const wrong of ['', 'plan=free', 'plan=__proto__', 'topUp=huge']) {
      expect((await someone.get(`/credits/order?${wrong}`)).status).toBe(400)
    }
    const stranger = await town.visitor().get('/credits/order?plan=pro')
    expect(stranger.headers.get('location')).toBe(
      `/sign-in?returnUrl=${encodeURIComponent('/credits/order?plan=pro')}`,
    )
  })

  test('says what becomes of the plan that one has, of its credits, and what is lost', async () => {
    const someone = await town.person()
    await startPlan(service.database, someone.accountId, 'team', true)
    const { page, text } = await ordered(someone, 'plan=essential')
    expect(factIn(page, 'Your plan now')).toStartWith('Team, renews on')
    expect(text).toContain('Team ends when Essential begins')
    expect(text).toContain('Its 15,000 credits that are left stay yours until')
    expect(text).toContain('You lose bulk search and the shared workspace')
    const same = await ordered(someone, 'plan=team')
    expect([same.form, same.text]).toEqual([
      undefined,
      expect.stringContaining('This is your plan now.'),
    ])
    expect((await ordered(someone, 'topUp=small')).text).not.toContain('What it replaces')
  })

  test('an order that waits is named there and on the list, where its owner withdraws it', async () => {
    const someone = await town.person()
    await choose(someone, { plan: 'pro' })
    const again = await ordered(someone, 'plan=pro')
    expect([again.form, again.text]).toEqual([
      undefined,
      expect.stringContaining('it waits for the operator'),
    ])
    expect((await ordered(someone, 'topUp=small')).text).toContain(
      'You have other open orders: Pro plan.',
    )
    const list = await someone.text('/credits')
    expect(textIn(list)).toContain('Open orders Pro plan, $99 a month')
    const withdrawn = await someone.post('/credits', formIn(list, '/credits') ?? [])
    expect(withdrawn.headers.get('location')).toBe('/credits?payment=withdrawn#chosen')
    expect(textIn(await someone.text('/credits'))).not.toContain('Open orders')
    expect(await openOf(someone)).toEqual([])
  })

  test('of two windows that show it one order is made; sent again once it is withdrawn, nothing is said to be sent', async () => {
    const someone = await town.person()
    const windows = [await ordered(someone, 'plan=pro'), await ordered(someone, 'plan=pro')]
    for (const { form } of windows) await someone.post('/credits', form ?? [])
    const open = await openOf(someone)
    expect(open).toHaveLength(1)
    await someone.submit('/credits', { withdraw: open[0] ?? '' })
    const again = await someone.post('/credits', windows[0]?.form ?? [])
    expect(again.headers.get('location')).toBe('/credits?payment=known#chosen')
    expect(await openOf(someone)).toEqual([])
    // Loaded anew it is another order.
    await someone.post('/credits', (await ordered(someone, 'plan=pro')).form ?? [])
    expect(await openOf(someone)).toHaveLength(1)
  })

  test('the month after a day is the same day of it, or its last', () => {
    const after = (day: string) => monthAfter(new Date(`${day}T12:00:00Z`)).slice(0, 10)
    expect(['2026-01-31', '2028-01-30', '2026-12-31', '2026-06-15'].map(after)).toEqual([
      '2026-02-28',
      '2028-02-29',
      '2027-01-31',
      '2026-07-15',
    ])
  })
})

describe('a receipt', () => {
  test('says number, date, account, amount and credits of what was paid, to its account alone', async () => {
    const [someone, other] = [await town.person('Ada'), await town.person('Eve')]
    await choose(someone, { topUp: 'medium' })
    const [id = ''] = await openOf(someone)
    const path = `/credits/receipts/${id}`
    expect((await someone.get(path)).status).toBe(404)
    await accepted(service.database, id, { referralCredits: 0 })
    expect(await someone.text('/credits')).toContain(`href="${path}"`)
    const page = await someone.text(path)
    const [paid] = await service.sql<{ day: string }[]>`
      select to_char(decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as day from payments where id = ${id}`
    const facts = [
      'Number',
      'Date (UTC)',
      'Account',
      'E-mail',
      'For',
      'Credits',
      'Amount',
      'Paid through',
    ]
    expect(facts.map((name) => factIn(page, name))).toEqual([
      id,
      formatDay(paid?.day ?? ''),
      'Ada',
      someone.email,
      'Medium top-up',
      '2,500',
      '$45.00',
      'The operator',
    ])
    expect(factIn(page, 'Paid back')).toBeUndefined()
    await service.sql`update payments set charged = 4500, reversed = 2250 where id = ${id}`
    expect(factIn(await someone.text(path), 'Paid back')).toBe('$22.50 of $45.00')
    expect((await other.get(path)).status).toBe(404)
    expect((await someone.get('/credits/receipts/x')).status).toBe(404)
    expect((await town.visitor().get(path)).headers.get('location')).toStartWith('/sign-in')
  })
})

describe.concurrent('what is chosen', () => {
  test('waits for the operator, is given by the command once, and is on the page each time', async () => {
    const someone = await town.person()
    const chosen = await choose(someone, { topUp: 'medium' })
    expect(chosen.headers.get('location')).toBe('/credits?payment=requested')
    const waiting = await someone.text('/credits?payment=requested')
    expect(textIn(waiting)).toContain('Your order was sent to the operator.')
    expect(tableIn(waiting, CHOICES).map((row) => row.slice(1))).toEqual([
      ['Top-up: medium', '2,500', '$45', 'Waiting'],
    ])
    expect(tableIn(waiting, 'Top-ups')[1]?.at(-1)).toBe('Waiting')
    expect(await balanceOf(someone)).toBe(250)

    const [id = ''] = await openOf(someone)
    expect(await operator('payments', 'accept', id)).toMatchObject({ code: 0, state: 'accepted' })
    expect(await balanceOf(someone)).toBe(2_750)
    expect((await operator('payments', 'accept', id)).code).toBe(1)
    expect(await balanceOf(someone)).toBe(2_750)
    expect(tableIn(await someone.text('/credits'), CHOICES)[0]?.at(-1)).toStartWith('Accepted')
    expect(factIn(await someone.text('/balance'), 'Top-up')).toBe('2,500 of 2,500, never expires')
  })

  test('a plan begins with its acceptance: tier, credits and what comes with it', async () => {
    const someone = await town.person()
    await choose(someone, { plan: 'pro' })
    expect(textIn(await someone.text('/bulk-search'))).toContain('It comes with Pro')
    const [id = ''] = await openOf(someone)
    await operator('payments', 'accept', id, '--renews')
    expect(await balanceOf(someone)).toBe(250 + PLANS.pro.credits)
    expect(await someone.text('/bulk-search')).toContain('<textarea')
    expect(plansIn(await someone.text('/credits'))[1]?.name).toBe('Pro Current')
    expect(textIn(await someone.text('/balance'))).toContain('Renews on')
  })

  test.each([
    [{ plan: 'free' }, 400],
    [{ plan: '__proto__' }, 400],
    [{ topUp: 'huge' }, 400],
    [{}, 400],
    [{ topUp: 'small', idempotencyKey: 'x' }, 400],
    [{ topUp: 'small', csrf: 'forged' }, 403],
  ] as [Record<string, string>, number][])('%j is refused with %i', async (fields, status) => {
    const someone = await town.person()
    const form = {
      csrf: csrfIn(await someone.text('/credits')),
      idempotencyKey: crypto.randomUUID(),
    }
    const answer = await someone.post('/credits', Object.entries({ ...form, ...fields }))
    expect(answer.status).toBe(status)
    expect(await openOf(someone)).toEqual([])
  })

  test('is the owner’s to choose: a member is told so and opens no request', async () => {
    const [host, guest] = [await town.person('Host'), await town.person('Guest')]
    await choose(host, { plan: 'team' })
    const [id = ''] = await openOf(host)
    await operator('payments', 'accept', id)
    const { text } = await host
      .submit('/workspace', { action: 'invite', label: 'Guest' })
      .then(async (answer) => ({ text: await answer.text() }))
    const [, link = ''] = /(\/invitation\?token=[\w-]+)/.exec(text) ?? []
    await guest.submit(link, { token: link.split('=')[1] ?? '' })
    const page = await guest.text('/credits')
    expect(tableIn(page, 'Top-ups').map((row) => row.at(-1))).toEqual(
      Object.keys(TOP_UPS).map(() => 'the owner chooses'),
    )
    const form = { csrf: csrfIn(page), idempotencyKey: crypto.randomUUID(), topUp: 'small' }
    const refused = await guest.post('/credits', Object.entries(form))
    expect(refused.status).toBe(403)
    const said =
      'This order was not accepted Nothing was charged. Only the owner of a workspace can'
    expect(textIn(await refused.text())).toContain(said)
    expect(await openOf(host)).toEqual([])
  })
})

describe('a referral', () => {
  test('is counted when they sign up, and credited to both for their first payment, once', async () => {
    const referrer = await town.person('Referrer')
    const before = await referrer.text('/referral')
    expect(textIn(before)).toContain('both of you get 40 credits')
    const [, code = ''] = /\/sign-up\?ref=([\w-]+)/.exec(before) ?? []
    const guest = town.visitor()
    const email = 'brought@example.com'
    await guest.submit(`/sign-up?ref=${code}`, {
      name: 'Bea',
      email,
      password: PASSWORD,
      ref: code,
    })
    const facts = async () => {
      const page = await referrer.text('/referral')
      return [
        'Friends who signed up',
        'Friends whose credits are on their way',
        'Friends who brought credits',
        'Credits earned',
      ].map((name) => factIn(page, name))
    }
    expect(await facts()).toEqual(['1', '0', '0', '0'])

    for (const topUp of ['small', 'medium']) {
      await choose(guest, { topUp })
      const { payments } = await operator('payments', 'list', '--state', 'open')
      await operator('payments', 'accept', payments.at(-1).id)
      expect(await facts()).toEqual(['1', '1', '0', '0'])
    }
    await giveRewards(service.database, { holdDays: 0, perMonth: 20 })
    expect(await facts()).toEqual(['1', '0', '1', '40'])
    expect(await balanceOf(referrer)).toBe(290)
    expect(factIn(await guest.text('/balance'), 'Referral')).toBe('40 of 40, never expires')
  })
})
