/** The way back in Chromium: to what was bought, with Back and by loading again, and to what was written when a session ended. */
import { describe, expect, test } from 'bun:test'
import { importRows } from '../../src/intake/import/import.ts'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { ADA, BEN } from '../helpers/fixtures.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { DESK, lookAt } from './looks.ts'

const PASSWORD = 'correct horse battery'
const site = sharedSite()

/** Somebody new who is signed in, on a plan with bulk search. */
async function arrive(email: string) {
  const { page, wrongs, close } = await site.open('/sign-up', { viewport: DESK })
  await page.getByLabel('Name', { exact: true }).fill('Ada Ashford')
  await page.getByLabel('E-mail', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.locator('main').getByRole('button').click()
  await page.waitForURL('**/overview')
  const { database, sql } = site.test
  const [row] = await sql`select id from accounts where email = ${email}`
  await setAccount(database, row?.id, { tier: 'pro' })
  const go = (path: string) => page.goto(site.server.appUrl + path)
  const charged = async () => {
    const [sum] = await sql`
      select coalesce(-sum(credits), 0)::integer as credits from ledger
       where account_id = ${row?.id} and kind = 'charge'`
    return sum?.credits
  }
  return { page, wrongs, close, go, charged, accountId: row?.id }
}

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('Back from a match leads to the answers of a bulk search, and again to its price; nothing is sent or charged again', async () => {
    const { page, wrongs, close, go, charged } = await arrive('bulk@example.com')
    await go('/bulk-search')
    const lines = 'Ada Ashford\naurora\nada  ashford\nqwrtz xyzzy'
    await page.getByLabel('Lines', { exact: true }).fill(lines)
    await page.getByRole('button', { name: 'See price' }).click()
    await lookAt(page, 'bulk search, its price with a repeated line')
    await page.getByRole('button', { name: /^Search 15 credits/ }).click()
    await page.getByText('10 credits were charged.').waitFor()
    await lookAt(page, 'bulk search, answers')
    await page.getByRole('link', { name: 'Ada Ashford' }).first().click()
    await page.waitForURL(`**/people/${ADA.slug}`)
    await page.goBack()
    await page.getByRole('heading', { name: 'All lines answered' }).waitFor()
    expect(await page.locator('[aria-label^="Table: matches"] tbody tr').count()).toBe(3)
    await page.reload()
    await page.getByText('Nothing more was charged').waitFor()
    await page.goBack()
    await page.waitForLoadState()
    expect(await page.textContent('main')).not.toContain('Confirm Form Resubmission')
    expect([await charged(), wrongs]).toEqual([10, []])
    await close()
  })

  test('Back leads to several people who were revealed, and nothing is charged again', async () => {
    const { page, wrongs, close, go, charged } = await arrive('several@example.com')
    await go(`/reveal?ids=${ADA.id}&ids=${BEN.id}`)
    await page.getByRole('button', { name: /^Reveal/ }).click()
    await page.getByText(/credits were charged/).waitFor()
    const paid = await charged()
    await lookAt(page, 'several people revealed')
    await page.getByRole('link', { name: 'Ada Ashford' }).first().click()
    await page.waitForURL(`**/people/${ADA.slug}`)
    await page.goBack()
    await page.getByText(ADA.email).first().waitFor()
    await page.reload()
    await page.getByText(ADA.email).first().waitFor()
    expect([await charged(), wrongs]).toEqual([paid, []])
    await close()
  })

  test('what was written when the session ended is there after signing in', async () => {
    const { page, wrongs, close, go } = await arrive('writer@example.com')
    await go('/lists')
    const name = 'Investors to meet in Lisbon'
    await page.locator('main').getByRole('textbox').first().fill(name)
    await site.test.sql`
      delete from sessions s using users u where u.id = s.user_id and u.email = 'writer@example.com'`
    await page.locator('main').getByRole('textbox').first().press('Enter')
    await page.waitForURL('**/sign-in?**')
    await lookAt(page, 'sign in after a session ended')
    await page.getByLabel('E-mail', { exact: true }).fill('writer@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.locator('main').getByRole('button').click()
    await page.waitForURL('**/unsent?**')
    await lookAt(page, 'a form that was not sent')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText(name).first().waitFor()
    expect(wrongs).toEqual([])
    await close()
  })

  test('a value beyond the most frequent is found by a search within its facet, which keeps the focus', async () => {
    const companies = Array.from({ length: 80 }, (_, i) => ({
      externalId: `facet-${i}`,
      name: `Facet ${i}`,
      companyType: 'project',
      sectors: Array.from({ length: i === 0 ? 1 : 3 }, (_, n) => `Sector ${(i + n) % 80}x`),
    }))
    await importRows(site.test.database, 'companies', companies)
    const { page, close } = await site.open('/projects', { viewport: DESK })
    await page.waitForFunction(() => document.documentElement.classList.contains('live'))
    await page.goto(`${site.server.appUrl}/projects?more=sector`)
    await lookAt(page, 'a facet with a search')
    const within = page.getByLabel('Search within Sector')
    await within.fill('sector 7x')
    await within.press('Enter')
    await page.waitForURL('**within=**')
    const boxes = page.locator('#facet-sector input[type=checkbox]')
    expect(await boxes.count()).toBe(1)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('within')
    await close()
  })
})
