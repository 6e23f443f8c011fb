/** The operator's pages in Chromium: they fit, axe finds nothing on them, and every form works without script. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { noteAccount, resumeAccount, suspendAccount } from '../../src/console/acts/accounts.ts'
import { perform } from '../../src/console/acts/perform.ts'
import { giveOperator } from '../../src/console/acts/users.ts'
import { createKey } from '../../src/money/accounts/keys.ts'
import { openPayment } from '../../src/money/payments/payments.ts'
import { newRecoveryCodes } from '../../src/people/users/second-factor-codes.ts'
import { ADA, AURORA, BOREALIS } from '../helpers/fixtures.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { lookAt } from './looks.ts'
import { PASSWORD, signUp, startTravel, type Traveller } from './traveller.ts'

const site = sharedSite()
const NARROW = { width: 360, height: 740 }
const COMMAND = { via: 'command', userId: null, who: 'root', address: null } as const
const REASON = 'The invoice of May is not paid. Pay it, and everything goes on as before.'

interface Member {
  id: string
  accountId: string
}

async function memberOf(email: string): Promise<Member> {
  const [row] = await site.test.sql<Member[]>`
    select u.id, m.account_id as "accountId" from users u join members m on m.user_id = u.id
     where u.email = ${email}`
  return row ?? { id: '', accountId: '' }
}

let customer: Member
/** Recovery codes of whoever was made an operator last. */
let codes: string[]

/** Signs somebody up who is made an operator, with a second factor. */
async function becomeOperator(traveller: Traveller, email: string): Promise<void> {
  await signUp(traveller, { name: 'Olga', email })
  const { id } = await memberOf(email)
  await perform(site.test.database, COMMAND, giveOperator, id)
  await traveller.go('/operator')
  expect(await traveller.page.textContent('h1')).toBe('Two-step sign-in comes first')
  const made = newRecoveryCodes()
  codes = made.codes
  await site.test.sql`
    insert into second_factors (user_id, secret, session_id, begun_at, on_since)
    values (${id}, 'JBSWY3DPEHPK3PXP', gen_random_uuid(), now(), now())`
  for (const hash of made.hashes)
    await site.test.sql`insert into recovery_codes (user_id, hash) values (${id}, ${hash})`
}

async function prove({ fill }: Traveller) {
  await fill('Your password', PASSWORD)
  await fill('Code', codes.pop() ?? '')
}

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  beforeAll(async () => {
    const traveller = await startTravel(site)
    const email = 'a.customer.with.quite.a.long.address@customers-of-chainkin.example'
    await signUp(traveller, { name: 'Maximiliane von und zu Hohenstein-Waldenburg', email })
    await traveller.close()
    customer = await memberOf(email)
    for (const topUp of ['small', 'medium', 'large'] as const)
      await openPayment(site.test.database, customer.accountId, customer.id, { topUp })
    for (const label of ['laptop', 'production-of-everything-that-we-do'])
      await createKey(site.test.database, customer.accountId, label, ['read:metadata'])
  })

  test('they break no rule of the policy, fit, and axe finds nothing', async () => {
    const traveller = await startTravel(site)
    const { page, wrongs, close, go } = traveller
    const look = async (path: string) => {
      await go(path)
      const what = path.replace(customer.accountId, 'account')
      await lookAt(page, what)
      await page.setViewportSize(NARROW)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect([what, width]).toEqual([what, NARROW.width])
    }
    await becomeOperator(traveller, 'olga@example.com')
    await look('/operator')
    await look('/operator/accounts')
    await look(`/operator/accounts/${customer.accountId}`)
    await look(`/operator/confirm?act=key.revoke-all&on=${customer.accountId}`)
    const { accountId } = customer
    await perform(site.test.database, COMMAND, suspendAccount, accountId, { reason: REASON })
    await perform(site.test.database, COMMAND, noteAccount, accountId, { text: 'Called twice.' })
    await look('/operator/accounts?show=suspended&sort=name')
    await go(`/operator/accounts/${accountId}`)
    await page.setViewportSize(NARROW)
    const { height } = (await page.locator('aside[aria-label=Suspension]').boundingBox()) ?? {}
    expect(height).toBeLessThan(NARROW.height / 2)
    await page.locator('details.folded').evaluateAll((all) => {
      for (const each of all) each.setAttribute('open', '')
    })
    await lookAt(page, 'account, suspended and unfolded')
    await perform(site.test.database, COMMAND, resumeAccount, accountId)
    await look('/operator/payments')
    await look('/operator/audit')
    await look('/operator/directory?kind=person')
    await look(`/operator/directory/people/${ADA.id}`)
    await look(`/operator/directory/merge?kind=company&id=${AURORA.id}&other=${BOREALIS.id}`)
    const [request] = await site.test.sql`
      insert into privacy_requests (kind, state, email, person, details, asked_at)
      values ('remove', 'open', 'asks@example.com', 'ada-ashford', 'Please', now()) returning id`
    await look('/operator/directory/requests')
    await look(`/operator/directory/requests/${request?.id}`)
    await look(`/operator/confirm?act=privacy.erase&on=${request?.id}&of=${ADA.id}`)
    await look('/operator/directory/journal')
    expect(wrongs).toEqual([])
    await close()
  })

  test('without script an order is accepted, credits are given and taken back, and keys revoked', async () => {
    const traveller = await startTravel(site, { javaScriptEnabled: false, viewport: NARROW })
    const { page, close, go, fill, press } = traveller
    await becomeOperator(traveller, 'plain@example.com')
    const said = () => page.textContent('.notice')
    await go('/operator/payments')
    await page.getByRole('checkbox', { name: /^Small top-up/ }).check()
    await press('Accept as paid')
    expect(await said()).toContain('1 order was accepted')
    await go('/operator/accounts')
    await page.locator('[name=q][maxlength="254"]').fill('waldenburg')
    await press('Search')
    await page.locator('.table a').first().click()
    await page.locator('summary', { hasText: 'Give credits' }).click()
    await fill('Credits', '40')
    await press('Give credits')
    expect(await said()).toContain('The credits are given.')
    await page.locator('.facts a[aria-label*="40"]').click()
    await prove(traveller)
    await press('Take back')
    expect(await said()).toContain('The credits are taken back.')
    await press('Revoke all 2', 'link')
    await prove(traveller)
    await press('Revoke all')
    expect(await said()).toContain('Revoked')
    const lines = await site.test.sql`
      select act from audit_log where account_id = ${customer.accountId} and via = 'page' order by sequence`
    expect(lines.map(({ act }) => act)).toEqual([
      ...['payment.accept', 'credits.grant', 'credits.take-back', 'key.revoke', 'key.revoke'],
    ])
    await close()
  })

  test('members of a suspended account read why on every page, which fits, and are offered no reveal', async () => {
    const traveller = await startTravel(site)
    const { page, wrongs, close, go } = traveller
    await signUp(traveller, { name: 'Sue', email: 'sue@example.com' })
    const { accountId } = await memberOf('sue@example.com')
    await perform(site.test.database, COMMAND, suspendAccount, accountId, { reason: REASON })
    for (const path of ['/overview', `/people/${ADA.slug}`, '/people', '/credits']) {
      await go(path)
      expect(await page.textContent('aside.suspension')).toContain(REASON)
      expect(await page.getByRole('button', { name: /^Reveal/ }).count()).toBe(0)
      await lookAt(page, `suspended ${path}`)
    }
    expect(wrongs).toEqual([])
    await close()
  })
})
