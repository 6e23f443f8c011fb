/** The application host: routes and files that it is given, with the frame, failures and health that every page shares. */
import { Elysia } from 'elysia'
import { COMMIT } from '../../commit.ts'
import { transportSecurity } from '../../contract/headers.ts'
import { API_VERSION } from '../../contract/version.ts'
import { describeError } from '../../database/client.ts'
import { uuidOf } from '../../database/uuid.ts'
import { countAttempt, countPage } from '../../people/users/rate-limiter.ts'
import type { IncomingRequest } from '../../runtime.ts'
import { type Form, readForm } from '../http/form.ts'
import {
  createHref,
  isSignedIn,
  type Page,
  type PageContext,
  type Reply,
  type Route,
  type RouteOf,
  redirect,
  type WebServices,
} from '../http/page.ts'
import { ClientLeft, checkQuery, PageError } from '../http/page-error.ts'
import { type Answer, answerOf, type Content, headOf, secured } from '../http/responses.ts'
import { formPageOf } from '../http/return-url.ts'
import { unsentOf } from '../http/unsent-form.ts'
import { isMultipart, readUpload, type Sent } from '../http/upload.ts'
import { failureOf, methodNotAllowedPage, notFoundPage } from './failures.tsx'
import { sendPage } from './send-page.ts'
import { outdatedPage, signInFirst } from './unsent-page.tsx'

/** Answers a request. Never throws. */
export type WebFetch = (request: IncomingRequest) => Promise<Response>

/** Answers that a host is made of. */
export interface HostParts {
  routes: readonly Route[]
  files: readonly (Content & { path: string })[]
  /** Other answers to GET and HEAD, by their paths as Elysia writes them. */
  answers: Iterable<readonly [path: string, answer: Answer]>
  /** Receivers of what programs post, by their paths. */
  hooks: Readonly<Record<string, (request: Request) => Promise<Response>>>
  /** Returns an answer in another format that the request prefers; undefined for most. */
  preferred(request: Request): Answer | undefined
}

const MAX_URL_CHARACTERS = 8 * 1024

/** Builds the application host: a function from request to response. Listening is the service's. */
export function createHost(services: WebServices, parts: HostParts): WebFetch {
  // The same as on the API: a trailing slash makes another path, and the host name is ignored.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
  for (const route of parts.routes) app.all(route.path, createHandler(services, route))
  for (const file of parts.files) read(file.path, answerOf(file))
  for (const [path, answer] of parts.answers) read(path, answer)
  for (const [path, answer] of Object.entries(healthAnswers(services))) read(path, answer)
  for (const [path, receive] of Object.entries(parts.hooks)) {
    app.all(path, ({ request }) =>
      request.method === 'POST'
        ? receive(request)
            .then(secured)
            .catch((error: unknown) => sendFailure(services, request, error))
        : sendPage(services, request, methodNotAllowedPage('POST')),
    )
  }
  // Nobody is admitted, as to a page of operators that somebody else asks for: both answer alike.
  app.all('/*', createHandler(services, { path: '/*', get: notFoundPage, admits: () => false }))

  function read(path: string, answer: Answer | (() => Response | Promise<Response>)) {
    app.all(path, async ({ request }) => {
      if (!isRead(request)) return sendPage(services, request, methodNotAllowedPage('GET, HEAD'))
      try {
        return await answer(request)
      } catch (error) {
        return sendFailure(services, request, error)
      }
    })
  }

  const transport = Object.entries(transportSecurity(services.appUrl))

  return async (request) => {
    const response = await answer(request)
    for (const [name, value] of transport) response.headers.set(name, value)
    return response
  }

  async function answer(request: IncomingRequest): Promise<Response> {
    try {
      if (request.url.length > MAX_URL_CHARACTERS) {
        throw new PageError(414, 'That address is too long', 'Ask for less at once.')
      }
      checkQuery(request.url)
      const preferred = isRead(request) ? parts.preferred(request) : undefined
      const response = await (preferred ? preferred(request) : app.fetch(request))
      return request.method === 'HEAD' ? headOf(response) : response
    } catch (error) {
      return sendFailure(services, request, error)
    }
  }
}

