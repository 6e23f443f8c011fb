/**
 * A real Chromium on a real server, for tests of pages. Where no Chromium is installed such tests are
 * skipped, and say so; with REQUIRE_CHROMIUM set, as `.ci/run` does, its absence fails them.
 */
import { expect } from 'bun:test'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { type Server, serve } from '../helpers/command.ts'
import { fixtures } from '../helpers/fixtures.ts'
import { type TestDatabase, testDatabase } from '../helpers/postgres.ts'
import { shared } from '../helpers/shared.ts'

/** Debian's package; `.ci/run` installs it. */
export const CHROMIUM = process.env.CHROMIUM ?? Bun.which('chromium')
if (!CHROMIUM && process.env.REQUIRE_CHROMIUM) throw new Error('chromium is not installed')
if (!CHROMIUM) console.warn('skipped: chromium is not installed')

export interface Site {
  test: TestDatabase
  server: Server
  browser: Browser
  /** Opens a page of the application, which tells what it does wrong. */
  open(path: string, options?: BrowserContextOptions): Promise<Watched>
  stop(): Promise<void>
}

export interface Watched {
  page: Page
  /** Requests beyond the two listeners, violations of the policy, errors of scripts. */
  wrongs: string[]
  close(): Promise<void>
}

/** Starts a server on the directory of `fixtures.ts`, and a browser. @param environment settings of the operator's */
export async function startSite(environment: Record<string, string> = {}): Promise<Site> {
  const test = await testDatabase()
  await fixtures(test.database)
  const [server, browser] = await Promise.all([
    serve({ DATABASE_URL: test.url, LOG_LEVEL: 'error', ...environment }),
    // Root can't use the sandbox, and containers have little shared memory.
    chromium.launch({
      executablePath: CHROMIUM ?? '',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    }),
  ])
  const own = [server.apiUrl, server.appUrl].map((url) => new URL(url).origin)

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Watched> {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    const wrongs: string[] = []
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url())
      if (protocol !== 'data:' && !own.includes(origin)) wrongs.push(`asks for ${request.url()}`)
    })
    page.on('pageerror', (error) => wrongs.push(`throws ${error.message}`))
    page.on('console', (message) => {
      // A page that is itself a 404 or 400 is told of here as well.
      const isStatus = message.text().startsWith('Failed to load resource: the server responded')
      if (message.type() === 'error' && !isStatus) wrongs.push(`says ${message.text()}`)
    })
    await page.goto(server.appUrl + path)
    return { page, wrongs, close: () => context.close() }
  }

  async function stop() {
    await browser.close()
    await server.stop()
    await test.drop()
  }

  return { test, server, browser, open, stop }
}

/** A site that the tests of a file share; nothing is started where no Chromium is installed. */
export function sharedSite(): Site {
  return CHROMIUM ? shared(startSite, ({ stop }) => stop()) : ({} as Site)
}

/** Runs axe on the page as it is now. @param rules those of axe's rules that are asked; all unless given. */
export async function expectAccessible(
  page: Page,
  what: string,
  rules?: readonly string[],
): Promise<void> {
  const isLoaded = await page.evaluate(() => 'axe' in globalThis)
  if (!isLoaded) await page.evaluate(axe.source)
  const found = await page.evaluate(async (runOnly) => {
    const { run } = (globalThis as unknown as { axe: typeof axe }).axe
    // Off unless asked for: targets of at least 24 pixels (WCAG 2.2).
    const rules = { 'target-size': { enabled: true } }
    const { violations } = await run(runOnly ? { runOnly: [...runOnly] } : { rules })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))
  }, rules)
  expect({ what, found }).toEqual({ what, found: [] })
}
