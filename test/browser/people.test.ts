/** A stranger's way to a first call in Chromium, and what their own pages are like. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { setAccount } from '../../src/accounts/accounts.ts'
import { get } from '../helpers/command.ts'
import { CHROMIUM, type Site, startSite } from './chromium.ts'
import { DESK, lookAt } from './looks.ts'

const PASSWORD = 'correct horse battery'

let site: Site

beforeAll(async () => {
  if (CHROMIUM) site = await startSite()
}, 60_000)

afterAll(async () => {
  if (CHROMIUM) await site.stop()
}, 30_000)

/** Signs up and in, as far as the page that makes keys; counts what a person does. */
async function arrive(email: string, options = {}) {
  const watched = await site.open('/', { viewport: DESK, ...options })
  const { page } = watched
  const done = { clicks: 0, fields: 0 }
  const click = async (name: string, role: 'button' | 'link' = 'button') => {
    done.clicks++
    await page.getByRole(role, { name, exact: true }).first().click()
    await page.waitForLoadState()
  }
  const fill = async (label: string, value: string) => {
    done.fields++
    await page.getByLabel(label, { exact: true }).fill(value)
  }
  await click('Make an account', 'link')
  await fill('Name', 'Ada Ashford')
  await fill('E-mail', email)
  await fill('Password', PASSWORD)
  await click('Make an account')
  await fill('Password', PASSWORD)
  await click('Sign in')
  await page.waitForURL('**/keys')
  return { ...watched, done, click, fill }
}

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('from the first page to a key that answers: 5 clicks and 4 fields, and no copy of the key stays', async () => {
    const { page, wrongs, done, click, close } = await arrive('first@example.com', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await click('Make the key')
    await page.locator('[data-copy]').nth(1).getByRole('button', { name: 'Copy' }).click()
    done.clicks++
    expect(done).toEqual({ clicks: 5, fields: 4 })
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const line = await page.evaluate(() => navigator.clipboard.readText())
    const [, key = '', url = ''] =
      /^curl -H "Authorization: Bearer (ck_live_\w+)" \\\n {2}"([^"]+)"$/.exec(line) ?? []
    const answer = await get(url, key)
    expect([answer.status, answer.body.meta.creditsCharged]).toEqual([200, 5])
    await page.reload()
    expect(await page.textContent('h1')).toBe('API keys')
    expect(await page.content()).not.toContain(key)
    expect(await page.locator('tbody tr').count()).toBe(1)
    expect(wrongs).toEqual([])
    await close()
  }, 60_000)

  test('without script the same way leads there', async () => {
    const { page, click, close } = await arrive('plain@example.com', { javaScriptEnabled: false })
    await click('Make the key')
    expect(await page.textContent('[data-copy] code')).toStartWith('ck_live_')
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: 'Revoke My first key' }).click()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    expect(await page.textContent('[role=status]')).toContain('revoked')
    await page.locator('details.account summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBeGreaterThan(0)
    await close()
  }, 60_000)

  test('pages of one’s own break no rule of the policy, fit, and axe finds nothing', async () => {
    const { page, wrongs, close, click } = await arrive('own@example.com')
    const [row] = await site.test.sql`select id from accounts where email = 'own@example.com'`
    const looks = (what: string) => lookAt(page, what)
    await looks('keys before the first')
    await click('Make the key')
    await looks('the key, shown once')
    await page.goto(`${site.server.appUrl}/keys`)
    await looks('keys')
    await click('Revoke My first key', 'link')
    await looks('revoke')
    await page.goto(`${site.server.appUrl}/keys`)
    await click('Rotate My first key', 'link')
    await looks('rotate')
    await page.goto(`${site.server.appUrl}/settings`)
    await page.locator('details.account summary').click()
    await looks('settings, with the menu open')
    await page.goto(`${site.server.appUrl}/workspace`)
    await looks('workspace, not in the plan')
    await setAccount(site.test.database, row?.id, { tier: 'team', organization: 'Ember Labs' })
    await page.goto(`${site.server.appUrl}/workspace`)
    await page.getByLabel('Whom it is for').fill('Ben')
    await click('Make the link')
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
  }, 120_000)

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
  }, 60_000)
})
