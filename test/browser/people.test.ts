/** Pages of a signed-in user in Chromium. */
import { describe, expect, test } from 'bun:test'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { ADA } from '../helpers/fixtures.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { lookAt } from './looks.ts'
import { signUp, startTravel } from './traveller.ts'

const site = sharedSite()

/** Somebody new who is signed in, on the page that makes keys. */
async function arrive(email: string) {
  const traveller = await startTravel(site)
  await signUp(traveller, { name: 'Ada Ashford', email })
  await traveller.page.waitForURL('**/overview')
  await traveller.page.goto(`${site.server.appUrl}/keys`)
  return traveller
}

/** The narrowest window that pages are made for. */
const NARROW = { width: 360, height: 740 }

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('in the narrowest window the header and the button that names a price have a line each', async () => {
    const traveller = await startTravel(site)
    const { page, close, go } = traveller
    await signUp(traveller, { name: 'Maximiliane Hohenstein', email: 'narrow@example.com' })
    await page.setViewportSize(NARROW)
    await go(`/people/${ADA.slug}`)
    const heights = await page.evaluate(() => {
      const middleOf = (it: Element) => it.getBoundingClientRect().top + it.clientHeight / 2
      const shown = document.querySelectorAll('.brand, .find, .account')
      const lines = Array.from(shown, (it) => Math.round(middleOf(it) / 20))
      const button = document.querySelector('.head .button')
      return { lines: new Set(lines).size, button: button?.clientHeight ?? 0 }
    })
    expect(heights).toEqual({ lines: 1, button: expect.any(Number) })
    expect(heights.button).toBeLessThan(50)
    await close()
  })

  test('pages of one’s own break no rule of the policy, fit, and axe finds nothing', async () => {
    const { page, wrongs, close, press } = await arrive('own@example.com')
    const [row] = await site.test.sql`select id from accounts where email = 'own@example.com'`
    const looks = (what: string) => lookAt(page, what)
    await page.goto(`${site.server.appUrl}/overview`)
    await looks('overview with first steps')
    await page.goto(`${site.server.appUrl}/requests`)
    await looks('requests before the first')
    await page.goto(`${site.server.appUrl}/keys`)
    await looks('keys before the first')
    await press('Create key')
    await looks('the key, shown once')
    await page.goto(`${site.server.appUrl}/keys`)
    await looks('keys')
    await press('Revoke My first key', 'link')
    await looks('revoke')
    await page.goto(`${site.server.appUrl}/keys`)
    await press('Rotate My first key', 'link')
    await looks('rotate')
    await page.goto(`${site.server.appUrl}/settings`)
    await page.locator('details.account summary').click()
    await looks('settings, with the menu open')
    await page.goto(`${site.server.appUrl}/workspace`)
    await looks('workspace, not in the plan')
    await setAccount(site.test.database, row?.id, { tier: 'team', organization: 'Ember Labs' })
    await page.goto(`${site.server.appUrl}/workspace`)
    await page.getByLabel('Name of the invitation').fill('Ben')
    await press('Create invitation link')
    await looks('invitation, made')
    const link = (await page.textContent('[data-copy] code')) ?? ''
    await page.goto(`${site.server.appUrl}/workspace`)
    await looks('workspace')
    await page.goto(link)
    await looks('invitation')
    await page.goto(`${site.server.appUrl}/sign-out`)
    await looks('sign-out')
    expect(wrongs).toEqual([])
    await close()
  })

  test('the account menu closes with Escape and with a click elsewhere', async () => {
    const { page, close } = await arrive('menu@example.com')
    const menu = page.locator('details.account')
    await menu.locator('summary').click()
    await page.keyboard.press('Escape')
    expect(await menu.getAttribute('open')).toBeNull()
    await menu.locator('summary').click()
    await page.locator('h1').click()
    expect(await menu.getAttribute('open')).toBeNull()
    await close()
  })
})
