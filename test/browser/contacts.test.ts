/** Reveals in Chromium: from a stranger's button to My contacts, and several at once. */
import { describe, expect, test } from 'bun:test'
import { setAccount } from '../../src/money/accounts/accounts.ts'
import { grantCredits } from '../../src/money/accounts/credits.ts'
import { ADA, AURORA, BEN } from '../helpers/fixtures.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { lookAt, PHONE } from './looks.ts'
import { signUp, startTravel } from './traveller.ts'

const site = sharedSite()

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('a stranger’s reveal leads to the trial; what is revealed stays open, is noted and copied', async () => {
    const traveller = await startTravel(site)
    const { page, wrongs, press, go, fill } = traveller
    await go(`/people/${ADA.slug}`)
    await press(/^Reveal contact 10 credits/, 'link')
    expect(new URL(page.url()).search).toBe(
      `?returnUrl=${encodeURIComponent(`/people/${ADA.slug}`)}`,
    )
    await page.goto(`${site.server.appUrl}/sign-in`)
    await signUp(traveller, { name: 'Olga', email: 'olga@example.com' })
    const [row] = await site.test.sql`select id from accounts where email = 'olga@example.com'`
    await setAccount(site.test.database, row?.id, { tier: 'pro' })
    await grantCredits(site.test.database, row?.id, 100, 'topup')
    await go('/contacts')
    await lookAt(page, 'my contacts, none')
    await go(`/people/${ADA.slug}`)
    await page.setViewportSize(PHONE)
    const place = await page.getByRole('button', { name: /^Reveal contact/ }).boundingBox()
    expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThan(PHONE.height)
    await press(/^Reveal contact 10 credits/)
    await lookAt(page, 'person, revealed')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy Email' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(ADA.email)
    await go('/contacts')
    await press(/^Note and tags/, 'link')
    await fill('Note', 'Met in Lisbon.\nWrites about wallets.')
    await fill('Tags', 'Founder, wallets, to call in spring')
    await lookAt(page, 'note and tags')
    await press('Save')
    await lookAt(page, 'my contacts')
    await go(`/projects/${AURORA.slug}`)
    await page.locator(`input[name=ids][value="${BEN.id}"]`).check()
    await lookAt(page, 'team, one selected')
    await press('Reveal selected')
    await lookAt(page, 'several, the price')
    await press(/^Reveal 1/)
    await lookAt(page, 'several, revealed')
    expect(await page.textContent('main')).toContain(
      '1 person was revealed: 10 credits were charged.',
    )
    expect(wrongs).toEqual([])
    await traveller.close()
  })

  test('what is selected outlives filters and pages, goes on a list at once, and a view opens as it was saved', async () => {
    const traveller = await startTravel(site)
    const { page, wrongs, press, go, fill } = traveller
    await go('/people')
    const box = (id: string) => page.locator(`input[name=ids][value="${id}"]:not([type=hidden])`)
    await box(ADA.id).check()
    await press('Reveal selected')
    await lookAt(page, 'reveal, a stranger')
    const way = await page.locator('main a', { hasText: 'Sign in' }).getAttribute('href')
    await go(way ?? '')
    await signUp(traveller, { name: 'Uma', email: 'uma@example.com' })
    expect(await page.textContent('h1')).toBe('Reveal 1 person')
    await go('/people')
    expect(await page.textContent('.chosen')).toBe('1 selected')
    await page.fill('#list-q', 'ben')
    await page.waitForURL(/q=ben/)
    await box(BEN.id).check()
    expect(await page.textContent('.chosen')).toBe('2 selected, 1 not on this page')
    await lookAt(page, 'people, selected')
    await press('Add to list')
    await fill('Name of a new list', 'To call in spring')
    await lookAt(page, 'add to a list')
    await press('Add')
    expect(await page.textContent('.count')).toContain('2 people')
    expect(await page.textContent('.chosen')).toBe('')
    await go(`/projects/${AURORA.slug}`)
    await press('Add to list', 'link')
    await press('Add')
    await lookAt(page, 'a kept list')
    await go('/projects')
    await page.getByRole('checkbox', { name: /^DeFi/ }).check()
    await page.waitForURL(/sector=DeFi/)
    await press('Save this view', 'link')
    await fill('Name', 'DeFi, newest')
    await lookAt(page, 'save a view')
    await press('Save the view')
    expect(await page.textContent('.views [aria-current]')).toBe('DeFi, newest')
    await lookAt(page, 'projects, a view')
    await go('/lists')
    await lookAt(page, 'lists')
    await press('DeFi, newest', 'link')
    expect(await page.getByRole('checkbox', { name: /^DeFi/ }).isChecked()).toBe(true)
    expect(wrongs).toEqual([])
    await traveller.close()
  })
})
