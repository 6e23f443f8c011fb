/** Joining in Chromium: forms, colours, and one's own pages on the smallest phone. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createKey } from '../../src/money/accounts/keys.ts'
import { openPayment } from '../../src/money/payments/payments.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { lookAt } from './looks.ts'
import { signUp, startTravel } from './traveller.ts'

const site = sharedSite()

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('a form says beside each field what is wrong with it before it is sent, and forgets what is mended', async () => {
    const { page, wrongs, close } = await site.open('/sign-up')
    const described = (label: string) => page.getByLabel(label, { exact: true })
    const problems = () => page.locator('.problem').count()
    await described('E-mail').fill('nobody')
    await page.getByRole('button', { name: 'Create an account' }).click()
    expect(await problems()).toBe(3)
    expect(await described('Name').evaluate((it) => it === document.activeElement)).toBe(true)
    expect(await described('Password').getAttribute('aria-describedby')).toBe(
      'field-password-problem field-password-hint',
    )
    // The focus is drawn up to five pixels around the field.
    const [field, problem] = await Promise.all([
      described('Name').boundingBox(),
      page.locator('#field-name-problem').boundingBox(),
    ])
    expect((problem?.y ?? 0) - ((field?.y ?? 0) + (field?.height ?? 0))).toBeGreaterThanOrEqual(5)
    await lookAt(page, 'sign-up, refused')
    await described('Name').fill('Ada')
    await described('E-mail').fill('ada@example.com')
    await page.getByRole('button', { name: 'Create an account' }).click()
    expect(await problems()).toBe(1)
    expect(await described('Name').getAttribute('aria-invalid')).toBeNull()
    // Text from the server stays where it is.
    await described('Password').fill('password123456')
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByText('Many people use this password').waitFor()
    expect([await problems(), wrongs]).toEqual([1, []])
    await close()
  })

  test('names of 300 letters, of any direction, and debts stay within a window of 360 pixels', async () => {
    const traveller = await startTravel(site, { viewport: { width: 360, height: 800 } })
    const { page, go, wrongs, close } = traveller
    await signUp(traveller, { name: 'Ada', email: 'long@example.com' })
    const { sql, database } = site.test
    const [row] = await sql`
      select m.account_id as id, m.user_id as user from members m
        join users u on u.id = m.user_id where u.email = 'long@example.com'`
    const long = `Ada${'verylong'.repeat(37)}`
    await openPayment(database, row?.id, row?.user, { plan: 'team' })
    await createKey(database, row?.id, '\u202eevil \u05d0\u05d1 abc', ['read:metadata'])
    await createKey(database, row?.id, long, ['read:metadata'])
    await sql`update users set name = ${long} where id = ${row?.user}`
    await sql`
      update accounts set name = ${long}, organization = ${long}, tier = 'team', balance = -1234567
       where id = ${row?.id}`
    await sql`
      insert into ledger (account_id, at, kind, credits, balance_after)
      values (${row?.id}, meter_now(), 'reversal', -1234817, -1234567)`
    const paths = ['/overview', '/credits', '/credits/order?plan=pro', '/balance', '/keys']
    for (const path of [...paths, '/workspace', '/requests', '/settings', '/referral']) {
      await go(path)
      expect([path, await beyond(page)]).toEqual([path, []])
    }
    expect(wrongs).toEqual([])
    await close()
  })

  test('dark is chosen without script, holds from the first line of a page on, and prints as light', async () => {
    const { page, go, press, wrongs, close } = await startTravel(site, {
      javaScriptEnabled: false,
      colorScheme: 'light',
    })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await ground()
    await go('/docs')
    await press('Appearance', 'link')
    await page.locator('[value=dark]').check()
    await press('Set colours')
    expect(new URL(page.url()).pathname).toBe('/docs')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    expect(await ground()).not.toBe(light)
    await page.emulateMedia({ media: 'print' })
    expect(await ground()).toBe(light)
    expect(wrongs).toEqual([])
    await close()
  })
})

/** Elements beyond the window's edges, besides pictures and code, which scroll. */
const beyond = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('header *, main *, footer *')]
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect()
        const isBeyond = width > 1 && (right > innerWidth + 1 || left < -1)
        return isBeyond && !element.closest('.unseen, .menu, .chart, pre')
      })
      .map(({ tagName, className }) => `${tagName} ${className}`),
  )
