/** Joining in Chromium: a form that says at once all that is wrong with it. */
import { describe, expect, test } from 'bun:test'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { lookAt } from './looks.ts'

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
    await lookAt(page, 'sign-up, refused')
    await described('Name').fill('Ada')
    await described('E-mail').fill('ada@example.com')
    await page.getByRole('button', { name: 'Create an account' }).click()
    expect(await problems()).toBe(1)
    expect(await described('Name').getAttribute('aria-invalid')).toBeNull()
    // What only the server knows stands in the same place.
    await described('Password').fill('password123456')
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByText('Many people use this password').waitFor()
    expect([await problems(), wrongs]).toEqual([1, []])
    await close()
  }, 30_000)
})
