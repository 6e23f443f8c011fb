/** A person at a browser: does what a person does, counts it, and finds fault with every page on the way. */
import { expect } from 'bun:test'
import { readFile } from 'node:fs/promises'
import type { BrowserContextOptions, Locator } from 'playwright-core'
import { expectAccessible, type Site, type Watched } from './chromium.ts'
import { DESK, rulesIn } from './looks.ts'

export const PASSWORD = 'correct horse battery'

export interface Traveller extends Watched {
  /** Steps so far. */
  done: { clicks: number; fields: number }
  /** Presses what leads to another page, and waits for that. */
  press(name: string | RegExp, role?: 'button' | 'link'): Promise<void>
  fill(label: string, value: string): Promise<void>
  go(path: string): Promise<void>
  /** Presses what is answered by a file. @returns the file's text */
  download(name: string | RegExp, role?: 'button' | 'link'): Promise<string>
  /** Light and dark: axe finds nothing, and so far nothing was asked for or forbidden that should not be. */
  look(what: string): Promise<void>
}

/** Opens the application's own address. */
export async function startTravel(
  site: Site,
  options: BrowserContextOptions = {},
): Promise<Traveller> {
  const watched = await site.open('/', { viewport: DESK, ...options })
  const { page, wrongs } = watched
  const done = { clicks: 0, fields: 0 }

  function click(name: string | RegExp, role: 'button' | 'link'): Promise<void> {
    done.clicks++
    const found: Locator = page.getByRole(role, { name, exact: true })
    return found.first().click()
  }

  return {
    ...watched,
    done,
    async press(name, role = 'button') {
      const loaded = page.waitForEvent('load')
      await click(name, role)
      await loaded
    },
    async fill(label, value) {
      done.fields++
      await page.getByLabel(label, { exact: true }).fill(value)
    },
    async go(path) {
      await page.goto(new URL(path, site.server.appUrl).href)
    },
    async download(name, role = 'button') {
      const begun = page.waitForEvent('download')
      await click(name, role)
      return readFile(await (await begun).path(), 'utf8')
    },
    async look(what) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await expectAccessible(page, `${what}, ${colorScheme}`, rulesIn(colorScheme))
      }
      expect({ what, wrongs }).toEqual({ what, wrongs: [] })
    },
  }
}

/** From a page that offers it: signs up, which signs in. @param look what is done with each page on the way */
export async function signUp(
  { page, press, fill }: Traveller,
  { name, email }: { name: string; email: string },
  look: (what: string) => Promise<void> = async () => {},
): Promise<void> {
  await press('Create an account', 'link')
  await look(`sign-up of ${name}`)
  await fill('Name', name)
  await fill('E-mail', email)
  await fill('Password', PASSWORD)
  await press('Create an account')
  expect(await page.locator('.who').textContent()).toBe(name)
}