// The way of a page: request → route → session → form → page → response. A failure becomes a page too.

/** Creates the handler of a route. It never throws. */
function createHandler(services: WebServices, route: Route) {
  const allow = route.post ? 'GET, HEAD, POST' : 'GET, HEAD'

  // The parameters are taken apart here: Elysia reads the handler's text, and would parse the body as well.
  return async ({ request, path }: { request: Request; path: string }): Promise<Response> => {
    let context: PageContext | undefined
    try {
      const isTaken = isRead(request) || (route.post && request.method === 'POST')
      if (!isTaken && !route.admits) {
        return await sendPage(services, request, methodNotAllowedPage(allow))
      }
      context = await createContext(services, request, path, route.path.includes(':'))
      if (route.admits && !(await route.admits(context))) {
        return await sendReply(services, await notAdmitted(route, context), context)
      }
      if (!isTaken) return await sendPage(services, request, methodNotAllowedPage(allow))
      if (route.signedInPath && context.session) {
        return secured(redirect(context.href(route.signedInPath)))
      }
      return await sendReply(services, await replyOf(route, context), context)
    } catch (error) {
      return sendFailure(services, request, error, context)
    }
  }
}

async function sendReply(
  services: WebServices,
  reply: Reply,
  context: PageContext,
): Promise<Response> {
  if (reply instanceof Response) return secured(reply)
  return sendPage(services, context.request, reply, context)
}

/** The page of an unknown path. An operator whose session has ended signs in first: nobody else has the token of one. */
async function notAdmitted(route: Route, context: PageContext): Promise<Reply> {
  const { session, application, request } = context
  const isOperatorBack = !session && (await application.users.wasOperator(request))
  return isOperatorBack ? signInFirst(route, context) : notFoundPage(context)
}

async function replyOf(route: Route, context: PageContext): Promise<Reply> {
  if (!route.needsSignIn) {
    await limitPageViews(route, context)
    return callRoute(route, context)
  }
  if (!isSignedIn(context)) return signInFirst(route, context)
  await limitPageViews(route, context)
  return callRoute(route, context)
}

/** @throws PageError 403 for a form that another site sent, or that belongs to an older session */
async function callRoute<C extends PageContext>(route: RouteOf<C>, context: C): Promise<Reply> {
  if (!route.post || context.request.method !== 'POST') return route.get(context)
  const { request, application } = context
  const { form, file } = await readSent(context, route)
  if (!application.csrf.check(request, form)) return outdatedForm(context, form)
  // A form may arrive slowly: whoever was signed out meanwhile is, and a role is what it is now.
  const session = await application.users.session(request)
  if (session?.id !== context.session?.id) return outdatedForm(context, form)
  context.session = session
  if (route.admits && !(await route.admits(context))) return notFoundPage(context)
  context.form = form
  if (file) context.file = file
  return route.post(context, form)
}

/** Reads a form; of one with a large file the beginning, because who sends it is looked at before the file is taken in. */
async function readSent(
  { request, session }: PageContext,
  { largeFile, maxFormBytes: maxBytes, takesFiles }: RouteOf<never>,
): Promise<Sent> {
  if (largeFile && isMultipart(request)) return readUpload(request, largeFile)
  return { form: await readForm(request, { maxBytes, takesFiles, isStranger: !session }) }
}

