/** The application host: routes and files that it is given, with the frame, failures and health that every page shares. */
import { Elysia } from 'elysia'
import { transportSecurity } from '../../contract/headers.ts'
import type { IncomingRequest } from '../../runtime.ts'
import type { Route, WebServices } from '../http/page.ts'
import { checkQuery, PageError } from '../http/page-error.ts'
import { type Answer, answerOf, type Content, headOf, secured } from '../http/responses.ts'
import { methodNotAllowedPage, notFoundPage } from './failures.tsx'
import { createHandler, isRead, sendFailure } from './handler.ts'
import { healthAnswers } from './health.ts'
import { sendPage } from './send-page.ts'

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
