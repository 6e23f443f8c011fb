/** One search: suggestions below the header's box and the palette, by keyboard, with a screen reader's markup. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ADA, EMBER } from '../helpers/fixtures.ts'
import { CHROMIUM, expectAccessible, sharedSite } from './chromium.ts'
import { lookAt } from './looks.ts'
import { signUp, startTravel } from './traveller.ts'

const site = sharedSite()
const BOX = '.find input'

/** The option that a screen reader reads. */
const active = (page: Page) =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant')
    return id ? document.getElementById(id)?.querySelector('.name')?.textContent : null
  })
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label'))

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('the box suggests records while one types; arrows choose one, Enter opens it', async () => {
    const { page, wrongs, close } = await site.open('/docs')
    await page.focus(BOX)
    await page.keyboard.type('ada ash')
    const options = page.locator('#suggestions [role=option]')
    await options.first().waitFor()
    expect(await page.getAttribute(BOX, 'aria-expanded')).toBe('true')
    expect(await page.textContent('.find [role=status]')).toMatch(/^\d+ of \d+ suggested$/)
    expect(await active(page)).toBeNull()
    await page.keyboard.press('ArrowDown')
    expect(await active(page)).toBe('Ada Ashford')
    await lookAt(page, 'suggestions')
    await page.focus(BOX)
    await page.keyboard.press('ArrowUp')
    expect(await active(page)).toBeNull()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/people/${ADA.slug}`)
    expect(wrongs).toEqual([])
    await close()
  })

  test('Enter without a choice searches, Escape and a click elsewhere close the list and keep the text', async () => {
    const { page, wrongs, close } = await site.open('/docs')
    const options = page.locator('#suggestions [role=option]')
    await page.fill(BOX, 'ember')
    await options.first().waitFor()
    await page.keyboard.press('Escape')
    expect([await options.first().isVisible(), await page.inputValue(BOX)]).toEqual([
      false,
      'ember',
    ])
    await page.keyboard.press('ArrowDown')
    expect(await options.first().isVisible()).toBe(true)
    await page.click('h1', { position: { x: 5, y: 5 } })
    expect(await options.count()).toBe(0)
    await page.fill(BOX, 'ember')
    await options.first().waitFor()
    await page.keyboard.press('Tab')
    expect([await focused(page), await options.count()]).toEqual([
      'Ctrl K: go to a page, a record or the documentation',
      0,
    ])
    await page.fill(BOX, 'ember')
    await options.first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=ember')
    expect(await page.getAttribute('#results .name', 'href')).toBe(`/investors/${EMBER.slug}`)
    expect(wrongs).toEqual([])
    await close()
  })

  test('whichever answer comes first, suggestions are of what stands in the box, and a refusal leaves the form', async () => {
    const { page, close } = await site.open('/docs')
    const held = Promise.withResolvers<void>()
    await page.route('**/search/suggestions?q=ember', async (route) => {
      await held.promise
      await route.continue().catch(() => {})
    })
    const asked = page.waitForRequest('**/search/suggestions?q=ember')
    await page.fill(BOX, 'ember')
    await asked
    await page.fill(BOX, 'ada ash')
    const name = page.locator('#suggestions .name')
    await name.first().waitFor()
    held.resolve()
    await page.waitForTimeout(200)
    expect(await name.first().textContent()).toBe('Ada Ashford')
    await page.route('**/search/suggestions?q=xu', (route) => route.fulfill({ status: 429 }))
    const refused = page.waitForResponse('**/search/suggestions?q=xu')
    await page.fill(BOX, 'xu')
    await refused
    await page.waitForFunction(() => !document.querySelector('#suggestions [role=option]'))
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=xu')
    await close()
  })

  test('Ctrl-K opens the palette, which finds pages, records and the documentation; Escape closes it and gives the focus back', async () => {
    const { page, wrongs, close } = await site.open('/people')
    await page.focus('#list-q')
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    expect(await focused(page)).toBe('Search pages, records and the documentation')
    expect(await active(page)).toBe('People')
    expect(await dialog.getByRole('option', { name: 'Sign in' }).count()).toBe(1)
    expect(await dialog.getByRole('option', { name: 'API keys' }).count()).toBe(0)
    await lookAt(page, 'palette')
    await page.keyboard.type('ada')
    await dialog.getByRole('group', { name: 'People and companies' }).waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await active(page)).toBe('Ada Ashford')
    await lookAt(page, 'palette with records')
    await page.keyboard.press('Escape')
    expect(await dialog.count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('list-q')

    // The same key of a keyboard with other letters.
    await page.evaluate(() =>
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'л', code: 'KeyK', ctrlKey: true, bubbles: true }),
      ),
    )
    await dialog.waitFor()
    await page.keyboard.type('idempotency')
    // Text that is selected beyond the field's edge, then a press outside.
    const { x, y } = (await dialog.boundingBox())!
    await page.mouse.move(x + 60, y + 20)
    await page.mouse.down()
    await page.mouse.move(x - 30, y + 20)
    await page.mouse.up()
    expect(await dialog.count()).toBe(1)
    await page.mouse.click(x - 30, y + 20)
    expect(await dialog.count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('idempotency')
    const docs = dialog.getByRole('group', { name: 'Documentation' })
    await docs.waitFor()
    await lookAt(page, 'palette with documentation')
    await docs.getByRole('option').first().click()
    await page.waitForURL('**/docs/**')
    expect(wrongs).toEqual([])
    await close()
  })

  test('signed in, the palette has the pages of the account that its plan has; Enter opens the first', async () => {
    const person = await startTravel(site)
    await person.go('/sign-in')
    await signUp(person, { name: 'Pia Page', email: 'pia@example.com' })
    const { page } = person
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    const names = await dialog.locator('[data-group=pages] .name').allTextContents()
    expect(names).toContain('My contacts')
    expect(names).not.toContain('Bulk search')
    for (const typed of ['e-mail', 'Low-balance', '  sèttings?']) {
      await page.getByRole('dialog').locator('input').fill(typed)
      const found = dialog.locator('[data-group=pages] [role=option]:visible .name')
      expect([typed, await found.allTextContents()]).toEqual([
        typed,
        [typed === 'Low-balance' ? 'Low-balance mails' : 'Settings'],
      ])
    }
    await page.getByRole('dialog').locator('input').fill('keys')
    expect(await active(page)).toBe('API keys')
    await expectAccessible(page, 'the palette of somebody signed in')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/keys')
    expect(person.wrongs).toEqual([])
    await person.close()
  })

  test('on a phone the box takes the line while one types, and a button beside it opens the palette, which one closes', async () => {
    const { page, wrongs, close } = await site.open('/people', {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
    })
    await page.tap(BOX)
    expect((await page.locator(BOX).boundingBox())?.width).toBeGreaterThan(320)
    await page.keyboard.type('ada ash')
    await page.locator('#suggestions [role=option]').first().waitFor()
    await expectAccessible(page, 'suggestions on a phone')
    await page.getByRole('button', { name: 'Go to a page' }).tap()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    expect(await page.locator('#suggestions [role=option]').count()).toBe(0)
    await expectAccessible(page, 'the palette on a phone')
    await dialog.getByRole('button', { name: 'close' }).tap()
    expect(await dialog.count()).toBe(0)
    await page.tap(BOX)
    await page.locator('#suggestions').waitFor({ state: 'hidden' })
    await page.fill(BOX, 'ada ashf')
    await page.locator('#suggestions [role=option]').first().tap()
    await page.waitForURL(`**/people/${ADA.slug}`)
    expect(wrongs).toEqual([])
    await close()
  })

  test('without script the box is a form, and kinds are links', async () => {
    const { page, close } = await site.open('/', { javaScriptEnabled: false })
    await page.fill(BOX, 'e')
    await page.press(BOX, 'Enter')
    await page.waitForURL('**/search?q=e')
    await page.click('.kinds >> text=Investors')
    await page.waitForURL('**/search?q=e&kind=investors')
    const count = await page.textContent('.kinds [aria-current] .number')
    expect(await page.textContent('.count')).toStartWith(`${count} found`)
    await close()
  })
})
