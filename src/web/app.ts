/**
 * The application host: the directory and the documentation for people, the OpenAPI document for
 * programs. It has no API route, so a call that was sent here by mistake is an HTML 404 (D39).
 */
import type { BlockList } from 'node:net'
import { Elysia } from 'elysia'
import { clientAddress, limitedAs } from '../client-address.ts'
import { DatabaseUnavailable, describeError } from '../database/client.ts'
import type { Directory } from '../directory/directory.ts'
import type { Log } from '../log.ts'
import { ASSETS } from './assets.ts'
import { brokenPage, methodPage, missingPage, pageOfThrown, unavailablePage } from './failures.tsx'
import { type Form, readForm } from './form.ts'
import { documentOf } from './layout.tsx'
import { type Page, PageError, type Route, type Session, type Visit } from './page.ts'
import { type Answer, answerOf, type Content, SECURITY_HEADERS } from './responses.ts'
import { ROUTES } from './routes.ts'
import { pathTo, type Site } from './site.ts'

/** What the application host works with. */
export interface WebServices extends Site {
  /** The OpenAPI document. */
  openapi: object
  directory: Directory
  log: Log
  /** Proxies whose `X-Forwarded-For` counts (D23). */
  trustedProxies: BlockList
  /** Who is signed in. Without it nobody can be. */
  session?(request: Request): Promise<Session | undefined>
  /** Whether a form was sent by this site's own page for this session. Without it no form is taken. */
  isOwnForm?(request: Request, form: Form): boolean
  /**
   * Counts a page that an address looks at without signing in.
   * @returns whether it may, and in how many seconds it may again. Without it nothing is counted.
   */
  takeVisit?(address: string): Promise<{ allowed: boolean; retryAfter: number }>
}

/** Answers a request that came from a socket with this IP address. Never throws. */
export type WebFetch = (request: Request, socketAddress?: string) => Promise<Response>

const HTML = 'text/html; charset=utf-8'
const MAX_URL_CHARACTERS = 8 * 1024

/** Where each request came from: Elysia hands its handlers the request and nothing beside it. */
const addresses = new WeakMap<Request, string>()

/** Builds the application host. Nothing is listening yet: the result is a function from request to response. */
export function createWeb(services: WebServices): WebFetch {
  const site: Site = services
  // As the API's: a path with a slash at its end is another path, a host name is no part of it.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
  for (const route of ROUTES) app.all(route.path, handlerOf(services, route))
  for (const [path, content] of filesOf(services)) {
    const file = answerOf(content)
    app.all(path, ({ request }) =>
      isRead(request) ? file(request) : sendPage(site, request, path, methodPage('GET, HEAD')),
    )
  }
  app.all('/*', ({ request }) => sendPage(site, request, '', missingPage(site)))

  return async (request, socketAddress = '') => {
    addresses.set(request, socketAddress)
    try {
      if (request.url.length > MAX_URL_CHARACTERS) {
        throw new PageError(414, 'That address is too long', 'Ask for less at once.')
      }
      const response = await app.fetch(request)
      return request.method === 'HEAD' ? headOf(response) : response
    } catch (error) {
      return sendFailure(services, request, error)
    }
  }
}

/** What a path answers: its pages, and what its forms do. */
function handlerOf(services: WebServices, route: Route) {
  const allow = route.post ? 'GET, HEAD, POST' : 'GET, HEAD'
  /** A page that is the same for everybody, once written. */
  let fixed: Promise<Answer> | undefined

  return async ({ request, path }: { request: Request; path: string }): Promise<Response> => {
    try {
      if (!isRead(request) && !(route.post && request.method === 'POST')) {
        return await sendPage(services, request, path, methodPage(allow))
      }
      const session = await services.session?.(request)
      const visit = visitOf(services, route, request, path, session)
      if (route.isFixed && !session && isRead(request)) {
        fixed ??= Promise.resolve(route.get(visit)).then((page) =>
          answerOfPage(services, path, page as Page),
        )
        return await (await fixed)(request)
      }
      if (route.isCounted && !session) await countVisit(services, request)
      const reply =
        route.post && request.method === 'POST'
          ? await route.post(visit, await ownForm(services, route, request))
          : await route.get(visit)
      if (reply instanceof Response) return secured(reply)
      return await sendPage(services, request, path, reply, session)
    } catch (error) {
      return sendFailure(services, request, error)
    }
  }
}

