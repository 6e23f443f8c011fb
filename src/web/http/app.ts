/**
 * The application host: the directory and the documentation for people, their account's pages, and the
 * OpenAPI document for programs. It has no API route, so a call that was sent here by mistake is an
 * HTML 404 (D39).
 */
import { Elysia } from 'elysia'
import { DatabaseUnavailable, describeError } from '../../database/client.ts'
import type { Directory } from '../../directory/directory.ts'
import type { Log } from '../../log.ts'
import type { IncomingRequest } from '../../runtime.ts'
import { PasswordsBusy } from '../../users/passwords.ts'
import { receiveStripe } from '../billing/stripe-webhook.ts'
import { renderMain } from '../components/layout.tsx'
import type { Application } from './application.ts'
import { ASSETS } from './assets.ts'
import { createContext, limitPageViews, type RenderContext, readVerifiedForm } from './context.ts'
import {
  methodNotAllowedPage,
  notFoundPage,
  pageOfError,
  serverErrorPage,
  unavailablePage,
} from './failures.tsx'
import type { OpenRoute, Page, PageContext, Reply, Route, SignedInContext } from './page.ts'
import { PageError } from './page-error.ts'
import { answerOf, type Content } from './responses.ts'
import { redirectToSignIn } from './return-url.ts'
import { ROUTES } from './routes.ts'
import { type Asked, answerOfPage, headOf, secured, sendInParts, sendPage } from './send-page.ts'
import type { Site } from './site.ts'

/** What the application host works with. */
export interface WebServices extends Site {
  /** The OpenAPI document. */
  openapi: object
  directory: Directory
  application: Application
  log: Log
}

/** Answers a request. Never throws. */
export type WebFetch = (request: IncomingRequest) => Promise<Response>

const MAX_URL_CHARACTERS = 8 * 1024

/** Builds the application host. Nothing is listening yet: the result is a function from request to response. */
export function createWeb(services: WebServices): WebFetch {
  // As the API's: a path with a slash at its end is another path, a host name is no part of it.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
  for (const route of ROUTES) app.all(route.path, handlerOf(services, route))
  for (const [path, content] of filesOf(services)) {
    const file = answerOf(content)
    app.all(path, ({ request }) =>
      isRead(request)
        ? file(request)
        : sendPage(services, { request, path }, methodNotAllowedPage('GET, HEAD')),
    )
  }
  app.all('/webhooks/stripe', async ({ request, path }) =>
    request.method === 'POST'
      ? secured(await receiveStripe(services.application.payments, request))
      : sendPage(services, { request, path }, methodNotAllowedPage('POST')),
  )
  app.all('/health', ({ request }) =>
    isRead(request)
      ? secured(healthOf(services.directory))
      : sendPage(services, { request, path: '/health' }, methodNotAllowedPage('GET, HEAD')),
  )
  app.all('/*', ({ request }) => sendMissing(services, { request, path: '' }))

  return async (request) => {
    try {
      if (request.url.length > MAX_URL_CHARACTERS) {
        throw new PageError(414, 'That address is too long', 'Ask for less at once.')
      }
      const response = await app.fetch(request)
      return request.method === 'HEAD' ? headOf(response) : response
    } catch (error) {
      return sendFailure(services, { request, path: '' }, error)
    }
  }
}

/** What a path answers: its pages, and what its forms do. */
function handlerOf(services: WebServices, route: Route) {
  const allow = route.post ? 'GET, HEAD, POST' : 'GET, HEAD'
  /** Once somebody has asked for it. */
  let fixed: ReturnType<typeof fixedPage> | undefined

  // Taken apart here: Elysia reads what a handler is written to use, and would read the body as well.
  return async ({ request, path }: Asked): Promise<Response> => {
    const asked = { request, path }
    let context: RenderContext | undefined
    try {
      if (!isRead(request) && !(route.post && request.method === 'POST')) {
        return await sendPage(services, asked, methodNotAllowedPage(allow))
      }
      context = await createContext(services, route, asked)
      if (!route.needsSignIn && isRead(request) && isFixed(route, context)) {
        fixed ??= fixedPage(services, path, route.get(context))
        const { page, answer } = await fixed
        if (!context.session) return await answer(request)
        return await (await answerOfPage(services, path, page, context))(request)
      }
      const reply = await replyOf(route, context)
      if (reply instanceof Response) return secured(reply)
      if (reply.streamed)
        return await sendInParts(services, asked.path, reply, reply.streamed, context)
      return await sendPage(services, asked, reply, context)
    } catch (error) {
      return sendFailure(services, asked, error, context)
    }
  }
}

function isFixed({ cachedFor }: OpenRoute, { session }: PageContext): boolean {
  return cachedFor === 'everyone' || (cachedFor === 'signed-out' && !session)
}

/** A fixed page once written, and the whole answer to whoever is not signed in. */
async function fixedPage(services: WebServices, path: string, reply: Reply | Promise<Reply>) {
  const page = await renderMain((await reply) as Page)
  return { page, answer: await answerOfPage(services, path, page) }
}

async function replyOf(route: Route, context: PageContext): Promise<Reply> {
  const posts = context.request.method === 'POST'
  if (route.needsSignIn) {
    if (!needsSignIn(context)) return redirectToSignIn(context)
    return posts && route.post
      ? route.post(context, await readVerifiedForm(route, context))
      : route.get(context)
  }
  if (route.isRateLimited && !context.session) await limitPageViews(context)
  return posts && route.post
    ? route.post(context, await readVerifiedForm(route, context))
    : route.get(context)
}

function needsSignIn(context: PageContext): context is SignedInContext {
  return context.session !== undefined
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** In the frame of whoever asks. */
async function sendMissing(services: WebServices, asked: Asked): Promise<Response> {
  try {
    const context = await createContext(
      services,
      { path: '/', get: () => notFoundPage(services) },
      asked,
    )
    return await sendPage(services, asked, notFoundPage(services), context)
  } catch (error) {
    return sendFailure(services, asked, error)
  }
}

async function sendFailure(
  services: WebServices,
  asked: Asked,
  thrown: unknown,
  context?: RenderContext,
): Promise<Response> {
  const foreseen = pageOfError(services, thrown)
  if (foreseen) return sendPage(services, asked, foreseen, context)
  const requestId = crypto.randomUUID()
  if (thrown instanceof DatabaseUnavailable || thrown instanceof PasswordsBusy) {
    services.log.warn('a page could not be decided', { requestId, reason: thrown.message })
    return sendPage(services, asked, unavailablePage())
  }
  services.log.error('a page failed', { requestId, error: describeError(thrown) })
  return sendPage(services, asked, serverErrorPage(requestId))
}

/** For whoever watches a running server: that it takes calls, and how far its directory is (D38). */
function healthOf({ position, counts }: Directory): Response {
  return Response.json({ status: 'ok', position, counts })
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
