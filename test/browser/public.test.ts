/** Public pages in Chromium: light and dark, phone and desktop. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { DOCUMENTS } from '../../src/site/docs/documents.ts'
import { ADA, EMBER } from '../helpers/fixtures.ts'
import { FORM_PAGES, PAGES } from '../site/site.ts'
import { CHROMIUM, expectAccessible, sharedSite } from './chromium.ts'
import { CARD_HEIGHT, DESK, lookAt, PHONE } from './looks.ts'

const site = sharedSite()

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test.each([...PAGES, ...FORM_PAGES, '/no-such-page', '/people?sort=no', '/people/nobody'])(
    '%s asks for nothing beyond the two listeners, breaks no rule of its policy, fits, and axe finds nothing',
    async (path) => {
      const { page, wrongs, close } = await site.open(path, { viewport: DESK })
      await lookAt(page, path)
      expect(wrongs).toEqual([])
      await close()
    },
  )

  test('a violation of the policy would be seen', async () => {
    const { page, wrongs, close } = await site.open('/')
    const said = page.waitForEvent('console')
    await page.evaluate(() => {
      const picture = document.createElement('img')
      picture.src = 'https://elsewhere.example/x.png'
      document.body.append(picture)
    })
    await said
    expect(wrongs.join()).toContain('Content Security Policy')
    await close()
  })

  test('results follow as one types, and the address with them', async () => {
    const { page, wrongs, close } = await site.open('/search')
    await page.fill('#search-q', 'ada ash')
    await page.waitForSelector(`#results a[href="/people/${ADA.slug}"]`)
    await page.waitForURL('**/search?q=ada+ash')
    await page.fill('#search-q', 'ember')
    await page.waitForSelector(`#results a[href="/investors/${EMBER.slug}"]`)
    expect(await page.locator(`#results a[href="/people/${ADA.slug}"]`).count()).toBe(0)
    expect(wrongs).toEqual([])
    await close()
  })

  test('a document begins with its title on a phone, where contents open; beside its text they stand open', async () => {
    const { page, close } = await site.open('/docs/errors', { viewport: PHONE })
    const top = async (css: string) => (await page.locator(css).boundingBox())?.y ?? Number.NaN
    const link = page.locator('.contents a[aria-current]')
    expect(await top('h1')).toBeLessThan(await top('.docs-search'))
    expect(await top('.docs-search')).toBeLessThan(await top('.contents'))
    expect(await link.isVisible()).toBe(false)
    await page.getByText('Contents', { exact: true }).click()
    expect(await link.isVisible()).toBe(true)
    await page.reload()
    await page.setViewportSize(DESK)
    expect(await link.isVisible()).toBe(true)
    await close()
  })

  test('on a wide window an answer’s example is beside the text, and scrolls by itself', async () => {
    const { page, close } = await site.open('/docs/reference/getPerson', {
      viewport: { width: 1_440, height: 900 },
    })
    const call = page.locator('section:has(> .examples)')
    expect(await page.locator('.more pre').first().isVisible()).toBe(true)
    const box = async (css: string) => await page.locator(css).first().boundingBox()
    const [answer, text] = [await box('section:has(> .examples) .more pre'), await box('.cards')]
    expect(answer?.x).toBeGreaterThan((text?.x ?? Number.NaN) + (text?.width ?? 0))
    expect((await call.boundingBox())?.height).toBeLessThan(900)
    expect(await call.evaluate((it) => it.scrollHeight > it.clientHeight)).toBe(true)
    await expectAccessible(page, 'an answer beside the text')
    await close()
  })

  test('fields of a record unfold on a phone, and stand open where a link leads to them and on a desk', async () => {
    const { page, close } = await site.open('/docs/records', { viewport: PHONE })
    const fields = page.locator('#record-Person tbody').first()
    expect(await fields.isVisible()).toBe(false)
    await page.getByText('Fields of Person', { exact: true }).click()
    expect(await fields.isVisible()).toBe(true)
    await page.reload()
    expect(await fields.isVisible()).toBe(false)
    await page.goto(`${site.server.appUrl}/docs/records#record-Person`)
    expect(await fields.isVisible()).toBe(true)
    await page.goto(`${site.server.appUrl}/docs/records`)
    await page.setViewportSize(DESK)
    expect(await fields.isVisible()).toBe(true)
    await close()
  })

  const scrolled = (page: Page, css: string) =>
    page.locator(css).evaluateAll((all) => {
      return all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)
    })

  test.each([768, 1_440])('tables of an import fit beside the contents: %d', async (width) => {
    const { page, close } = await site.open('/docs/import', { viewport: { ...DESK, width } })
    expect(await scrolled(page, '.table, [data-copy] pre')).toEqual([])
    await close()
  })

  test('on the narrowest phone no table and no program of the documentation is scrolled', async () => {
    const { page, close } = await site.open('/docs', { viewport: { width: 360, height: 740 } })
    for (const { path } of DOCUMENTS) {
      await page.goto(site.server.appUrl + path)
      await page.locator('.record-fields').evaluateAll((all) => {
        for (const one of all) one.setAttribute('open', '')
      })
      expect([path, await scrolled(page, '.table, pre')]).toEqual([path, []])
    }
    await close()
  })

  test('on a phone a raise of the home page is a low card, its amount beside its name', async () => {
    const { page, close } = await site.open('/', { viewport: PHONE })
    const raises = page.locator('.latest tbody tr:visible')
    const heights = await raises.evaluateAll((rows) => rows.map((row) => row.clientHeight))
    expect(Math.max(0, ...heights)).toBeWithin(1, CARD_HEIGHT)
    const raise = raises.filter({ hasText: '$10M' })
    const boxes = ['.name', '.number'].map((css) => raise.locator(css).boundingBox())
    const [name, amount] = await Promise.all(boxes)
    if (!name || !amount) throw new Error('no amount')
    expect(amount.x).toBeGreaterThan(name.x + name.width)
    expect(amount.y).toBeLessThan(name.y + name.height)
    await close()
  })

  test('a command is copied as it stands', async () => {
    const { page, close } = await site.open('/docs', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const block = page.locator('[data-copy]').nth(1)
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe(
      `curl -H "Authorization: Bearer $API_KEY" \\\n  "${site.server.apiUrl}/v1/me"`,
    )
    await close()
  })

  test('without script everything can still be searched, filtered and paged', async () => {
    const { page, close } = await site.open('/', { javaScriptEnabled: false })
    await page.fill('#home-q', 'ada')
    await page.click('main button')
    await page.click(`#results a[href="/people/${ADA.slug}"]`)
    expect(await page.textContent('h1')).toBe('Ada Ashford')
    await page.click('nav >> text=People')
    await page.check('input[value="legal"]')
    await page.check('input[value="founder"]')
    await page.selectOption('select[name="sort"]', 'name')
    await page.click('main button')
    expect(await page.locator('.records .name').allTextContents()).toEqual([
      'Ada Ashford',
      'Fay Finch',
    ])
    expect(await page.isChecked('input[value="legal"]')).toBe(true)
    await close()
  })

  test('without script somebody asks from their own page to be removed', async () => {
    const path = `/people/${ADA.slug}`
    const { page, wrongs, close } = await site.open(path, { javaScriptEnabled: false })
    await page.click('text=Is this you?')
    expect(await page.inputValue('#field-person')).toEndWith(path)
    await page.getByLabel('Remove me').check()
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('I am this person').check()
    await page.click('text=Send request')
    expect(await page.textContent('h1')).toBe('Your request was received')
    expect(wrongs).toEqual([])
    await close()
  })

  test('the keyboard gets to the content first, and to everything after', async () => {
    const { page, close } = await site.open('/people')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    // The address is told of a moment after the key.
    await page.waitForURL('**#main')
    expect(new URL(page.url()).hash).toBe('#main')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('list-q')
    await close()
  })
})
