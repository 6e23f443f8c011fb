/** The application host for tests: the directory of `fixtures.ts`, asked without a socket. */
import { BlockList } from 'node:net'
import { openApiDocument } from '../../src/api/openapi.ts'
import type { Directory } from '../../src/directory/directory.ts'
import { createLog } from '../../src/log.ts'
import { createWeb, type WebFetch, type WebServices } from '../../src/web/app.ts'
import { ROUTES } from '../../src/web/routes.ts'
import { ADA, AURORA, EMBER, FANG, HARBOR } from '../helpers/fixtures.ts'

export const SITE = {
  baseUrl: 'https://api.chainkin.example',
  appUrl: 'https://chainkin.example',
  serviceName: 'Chainkin',
}
export const openapi = await openApiDocument(SITE)

export interface TestSite {
  web: WebFetch
  /** What was logged so far. */
  logged: string[]
  get(path: string, init?: RequestInit, address?: string): Promise<Response>
  text(path: string): Promise<string>
}

export function testSite(directory: Directory, options: Partial<WebServices> = {}): TestSite {
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  const trustedProxies = new BlockList()
  const web = createWeb({ ...SITE, openapi, directory, log, trustedProxies, ...options })
  const get: TestSite['get'] = (path, init = {}, address = '192.0.2.1') =>
    web(new Request(`http://127.0.0.1:3001${path}`, init), address)
  return { web, logged, get, text: async (path) => (await get(path)).text() }
}

/** A record for each route that takes one. */
const RECORDS: Readonly<Record<string, string>> = {
  '/people/:id': `/people/${ADA.slug}`,
  '/projects/:id': `/projects/${AURORA.slug}`,
  '/investors/:id': `/investors/${EMBER.slug}`,
  '/services/:id': `/services/${HARBOR.slug}`,
}

/** Every page that is answered to somebody who is not signed in, by an address of its own. */
export const PAGES: readonly string[] = [
  ...ROUTES.map(({ path }) => RECORDS[path] ?? path),
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
