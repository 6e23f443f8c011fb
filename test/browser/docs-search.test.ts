/** The search of the documentation, as somebody uses it: by keyboard, with a screen reader's markup, in the browser alone. */
import { describe, expect, test } from 'bun:test'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { lookAt } from './looks.ts'

const site = sharedSite()

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('/ leads to the field, results show while one types, arrows and Enter follow one, and nothing typed leaves the browser', async () => {
    const { page, wrongs, close } = await site.open('/docs/limits')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const place = () => page.evaluate(() => document.querySelector('h1')?.getBoundingClientRect().y)
    const placeBefore = await place()
    await page.keyboard.press('/')
    await page.keyboard.type('idempotancy')
    await page.waitForSelector('.found li')
    expect(await page.inputValue('#docs-q')).toBe('idempotancy')
    expect(await place()).toBe(placeBefore)
    const loaded = asked.filter((path) => !path.startsWith('/assets/icon.'))
    expect(loaded.map((path) => path.replace(/[\w-]{16}/, 'hash')).sort()).toEqual([
      '/assets/docs-index/hash',
      '/assets/docs-search.hash.js',
    ])
    const status = page.locator('.found [role=status]')
    expect(await status.textContent()).toMatch(/^(\d+ found|First 12 of \d+)$/)
    await lookAt(page, 'results of the documentation')

    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/retries#idempotency')
    expect(await page.textContent('h1')).toBe('Retries')
    expect(wrongs).toEqual([])
    await close()
  })

  test('Escape closes the results and keeps the query, and so does a click outside; a result on the page closes them too', async () => {
    const { page, wrongs, close } = await site.open('/docs/errors')
    const results = page.locator('.found li')
    await page.fill('#docs-q', 'wombat')
    await page.getByText('Nothing matches.').waitFor()
    await page.fill('#docs-q', 'scope')
    await results.first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    expect([await results.count(), await page.inputValue('#docs-q')]).toEqual([0, 'scope'])
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('docs-q')
    await page.fill('#docs-q', 'missing scope')
    await results.first().waitFor()
    await page.click('h1')
    expect(await results.count()).toBe(0)
    await page.focus('#docs-q')
    await results.first().click()
    await page.waitForURL('**/docs/errors#missing_scope')
    expect(await results.count()).toBe(0)
    expect(wrongs).toEqual([])
    await close()
  })

  test('without script the form answers a page of the same results', async () => {
    const { page, close } = await site.open('/docs', { javaScriptEnabled: false })
    await page.fill('#docs-q', 'reveal_cap_exceeded')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/find?q=reveal_cap_exceeded')
    await page.locator('article .results a').first().click()
    await page.waitForURL('**/docs/errors#reveal_cap_exceeded')
    await close()
  })
})
