/** From the first page to a contact that stays, in Chromium, by keyboard alone: every stop on the way is seen. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ADA } from '../helpers/fixtures.ts'
import { CHROMIUM, sharedSite } from './chromium.ts'
import { DESK } from './looks.ts'
import { PASSWORD } from './traveller.ts'

const site = sharedSite()

/** Stops of a page, at most. */
const STOPS = 100

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  test('sign-up, search, reveal and my contacts need no pointer', async () => {
    const { page, wrongs, close } = await site.open('/', {
      viewport: DESK,
      reducedMotion: 'reduce',
    })
    await tabTo(page, /^Create an account$/)
    await enter(page, '**/sign-up')
    expect((await stop(page)).name).toBe('Name')
    for (const text of ['Kay Keys', 'kay@example.com', PASSWORD]) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    expect((await stop(page)).name).toBe('Create an account')
    await enter(page, '**/overview')

    await tabTo(page, /^Search people and companies$/)
    await page.keyboard.type('ada ash')
    await enter(page, '**/search?q=ada+ash')
    await tabTo(page, /^Ada Ashford$/)
    await enter(page, `**/people/${ADA.slug}`)
    expect(await page.content()).not.toContain(ADA.email)
    await tabTo(page, /^Reveal contact/)
    await page.keyboard.press('Enter')
    await page.getByText(ADA.email ?? '').waitFor()

    await tabTo(page, /^Kay Keys$/)
    await page.keyboard.press('Enter')
    await tabTo(page, /^My contacts$/)
    await enter(page, '**/contacts')
    expect(await page.textContent('main')).toContain(ADA.email)
    expect(wrongs).toEqual([])
    await close()
  })
})

/** Presses Tab until the focus is on what has the name. Each stop before it is inside the window and marked. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let stops = 0; stops < STOPS; stops++) {
    await page.keyboard.press('Tab')
    const at = await stop(page)
    expect(at).toEqual({ name: at.name, isMarked: true, isInside: true })
    if (name.test(at.name)) return
  }
  throw new Error(`Tab does not come to ${name}`)
}

/** The focused element, and whether its focus is visible. */
const stop = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const [label] = element.labels ?? []
    const name = element.getAttribute('aria-label') ?? (label ?? element).textContent ?? ''
    return {
      name: name.trim(),
      isMarked: getComputedStyle(element).outlineStyle !== 'none',
      isInside: right > 0 && left < innerWidth && bottom > 0 && top < innerHeight,
    }
  })

async function enter(page: Page, url: string): Promise<void> {
  await Promise.all([page.waitForURL(url), page.keyboard.press('Enter')])
}
