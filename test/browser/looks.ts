/** A page as it is looked at: on a desk and a phone, in light and dark. */
import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible } from './chromium.ts'

export const DESK = { width: 1_280, height: 900 }
export const PHONE = { width: 390, height: 844 }
/** Pixels that a card stays below: four small lines, the last of them for a long name. */
export const CARD_HEIGHT = 110

/** How high the highest row of a table is, in pixels, as the page is now. @param label the beginning of the table's */
export async function highestRow(page: Page, label: string): Promise<number> {
  const rows = page.locator(`[aria-label^="Table: ${label}"] tbody tr`)
  const heights = await rows.evaluateAll((all) => all.map((row) => row.clientHeight))
  expect(heights.length).toBeGreaterThan(0)
  return Math.max(...heights)
}

/** axe's rules that look at colours: the only ones that dark can answer otherwise than light. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** The rules that are asked of a page in these colours, where light is asked as well: undefined for all. */
export const rulesIn = (colorScheme: 'light' | 'dark') =>
  colorScheme === 'dark' ? COLOUR_RULES : undefined

type Look = readonly [viewport: typeof DESK, colorScheme: 'light' | 'dark']

const FOUR_LOOKS: readonly Look[] = [DESK, PHONE].flatMap((viewport) => [
  [viewport, 'light'] as const,
  [viewport, 'dark'] as const,
])
/** For a page that is looked at in all four elsewhere: each size once, so all rules are asked. */
export const TWO_LOOKS: readonly Look[] = [
  [DESK, 'light'],
  [PHONE, 'dark'],
]

/** Sizes checked whole in light; in dark their colours are enough. */
const isSeenInLight = (looks: readonly Look[], viewport: typeof DESK) =>
  looks.some(([other, colorScheme]) => other === viewport && colorScheme === 'light')

/** axe finds nothing, and nothing is wider than the window. Where SCREENSHOTS names a directory, each look is kept there. */
export async function lookAt(page: Page, what: string, looks = FOUR_LOOKS): Promise<void> {
  for (const [viewport, colorScheme] of looks) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    const look = `${what} ${viewport.width} ${colorScheme}`
    const rules = isSeenInLight(looks, viewport) ? rulesIn(colorScheme) : undefined
    await expectAccessible(page, look, rules)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect([what, width]).toEqual([what, viewport.width])
    const folder = process.env.SCREENSHOTS
    if (!folder) continue
    const name = `${what}-${viewport.width}-${colorScheme}`.replace(/\W+/g, '-')
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  }
  await page.setViewportSize(DESK)
}
