/** The pages of money in Chromium: what they look like in each state, and that their ways lead on. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { SCOPES } from '../../src/contract/endpoints.ts'
import type { Tier } from '../../src/contract/tiers.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits, startPlan } from '../../src/money/accounts/credits.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { get } from '../helpers/command.ts'
import { ADA, AURORA, BEN, crowd } from '../helpers/fixtures.ts'
import { accepted } from '../money/payments/accepted.ts'
import {
  checkoutEvent,
  type FakeStripe,
  SECRET_KEY,
  signed,
  startFakeStripe,
  WEBHOOK_SECRET,
} from '../money/payments/fake-stripe.ts'
import { CHROMIUM, type Site, startSite } from './chromium.ts'
import { CARD_HEIGHT, DESK, highestRow, lookAt, PHONE } from './looks.ts'

const PASSWORD = 'correct horse battery'
const CHECKOUT = 'https://checkout.stripe.test/pay'

let site: Site
let paid: Site
let stripe: FakeStripe

beforeAll(async () => {
  if (!CHROMIUM) return
  stripe = await startFakeStripe()
  ;[site, paid] = await Promise.all([
    startSite(),
    startSite({
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_URL: stripe.url,
    }),
  ])
  await crowd(site.test.database, 450)
})

afterAll(async () => {
  if (CHROMIUM) await Promise.all([site.stop(), paid.stop(), stripe.stop()])
})

/** Somebody new who is signed in, on an account of this tier with so many credits beside the trial's. */
async function arrive(at: Site, email: string, tier: Tier = 'free', credits = 0) {
  const watched = await at.open('/sign-up', { viewport: DESK })
  const { page } = watched
  const click = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
    await page.getByRole(role, { name }).first().click()
    await page.waitForLoadState()
  }
  await page.getByLabel('Name', { exact: true }).fill('Ada Ashford')
  await page.getByLabel('E-mail', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.locator('main').getByRole('button').click()
  await page.waitForURL('**/overview')
  const { database, sql } = at.test
  const [row] = await sql`select id from accounts where email = ${email}`
  const id: string = row?.id
  await setAccount(database, id, { tier })
  if (credits > 0) await grantCredits(database, id, credits, 'topup')
  const go = (path: string) => page.goto(at.server.appUrl + path)
  const looks = (what: string) => lookAt(page, what)
  return { ...watched, id, click, go, looks }
}

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('credits, ledger, plans and referral break no rule of the policy, fit, and axe finds nothing', async () => {
    const { page, wrongs, close, id, click, go, looks } = await arrive(site, 'credits@example.com')
    const { database } = site.test
    await go('/balance')
    await looks('credits of a new account')
    await startPlan(database, id, 'pro', true)
    const { key } = await createKey(database, id, 'A label that goes on for quite a while', SCOPES)
    const paths = [
      'people',
      `people/${ADA.slug}`,
      'projects',
      'investors',
      'services',
      'search?q=a',
    ]
    for (const path of [...paths, ...paths, `projects/${AURORA.slug}`, 'people', 'people']) {
      expect((await get(`${site.server.apiUrl}/v1/${path}`, key)).status).toBe(200)
    }
    await go('/balance')
    await page.getByText('The same as a table').click()
    await looks('credits')
    await page.setViewportSize(PHONE)
    expect(await highestRow(page, 'Transactions')).toBeLessThan(CARD_HEIGHT)
    const chart = page.locator('.chart')
    expect(await chart.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0)
    await page.setViewportSize(DESK)
    expect((await get(`${site.server.apiUrl}/v1/search`, key)).status).toBe(400)
    await go('/overview')
    await page.getByText('The same as a table').click()
    await looks('overview with calls')
    await click('All requests', 'link')
    await looks('requests')
    await page.setViewportSize(PHONE)
    await page.locator('.cure').evaluateAll((all) => all.map((cure) => cure.remove()))
    expect(await highestRow(page, 'Requests')).toBeLessThan(CARD_HEIGHT)
    await page.setViewportSize(DESK)
    await go('/balance')
    await click('Low-balance mails', 'link')
    await page.getByLabel('Amount 1, in credits').fill('many')
    await click('Set amounts')
    await looks('low-balance mails, refused')
    await page.getByLabel('Amount 1, in credits').fill('1,000,000')
    await click('Set amounts')
    await looks('low-balance mails, below one')
    await go('/balance')
    await page.getByLabel('Endpoint', { exact: true }).selectOption('/v1/people')
    await click('Filter', 'button')
    expect(await page.locator('[aria-label^="Table: Transactions"] tbody tr').count()).toBe(4)
    await looks('ledger, filtered')
    await go('/balance/stop-plan')
    await looks('stop the plan')
    await click('Cancel plan')
    await looks('credits, plan stopped')
    await go('/credits')
    await page.setViewportSize(PHONE)
    const team = page.locator('.plans > li:has-text("Team")')
    const places = team.locator(':is(h3, .figure, li, .button)')
    const tops = await places.evaluateAll((all) => all.map((it) => it.getBoundingClientRect().y))
    // Name and price in one line, and the button below all that it buys.
    expect(Math.abs((tops[0] ?? 0) - (tops[1] ?? 0))).toBeLessThan(20)
    expect(tops.at(-1)).toBeGreaterThan(Math.max(...tops.slice(0, -1)))
    await page.setViewportSize(DESK)
    await click(/^Choose Team/, 'link')
    await looks('order of another plan')
    await go('/credits')
    await click(/^Choose 2,500 credits/, 'link')
    await looks('order of a top-up')
    await click(/^Send order/)
    await looks('plans, one requested')
    const [order] = await site.test.sql`select id from payments where account_id = ${id}`
    await accepted(database, order?.id, { referralCredits: 0 })
    await go(`/credits/receipts/${order?.id}`)
    await looks('receipt')
    await go('/referral')
    await looks('referral')
    expect(wrongs).toEqual([])
    await close()
  })

  test('exports and bulk searches do, in each of their states', async () => {
    const free = await arrive(site, 'free@example.com')
    await free.go('/export/people')
    await free.looks('export, not in the plan')
    await free.go('/bulk-search')
    await free.looks('bulk search, not in the plan')
    expect(free.wrongs).toEqual([])
    await free.close()

    const { page, wrongs, close, click, go, looks } = await arrive(site, 'pro@example.com', 'pro')
    await go('/people?q=xu')
    await click('Export as CSV', 'link')
    await looks('export')
    const saving = page.waitForEvent('download')
    await click('Download')
    const file = await (await saving).path()
    expect((await readFile(file, 'utf8')).trimEnd().split('\r\n')).toHaveLength(451)
    await click('what this export cost', 'link')
    expect(await page.textContent('#ledger ~ *')).not.toBe('')
    expect(await page.locator('[aria-label^="Table: Transactions"] tbody tr').count()).toBe(1)
    await go('/bulk-search')
    await looks('bulk search')
    await click('See price')
    await looks('bulk search, nothing put in')
    await page
      .getByLabel('Lines', { exact: true })
      .fill(`Ada Ashford\naurora\n${'no such name '.repeat(14)}`)
    await click('See price')
    await looks('bulk search, price')
    await click(/^Search 15 credits/)
    await page.getByRole('heading', { name: 'All lines answered' }).waitFor()
    await looks('bulk search, result')
    const csv = page.waitForEvent('download')
    await click('Download as CSV', 'link')
    expect(await readFile(await (await csv).path(), 'utf8')).toContain(ADA.id)
    await go('/bulk-search')
    await page
      .getByLabel('Lines', { exact: true })
      .fill(
        Array.from({ length: 60 }, (_, i) => `Member ${String(i + 1).padStart(4, '0')}`).join('\n'),
      )
    await click('See price')
    await looks('bulk search, credits too few')
    await click(/^Search/)
    await page.getByText('Your credits ran out.').waitFor()
    await looks('bulk search, credits ended')
    await go('/export/people')
    await looks('export, no credits')
    expect(wrongs).toEqual([])
    await close()
  })

  test('profiles do, before and after a reveal, and where credits end', async () => {
    const { page, wrongs, close, go, click, looks, id } = await arrive(site, 'reader@example.com')
    await go(`/people/${ADA.slug}`)
    await looks('person, locked')
    await click(/^Reveal/)
    expect(await page.textContent('main')).toContain(ADA.email)
    await looks('person, revealed')
    await page.reload()
    expect(await page.textContent('main')).toContain('charged before')
    await go(`/people/${ADA.slug}`)
    await looks('person, unlocked')
    await go(`/projects/${AURORA.slug}`)
    expect(await page.textContent('main')).toContain(ADA.email)
    await looks('company, channels of one')
    await site.test.sql`update credit_grants set remaining = 4 where account_id = ${id}`
    await site.test.sql`
      insert into ledger (account_id, at, kind, credits, balance_after)
      select id, meter_now(), 'reversal', 4 - balance, 4 from accounts where id = ${id}`
    await site.test.sql`update accounts set balance = 4 where id = ${id}`
    await go(`/people/${BEN.slug}`)
    await click(/^Reveal/)
    expect(await page.textContent('[role=alert]')).toContain('Nothing was charged')
    await looks('person, credits too few')
    expect(wrongs).toEqual([])
    await close()
  })

  test('choosing leads to Checkout and back without a violation of the policy; credits come by the webhook', async () => {
    const { page, wrongs, close, go, id } = await arrive(paid, 'payer@example.com')
    await page.route(`${CHECKOUT}**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Checkout</title>' }),
    )
    await go('/credits')
    await page.getByRole('link', { name: /^Choose 500 credits/ }).click()
    await page.getByRole('button', { name: /^Continue to Stripe/ }).click()
    await page.waitForURL(CHECKOUT)
    await go('/credits?payment=done')
    await lookAt(page, 'plans, back from Checkout')
    const [payment] = await paid.test.sql`select id from payments where account_id = ${id}`
    const [body, signature] = await signed(checkoutEvent(payment?.id))
    const headers = { 'stripe-signature': signature }
    const answer = await fetch(`${paid.server.appUrl}/webhooks/stripe`, {
      method: 'POST',
      body,
      headers,
    })
    expect(answer.status).toBe(200)
    await go('/balance')
    expect(await page.textContent('.figure')).toContain('750')
    expect(wrongs.filter((wrong) => !wrong.includes(CHECKOUT))).toEqual([])
    await close()
  })
})
