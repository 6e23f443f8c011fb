/** Profiles in Chromium: on a desk and a phone, in light and dark, by keyboard and without script. */
import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { importAll } from '../../src/intake/import/import.ts'
import { ADA, AURORA } from '../helpers/fixtures.ts'
import { PEAK_ROWS } from '../site/peaks.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { DESK, lookAt, PHONE } from './looks.ts'

const site = sharedSite()

beforeAll(async () => {
  if (!CHROMIUM) return
  await importAll(site.test.database, PEAK_ROWS)
  const isThere = async () => (await fetch(`${site.server.appUrl}/investors/polar?page=3`)).ok
  while (!(await isThere())) await Bun.sleep(50)
})

/** Lines and areas of charts, each with the element that it stands on. */
const DRAWN = [
  { path: '/investors/polar', drawn: '.bars rect', ground: '.small-charts', property: 'fill' },
  { path: `/projects/${AURORA.slug}`, drawn: '.step', ground: '.chart', property: 'stroke' },
  { path: `/projects/${AURORA.slug}`, drawn: '.link', ground: '.network', property: 'stroke' },
] as const

/** The contrast of two colours as WCAG counts it. */
async function contrast(page: Page, of: (typeof DRAWN)[number]) {
  const colours = await page.evaluate(({ drawn, ground, property }) => {
    const styleOf = (selector: string) =>
      getComputedStyle(document.querySelector(selector) as Element)
    return [styleOf(drawn)[property], styleOf(ground).backgroundColor]
  }, of)
  const [one = 0, other = 0] = colours.map((colour) => {
    const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map((it) => {
      const share = Number(it) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  })
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test.each(['/investors/polar', '/projects/peak-00', '/projects/bare-rock'])(
    '%s fits, breaks no rule of its policy, and axe finds nothing',
    async (path) => {
      const { page, wrongs, close } = await site.open(path)
      const folded = page.locator('main details summary:visible')
      for (const summary of await folded.all()) await summary.click()
      await lookAt(page, `profile ${path}`)
      expect(wrongs).toEqual([])
      await close()
    },
  )

  test('on a phone the reveal is in the first window', async () => {
    const { page, close } = await site.open(`/people/${ADA.slug}`, { viewport: PHONE })
    const place = await page.getByRole('link', { name: /^Reveal contact 10 credits/ }).boundingBox()
    expect((place?.y ?? PHONE.height) + (place?.height ?? 0)).toBeLessThan(PHONE.height)
    await close()
  })

  test('on a phone connections are a list to open, without a picture to scroll', async () => {
    const { page, close } = await site.open('/projects/peak-00', {
      viewport: PHONE,
      javaScriptEnabled: false,
    })
    const isSeen = (selector: string) => page.locator(selector).first().isVisible()
    expect(await isSeen('.network')).toBe(false)
    await page.getByText('Connections as a list').click()
    expect(await isSeen('.same-as-list a[href="/investors/polar"]')).toBe(true)
    await page.getByText('Connections as a list').click()
    await page.setViewportSize(DESK)
    expect(await isSeen('.network')).toBe(true)
    expect(await isSeen('.same-as-list a[href="/investors/polar"]')).toBe(false)
    await close()
  })

  test('a fund’s charts are folded on a phone and nowhere else, without script', async () => {
    const { page, close } = await site.open('/investors/polar', {
      viewport: PHONE,
      javaScriptEnabled: false,
    })
    const chart = page.getByRole('link', { name: 'Led', exact: true })
    const summary = page.getByText('By year, sector, stage and role')
    expect([await chart.isVisible(), await summary.isVisible()]).toEqual([false, true])
    await summary.click()
    expect(await chart.isVisible()).toBe(true)
    await summary.click()
    await page.setViewportSize(DESK)
    expect([await chart.isVisible(), await summary.isVisible()]).toEqual([true, false])
    await close()
  })

  test('without script, on a phone, a portfolio is sorted and paged', async () => {
    const { page, close } = await site.open('/investors/polar', {
      viewport: PHONE,
      javaScriptEnabled: false,
    })
    const first = () => page.locator('#portfolio ~ .table tbody th a').first().textContent()
    await page.getByRole('link', { name: 'Company', exact: true }).click()
    expect(await first()).toBe('Peak 00')
    await page.getByRole('navigation', { name: 'Pages of the portfolio' }).getByText('Next').click()
    expect(await first()).toBe('Peak 15')
    expect(new URL(page.url()).search).toBe('?sort=name&page=2')
    await close()
  })

  test('a node of connections is reached and followed by keyboard', async () => {
    const { page, close } = await site.open('/projects/peak-00')
    await page.locator('.network').focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Peak 00')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/investors/*')
    await close()
  })

  test.each([...DRAWN])('$path: $drawn stands out by 3:1, in light and dark', async (of) => {
    const { page, close } = await site.open(of.path)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await contrast(page, of)).toBeGreaterThan(3)
    }
    await close()
  })
})