function visitOf(
  services: WebServices,
  route: Route,
  request: Request,
  path: string,
  session: Session | undefined,
): Visit {
  const { directory, openapi } = services
  const queryStart = request.url.indexOf('?')
  return {
    site: services,
    directory,
    openapi,
    request,
    query: queryStart < 0 ? '' : request.url.slice(queryStart + 1),
    id: route.path.includes(':') ? path.slice(path.lastIndexOf('/') + 1) : '',
    session,
    to: (target) => pathTo(services, target),
  }
}

/** @throws PageError 403 for a form that another site sent, or that is of an older session. */
async function ownForm(services: WebServices, route: Route, request: Request): Promise<Form> {
  const form = await readForm(request, route.maxFormBytes)
  if (services.isOwnForm?.(request, form)) return form
  throw new PageError(
    403,
    'This form is out of date',
    'Nothing was changed. Go back, load the page again and repeat what you did.',
  )
}

async function countVisit(services: WebServices, request: Request): Promise<void> {
  const forwarded = request.headers.get('x-forwarded-for')
  const socket = addresses.get(request) ?? ''
  const address = limitedAs(clientAddress(socket, forwarded, services.trustedProxies))
  const visit = await services.takeVisit?.(address)
  if (!visit || visit.allowed) return
  throw new PageError(
    429,
    'That was a lot of pages',
    `Without signing in, an address may look at so many a minute. Wait ${visit.retryAfter} s.`,
    { 'retry-after': String(visit.retryAfter) },
  )
}

/** Without its body, and without the length that the framework gave it. */
function headOf({ status, headers }: Response): Response {
  const head = new Headers(headers)
  head.delete('content-length')
  return new Response(null, { status, headers: head })
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

async function sendPage(
  site: Site,
  request: Request,
  path: string,
  page: Page,
  session?: Session,
): Promise<Response> {
  return (await answerOfPage(site, path, page, session))(request)
}

async function answerOfPage(
  site: Site,
  path: string,
  page: Page,
  session?: Session,
): Promise<Answer> {
  return answerOf({
    text: await documentOf(page, { site, path, session }),
    type: HTML,
    status: page.status ?? 200,
    headers: page.headers ?? {},
    kept: session || page.status ? 'never' : 'checked',
  })
}

/** What a page's own response lacks: the headers of every page, and that nobody may keep it. */
function secured(response: Response): Response {
  const headers = new Headers({ 'cache-control': 'no-store', ...SECURITY_HEADERS })
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') headers.set(name, value)
  }
  for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
}

async function sendFailure(
  services: WebServices,
  request: Request,
  thrown: unknown,
): Promise<Response> {
  const foreseen = pageOfThrown(services, thrown)
  if (foreseen) return sendPage(services, request, '', foreseen)
  const requestId = crypto.randomUUID()
  if (thrown instanceof DatabaseUnavailable) {
    services.log.warn('a page could not be decided', { requestId, reason: thrown.message })
    return sendPage(services, request, '', unavailablePage())
  }
  services.log.error('a page failed', { requestId, error: describeError(thrown) })
  return sendPage(services, request, '', brokenPage(requestId))
}

/** What is no page: assets, the document for programs, a word to robots. */
function filesOf({ openapi }: WebServices): Map<string, Content> {
  const files = new Map<string, Content>()
  for (const { path, type, text } of Object.values(ASSETS)) {
    files.set(path, { text, type, kept: 'forever' })
  }
  files.set('/openapi.json', {
    text: JSON.stringify(openapi),
    type: 'application/json; charset=utf-8',
    kept: 'checked',
    // Public, and of use to tools in a browser on other hosts.
    headers: { 'access-control-allow-origin': '*' },
  })
  files.set('/robots.txt', {
    text: 'User-agent: *\nAllow: /\n',
    type: 'text/plain; charset=utf-8',
    kept: 'checked',
  })
  return files
}
