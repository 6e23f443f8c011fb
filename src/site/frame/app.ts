/**
 * The application host: the directory, the documentation and the account's pages for people, and the OpenAPI
 * document for programs. It has no API route: a call of the API gets an HTML 404 (D39).
 */
import { Elysia } from 'elysia'
import { type JsonObject, openApi31 } from '../../api/openapi/schemas.ts'
import { OPERATOR_ROUTES } from '../../console/pages/routes.ts'
import { transportSecurity } from '../../contract/headers.ts'
import type { IncomingRequest } from '../../runtime.ts'
import { withExamples } from '../docs/endpoints/example-values.ts'
import { answerWithExamples, markdownFiles } from '../docs/markdown/files.ts'
import type { OpenApi } from '../docs/openapi.ts'
import { docsIndexRoute } from '../docs/search/docs-index.ts'
import { receiveStripe } from '../pages/billing/stripe-webhook.ts'
import { pictureSender } from '../pages/directory/pictures.ts'
import { paletteRoute } from '../pages/find/palette.tsx'
import { suggestionsRoute } from '../pages/find/suggestions.tsx'
import { ALIAS_ROUTES } from './aliases.ts'
import { ASSETS } from './assets.ts'
import { crawlerFiles } from './crawlers.ts'
import { methodNotAllowedPage, notFoundPage } from './failures.tsx'
import { createHandler, isRead, sendFailure } from './handler.ts'
import { healthAnswers } from './health.ts'
import type { WebServices } from './page.ts'
import { checkQuery, PageError } from './page-error.ts'
import { type Answer, answerOf, type Content, headOf, secured } from './responses.ts'
import { ROUTES } from './routes.ts'
import { sendPage } from './send-page.ts'

/** Answers a request. Never throws. */
export type WebFetch = (request: IncomingRequest) => Promise<Response>

const MAX_URL_CHARACTERS = 8 * 1024

/** Builds the application host: a function from request to response. Listening is the service's. */
export function createWeb(services: WebServices): WebFetch {
  // As on the API: a slash at the end makes another path, and the host name plays no part.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
  for (const route of [
    ...ROUTES,
    ...ALIAS_ROUTES,
    ...OPERATOR_ROUTES,
    docsIndexRoute,
    suggestionsRoute,
    paletteRoute,
  ])
    app.all(route.path, createHandler(services, route))
  for (const file of filesOf(services)) read(file.path, answerOf(file))
  read('/openapi.json', openApiFile(services))
  read(
    '/openapi-3.1.json',
    openApiFile(services, (document) => openApi31(document as JsonObject)),
  )
  const markdown = markdownFiles(services)
  for (const [path, answer] of markdown.answers) {
    read(path, (request) =>
      answer(request).catch((error: unknown) => sendFailure(services, request, error)),
    )
  }
  for (const [path, answer] of Object.entries(healthAnswers(services))) read(path, answer)
  const sendPicture = pictureSender(services)
  read('/pictures/:id', (request) =>
    sendPicture(request).catch((error: unknown) => sendFailure(services, request, error)),
  )
  const { payments } = services.application
  // Without Stripe there is no such path, and nobody's body is read.
  if (payments.mode === 'stripe') {
    app.all('/webhooks/stripe', ({ request }) =>
      request.method === 'POST'
        ? receiveStripe(payments, request)
            .then(secured)
            .catch((error: unknown) => sendFailure(services, request, error))
        : sendPage(services, request, methodNotAllowedPage('POST')),
    )
  }
  // Nobody is admitted, as to a page of operators that somebody else asks for: both answer alike.
  app.all('/*', createHandler(services, { path: '/*', get: notFoundPage, admits: () => false }))

  function read(path: string, answer: (request: Request) => Response | Promise<Response>) {
    app.all(path, ({ request }) =>
      isRead(request)
        ? answer(request)
        : sendPage(services, request, methodNotAllowedPage('GET, HEAD')),
    )
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
      const preferred = isRead(request) ? markdown.preferred(request) : undefined
      const response = await (preferred ? preferred(request) : app.fetch(request))
      return request.method === 'HEAD' ? headOf(response) : response
    } catch (error) {
      return sendFailure(services, request, error)
    }
  }
}

/** The files by their paths: assets, what crawlers ask for. */
function filesOf(services: WebServices): readonly (Content & { path: string })[] {
  return [...Object.values(ASSETS), ...crawlerFiles(services)]
}

/** The OpenAPI document with examples of the directory. @param version makes another version of it */
function openApiFile(
  { openapi, directory }: WebServices,
  version = (document: object) => document,
): Answer {
  return answerWithExamples(directory, (examples) => ({
    text: JSON.stringify(version(withExamples(openapi as OpenApi, examples))),
    type: 'application/json; charset=utf-8',
    kept: 'checked',
    // Public, and of use to tools in a browser on other hosts.
    headers: { 'access-control-allow-origin': '*' },
  }))
}
