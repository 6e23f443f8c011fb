/** The application host for tests: the directory of `fixtures.ts`, asked without a socket. */

import { createApi } from '../../src/api/app.ts'
import { readConfig } from '../../src/config.ts'
import { type ConsoleServices, openConsole } from '../../src/console/acts/services.ts'
import { consoleRoutes } from '../../src/console/routes.ts'
import type { Database } from '../../src/database/client.ts'
import type { Directory } from '../../src/directory/records/directory.ts'
import { createLog } from '../../src/log.ts'
import { createKeyCache } from '../../src/money/accounts/key-cache.ts'
import { createMeter } from '../../src/money/charge/meter.ts'
import { incoming } from '../../src/runtime.ts'
import type { WebFetch } from '../../src/site/frame/app.ts'
import { type Application, openApplication } from '../../src/site/http/application.ts'
import type { Route, WebServices } from '../../src/site/http/page.ts'
import { ROUTES } from '../../src/site/routes.ts'
import { createSite } from '../../src/site/site.ts'
import { ADA, AURORA, EMBER, FANG, fixtures, HARBOR } from '../helpers/fixtures.ts'
import { PATIENCE_MS } from '../helpers/limit.ts'
import { documentOf } from '../helpers/openapi.ts'
import type { TestService } from '../helpers/service.ts'
import { shared, sharedService } from '../helpers/shared.ts'

export const SITE = {
  baseUrl: 'https://api.chainkin.example',
  appUrl: 'https://chainkin.example',
  serviceName: 'Chainkin',
}
export const openapi = await documentOf(SITE)

export interface TestSite {
  web: WebFetch
  application: Application
  console: ConsoleServices
  /** Log lines so far. */
  logged: string[]
  get(path: string, init?: RequestInit, address?: string): Promise<Response>
  text(path: string): Promise<string>
}

/** @param application test doubles, as of `console` @param environment settings of the operator */
export async function testSite(
  { database, directory }: { database: Database; directory: Directory },
  {
    application: doubles,
    console: consoleDoubles,
    environment = {},
    ...options
  }: Partial<Omit<WebServices, 'application'>> & {
    application?: Partial<Application>
    console?: Partial<ConsoleServices>
    environment?: Record<string, string>
  } = {},
): Promise<TestSite> {
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  const { appUrl } = SITE
  const meter = createMeter(database, { maxWaitMs: PATIENCE_MS })
  const config = readConfig(environment)
  const console = { ...openConsole(config, { database, appUrl, log }), ...consoleDoubles }
  const { mailNotices } = console
  const opened = await openApplication(config, { database, meter, appUrl, log, mailNotices })
  const application = { ...opened, ...doubles }
  const keys = createKeyCache(database)
  const { fetchWith } = createApi({ ...SITE, config, directory, meter, keys, log })
  const services = {
    ...SITE,
    openapi,
    directory,
    log,
    callApi: fetchWith,
    readiness: async () => ({ status: 'ready' as const, reasons: [] }),
    ...options,
    application,
  }
  const web = createSite(services, consoleRoutes(console))
  let last = 0
  // Requests come from different addresses, so that limits per address don't add up.
  const newAddress = () => `10.0.${Math.floor(++last / 250)}.${last % 250}`
  const get: TestSite['get'] = (path, init = {}, address = newAddress()) =>
    web(incoming(new Request(`http://127.0.0.1:3001${path}`, init), address))
  return { web, application, console, logged, get, text: async (path) => (await get(path)).text() }
}

/** The service and its application host, which the tests of a file share. */
export function sharedSite(): { service: TestService; site: TestSite } {
  const service = sharedService(fixtures)
  return { service, site: shared(() => testSite(service)) }
}

/** A record or a list for each route that takes one. */
const RECORDS: Readonly<Record<string, string>> = {
  '/export/:list': '/export/people',
  '/credits/order': '/credits/order?topUp=small',
  '/people/:id': `/people/${ADA.slug}`,
  '/projects/:id': `/projects/${AURORA.slug}`,
  '/investors/:id': `/investors/${EMBER.slug}`,
  '/services/:id': `/services/${HARBOR.slug}`,
  '/connections/people/:id': `/connections/people/${ADA.slug}`,
  '/connections/companies/:id': `/connections/companies/${AURORA.slug}`,
  '/reveal': `/reveal?ids=${ADA.id}`,
  '/views/new/:list': '/views/new/people',
}

/** An address of a route. */
export const addressOf = ({ path }: Pick<Route, 'path'>): string => RECORDS[path] ?? path

/** Public pages with a form. They are never cached. */
export const FORM_PAGES: readonly string[] = [
  '/sign-in',
  '/sign-up',
  '/forgotten',
  '/reset',
  '/confirm',
  '/appearance',
  '/privacy',
  '/privacy/confirm',
]

/** Addresses of all pages that are the same for every stranger. */
export const PAGES: readonly string[] = [
  ...ROUTES.filter(
    ({ path, needsSignIn }) =>
      !needsSignIn &&
      !['/sign-out', '/sign-in/code', '/invitation'].includes(path) &&
      !FORM_PAGES.includes(path),
  ).map(addressOf),
  `/people/${FANG.id}`,
  '/people?q=ada&roles=founder&channels=email&sort=name',
  '/search?q=a',
  '/projects?sector=DeFi&token=launched',
  '/projects?q=nothing-is-called-this',
]

/** Every address that a page loads or links to. */
export function addressesIn(html: string): string[] {
  return [...html.matchAll(/\b(?:href|src|action|data-document)="([^"]*)"/g)].map(([, it]) =>
    it!.replaceAll('&amp;', '&'),
  )
}