/** @throws PageError 403 for a form that no page of ours sent, or in which nothing was written */
function outdatedForm(context: PageContext, form: Form): Page {
  const { site, request, application, session } = context
  const isOurs = session && form.get('csrf') && application.csrf.isOwnPage(request)
  const unsent = isOurs ? unsentOf(form, request, formPageOf(site, request)) : undefined
  if (unsent) return outdatedPage(context, unsent)
  throw new PageError(
    403,
    'This form is out of date',
    'Nothing was changed. Go back, load the page again and repeat what you did.',
  )
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Answers with the page of an error, and logs the errors that the reader can't repair. */
function sendFailure(
  services: WebServices,
  request: Request,
  error: unknown,
  context?: PageContext,
): Promise<Response> {
  const requestId = crypto.randomUUID()
  const formPage = isRead(request) ? undefined : formPageOf(services, request)
  const { page, cause } = failureOf(services, error, requestId, context?.form, formPage)
  if (error instanceof ClientLeft) services.log.debug('a client left', { requestId })
  if (cause === 'unavailable') {
    services.log.repeated('a page could not be answered', String(error), { requestId })
  }
  if (cause === 'unforeseen') {
    services.log.error('a page failed', { requestId, error: describeError(error) })
  }
  return sendPage(services, request, page, cause === 'foreseen' ? context : undefined)
}

/** Counts a page of the directory or suggestions: of the account, or without signing in of the address. @throws PageError 429 */
async function limitPageViews(
  { isRateLimited }: Route,
  { application, address, session }: PageContext,
): Promise<void> {
  if (!isRateLimited) return
  if (session) {
    const what = isRateLimited === 'suggestions' ? 'suggestions' : 'pages'
    const seconds = await countPage(application.database, application.pages, session.account, what)
    if (seconds === 0) return
    const wait = seconds <= 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`
    throw new PageError(
      429,
      'Too many pages',
      `An account may read ${application.pages.perMinute} pages of the directory in a minute and ${application.pages.perDay} in a day, more on plans with a workspace. Go on in ${wait}. To take many records at once, export a list or use the API.`,
      { 'retry-after': String(seconds) },
    )
  }
  const kind = isRateLimited === 'suggestions' ? 'suggestions' : 'visit'
  const { allowed, retryAfter } = await countAttempt(application.database, { kind, address })
  if (allowed) return
  throw new PageError(
    429,
    'Too many pages',
    `The number of pages that an address may read without signing in is limited. Wait ${retryAfter} s, or sign in.`,
    { 'retry-after': String(retryAfter) },
  )
}

/** @param hasId whether the last part of the path is a parameter. @throws DatabaseUnavailable */
async function createContext(
  services: WebServices,
  request: Request,
  path: string,
  hasId: boolean,
): Promise<PageContext> {
  const { directory, openapi, application, callApi, readiness, log } = services
  const last = hasId ? path.slice(path.lastIndexOf('/') + 1) : ''
  const queryStart = request.url.indexOf('?')
  const href = createHref(services)
  let issued: ReturnType<typeof application.csrf.token> | undefined
  return {
    site: services,
    directory,
    openapi,
    application,
    callApi,
    readiness,
    log,
    request,
    path,
    address: application.addressOf(request),
    query: queryStart < 0 ? '' : request.url.slice(queryStart + 1),
    id: uuidOf(last) ?? last,
    session: await application.users.session(request),
    href,
    picture({ id }) {
      const version = directory.pictureVersion({ id })
      return version === undefined ? undefined : href(`/pictures/${id}?v=${version}`)
    },
    formToken() {
      issued ??= application.csrf.token(request)
      return issued.token
    },
    issuedToken: () => issued,
  }
}

// Addresses for monitors and load balancers: liveness, readiness, and the position of the directory.

/** Each path with what answers a GET of it. No page of the application takes part. */
function healthAnswers({
  directory,
  readiness,
}: Pick<WebServices, 'directory' | 'readiness'>): Readonly<
  Record<string, () => Response | Promise<Response>>
> {
  return {
    // The position of the directory, for `doctor`.
    '/health': () => {
      const { position, counts, following } = directory
      const ids = following.setAside.slice(0, 20).map(({ id }) => id)
      const setAside = ids.length > 0 && { setAside: { count: following.setAside.length, ids } }
      const build = { version: API_VERSION, commit: COMMIT }
      return secured(Response.json({ status: 'ok', ...build, position, counts, ...setAside }))
    },
    '/health/live': () => secured(Response.json({ status: 'live' })),
    '/health/ready': async () => {
      const answer = await readiness()
      const status = answer.status === 'ready' ? 200 : 503
      return secured(Response.json(answer, { status }))
    },
  }
}
