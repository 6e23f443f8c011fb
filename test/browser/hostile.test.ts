/** Records at the edge of what an import takes, in Chromium: every page that shows them stays whole, on a phone and in the dark too. */
import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { importRows } from '../../src/intake/import/import.ts'
import { LIMIT_MS } from '../helpers/limit.ts'
import { CHROMIUM, expectAccessible, sharedSite } from './chromium.ts'
import { HOSTILE_PAGES, HOSTILE_ROWS } from './hostile-records.ts'
import { DESK, rulesIn } from './looks.ts'

const NARROW = { width: 360, height: 740 }
const site = sharedSite()

beforeAll(async () => {
  if (!CHROMIUM) return
  for (const kind of ['companies', 'rounds', 'people'] as const) {
    const { refusals } = await importRows(site.test.database, kind, HOSTILE_ROWS[kind])
    expect([kind, refusals]).toEqual([kind, []])
  }
  const isThere = async () => (await fetch(`${site.server.appUrl}/people/p-empty`)).ok
  while (!(await isThere())) await Bun.sleep(50)
})

/** Elements beyond the window's edges that nothing scrolls or cuts off. */
const beyond = (page: Page) =>
  page.evaluate(() => {
    const isScrolled = (element: Element) =>
      element.closest('.table, .network, pre, .unseen, .skip, .sections, .heads .clamp') !== null
    return [...document.querySelectorAll('body *')]
      .filter((element) => !isScrolled(element))
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect()
        return width > 0 && (right > document.documentElement.clientWidth + 1 || left < -1)
      })
      .map(
        (element) => `${element.tagName} ${element.className} ${element.textContent?.slice(0, 40)}`,
      )
  })

/** Tables of records that are wider than their place, so that a name pushes the other columns out of sight. */
const scrolled = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.table.cards')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map((table) => `${table.getAttribute('aria-label')} scrolls`),
  )

/** Names of records that stand in a line with other text, and are not kept apart from its direction. */
const mixed = (page: Page) =>
  page.evaluate(() => {
    const isRightToLeft = /[\u0590-\u08ff]/
    const isKeptApart = (element: Element) =>
      getComputedStyle(element).unicodeBidi !== 'normal' ||
      !['inline'].includes(getComputedStyle(element).display)
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parent = text.parentElement
      if (!parent || !isRightToLeft.test(text.textContent ?? '')) continue
      if (parent.closest('svg, script, title, option, textarea')) continue
      // Alone in what it stands in, or kept apart.
      const isAlone = parent.textContent?.trim() === text.textContent?.trim()
      if (!(isAlone && isKeptApart(parent)))
        found.push(`${parent.tagName} ${parent.className}: ${parent.textContent?.slice(0, 60)}`)
    }
    return [...new Set(found)]
  })

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test(
    'the longest, the emptiest and the oddest records leave every page whole',
    async () => {
      const { page, wrongs, close } = await site.open('/', { viewport: NARROW })
      const faults: string[] = []
      for (const path of HOSTILE_PAGES) {
        const answer = await page.goto(site.server.appUrl + path)
        expect([path, answer?.status()]).toEqual([path, 200])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await expectAccessible(page, `${path} ${colorScheme}`, rulesIn(colorScheme))
        }
        for (const viewport of [NARROW, { width: 768, height: 900 }, DESK]) {
          await page.setViewportSize(viewport)
          for (const it of [...(await beyond(page)).slice(0, 4), ...(await scrolled(page))])
            faults.push(`${path} at ${viewport.width}: ${it}`)
          const { SCREENSHOTS: folder } = process.env
          const name = `hostile${path}-${viewport.width}`.replace(/\W+/g, '-')
          if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
        }
        for (const it of await mixed(page)) faults.push(`${path} not kept apart: ${it}`)
        await page.setViewportSize(NARROW)
      }
      expect({ wrongs, faults }).toEqual({ wrongs: [], faults: [] })
      await close()
    },
    LIMIT_MS * 2,
  )
})
