/**
 * The application host: documentation for people, the OpenAPI document for programs. It has no API
 * route, so a call that was sent here by mistake is an HTML 404 (D39).
 */
import { ASSETS } from './assets.ts'
import { layout, type Page } from './layout.ts'
import { creditsPage } from './pages/credits.ts'
import { errorsPage } from './pages/errors.ts'
import { homePage } from './pages/home.ts'
import { methodPage, missingPage } from './pages/missing.ts'
import { plansPage } from './pages/plans.ts'
import { referencePage } from './pages/reference.ts'
import { type Answer, type Content, SCRIPTED_POLICY, serve } from './responses.ts'
import type { Site } from './site.ts'

export interface WebOptions extends Site {
  /** The OpenAPI document. */
  openapi: object
}

const HTML = 'text/html; charset=utf-8'
const METHODS = 'GET, HEAD'

/** Every page by its path. */
const PAGES: Readonly<Record<string, (site: Site) => Page>> = {
  '/': homePage,
  '/docs': referencePage,
  '/docs/credits': creditsPage,
  '/docs/errors': errorsPage,
  '/credits': plansPage,
}

/** Builds the application host. Nothing is listening yet: the result is a function from request to response. */
export function createWeb({
  openapi,
  ...site
}: WebOptions): (request: Request) => Promise<Response> {
  const built = build(site, openapi)
  return async (request) => {
    const { routes, missing, notAllowed } = await built
    const answer = routes.get(new URL(request.url).pathname)
    if (!answer) return missing(request)
    return request.method === 'GET' || request.method === 'HEAD'
      ? answer(request)
      : notAllowed(request)
  }
}

/** Every page is the same for everybody, so each is written once. */
async function build(site: Site, openapi: object) {
  const page = async (path: string, content: Page, extra: Partial<Content> = {}) =>
    serve({ text: String(await layout(site, path, content)), type: HTML, ...extra })

  const routes = new Map<string, Answer>()
  for (const [path, pageOf] of Object.entries(PAGES)) {
    const content = pageOf(site)
    const headers = content.scripts ? { 'content-security-policy': SCRIPTED_POLICY } : {}
    routes.set(path, await page(path, content, { headers }))
  }
  for (const { path, type, text } of Object.values(ASSETS)) {
    routes.set(path, serve({ text, type, immutable: true }))
  }
  routes.set('/openapi.json', serve(documentOf(openapi)))
  routes.set('/robots.txt', serve({ text: 'User-agent: *\nAllow: /\n', type: 'text/plain' }))
  return {
    routes,
    missing: await page('', missingPage(site), { status: 404 }),
    notAllowed: await page('', methodPage(METHODS), { status: 405, headers: { allow: METHODS } }),
  }
}

/** Public, and of use to tools in a browser on other hosts. */
function documentOf(openapi: object): Content {
  return {
    text: JSON.stringify(openapi),
    type: 'application/json; charset=utf-8',
    headers: { 'access-control-allow-origin': '*' },
  }
}
