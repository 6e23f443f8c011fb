/** Lists in a browser: results as one filters, the history, keys, rows that open, with and without script. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ADA, AURORA, EMBER } from '../helpers/fixtures.ts'
import { CHROMIUM, expectAccessible, sharedSite } from './chromium.ts'

const site = sharedSite()
const COUNT = '#results .count'

/** The name of the record that has the focus. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim())

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('results, counts and address follow a ticked box, which keeps the focus; back undoes it', async () => {
    const { page, wrongs, close } = await site.open('/people')
    await page.evaluate(() => Object.assign(window, { stayed: true }))
    const all = await page.textContent(COUNT)
    await page.check('input[name="roles"][value="founder"]')
    await page.waitForURL('**/people?roles=founder')
    expect(await page.textContent(COUNT)).not.toBe(all)
    expect(await page.isVisible('.active [aria-label="Remove Founder"]')).toBe(true)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('value'))).toBe('founder')
    expect(await page.evaluate(() => 'stayed' in window)).toBe(true)
    await page.goBack()
    await page.waitForFunction((before) => {
      const box = document.querySelector<HTMLInputElement>('input[value="founder"]')
      return (
        box?.checked === false && document.querySelector('#results .count')?.textContent === before
      )
    }, all)
    await page.selectOption('select[name="sort"]', 'name')
    await page.waitForSelector('th[aria-sort="ascending"]')
    await page.fill('#list-q', 'ada ash')
    await page.waitForURL('**q=ada+ash**')
    expect(await page.locator('.records .name').allTextContents()).toEqual(['Ada Ashford'])
    expect(wrongs).toEqual([])
    await close()
  })

  test('a refusal is said beside the list, which stays, and what was asked for can be asked again', async () => {
    const { page, wrongs, close } = await site.open('/people')
    const all = await page.textContent(COUNT)
    const { origin } = new URL(page.url())
    const refused = `${origin}/people?roles=founder`
    // A page that is a refusal, as the one of too many pages is.
    await page.route(refused, (route) => route.continue({ url: `${origin}/people?sort=no` }))
    const said = await page.$('#said')
    await page.check('input[name="roles"][value="founder"]')
    await page.waitForSelector('#said.notice')
    expect(await said?.textContent()).toContain('That address has a mistake in it.')
    expect([page.url(), await page.textContent(COUNT)]).toEqual([`${origin}/people`, all])
    await expectAccessible(page, 'a refusal beside a list')
    await page.unroute(refused)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL(refused)
    // The element that was there says it, which screen readers announce.
    expect(await said?.textContent()).toBe((await page.textContent(COUNT))!)
    expect(wrongs).toEqual([])
    await close()
  })

  test('whichever answer comes first, the list is of what is ticked now', async () => {
    const { page, close } = await site.open('/people')
    const all = await page.textContent(COUNT)
    const { origin } = new URL(page.url())
    const held = Promise.withResolvers<void>()
    await page.route(`${origin}/people?roles=founder`, async (route) => {
      await held.promise
      await route.continue().catch(() => {})
    })
    const founder = page.locator('input[name="roles"][value="founder"]')
    await founder.check()
    await page.check('input[name="channels"][value="email"]')
    await page.waitForURL('**/people?roles=founder&channels=email')
    const both = await page.textContent(COUNT)
    await founder.uncheck()
    await page.waitForURL('**/people?channels=email')
    await page.uncheck('input[name="channels"][value="email"]')
    await page.waitForURL('**/people')
    await founder.check()
    await founder.uncheck()
    held.resolve()
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))
    expect(both).not.toBe(all)
    expect([page.url(), await page.textContent(COUNT)]).toEqual([`${origin}/people`, all])
    await close()
  })

  test('a link to a part of the page loads nothing anew', async () => {
    const { page, close } = await site.open('/people')
    await page.evaluate(() => Object.assign(window, { stayed: true }))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/people#*')
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))
    expect(await page.evaluate(() => 'stayed' in window)).toBe(true)
    await close()
  })

  test('a slash leads to the search, j and k walk through the records, and Enter opens one', async () => {
    const { page, close } = await site.open('/people?sort=name')
    const names = await page.locator('.records .name').allTextContents()
    await page.keyboard.press('j')
    expect(await focused(page)).toBe(names[0]!.trim())
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    expect(await focused(page)).toBe(names[1]!.trim())
    await page.keyboard.press('/')
    await page.keyboard.type('jk/')
    expect(await page.inputValue('#list-q')).toBe('jk/')
    await page.goto(`${new URL(page.url()).origin}/people?q=ada+ashford`)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/people/${ADA.slug}`)
    await close()
  })

  test.each([1_440, 360])(
    'at %d pixels a row opens wherever it is clicked, and a link in it leads where it says',
    async (width) => {
      const { page, close } = await site.open('/people?q=ada+ashford')
      await page.setViewportSize({ width, height: 800 })
      const list = page.url()
      const row = page.locator('.records tbody tr')
      // It lies below the row's link, which is what is to be shown.
      await row.locator('td', { hasText: '1.2K' }).click({ force: true })
      await page.waitForURL(`**/people/${ADA.slug}`)
      await page.goto(list)
      await row.locator('td a').click()
      await page.waitForURL(`**/projects/${AURORA.slug}`)
      await close()
    },
  )

  test('without script a button shows what is ticked', async () => {
    const { page, close } = await site.open('/people', { javaScriptEnabled: false })
    await page.setViewportSize({ width: 1_440, height: 900 })
    await page.check('input[name="roles"][value="founder"]')
    await page.locator('.facets button').click()
    await page.waitForURL('**roles=founder**')
    expect(await page.isChecked('input[name="roles"][value="founder"]')).toBe(true)
    expect(await page.isVisible('.active [aria-label="Remove Founder"]')).toBe(true)
    await close()
  })

  test('the search says that it was refused, goes back, and has the keys of lists', async () => {
    const { page, wrongs, close } = await site.open('/search')
    const { origin } = new URL(page.url())
    const name = page.locator('#results .name')
    await page.fill('#search-q', 'ada ash')
    await name.first().waitFor()
    // Like an address over its limit.
    const refused = `${origin}/search?q=ember`
    await page.route(refused, (route) => route.continue({ url: `${origin}/search?kind=no` }))
    await page.fill('#search-q', 'ember')
    await page.waitForSelector('#said.notice')
    expect(await page.textContent('#said')).toContain('still the one before')
    await expectAccessible(page, 'a refusal above the results')
    await page.unroute(refused)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL(refused)
    expect(await page.textContent('#said')).toBe((await page.textContent('#results .count'))!)
    await page.keyboard.press('Escape')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('j')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(
      `/investors/${EMBER.slug}`,
    )
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('search-q')
    await page.fill('#search-q', '')
    await page.waitForSelector('#results .empty')
    await page.goBack()
    await page.waitForURL('**/search?q=*')
    expect(wrongs).toEqual([])
    await close()
  })
})
