/**
 * The site: the directory, the documentation and the account's pages for people, and the OpenAPI document for programs. It has no
 * route of the API: a call that comes here gets an HTML 404, so that a wrong host is recognised.
 */
import { type JsonObject, openApi31 } from '../api/openapi/schemas.ts'
import { ALIAS_ROUTES } from './aliases.ts'
import { crawlerFiles } from './crawlers.ts'
import { withExamples } from './docs/example-values.ts'
import { answerWithExamples, markdownFiles } from './docs/markdown-files.ts'
import type { OpenApi } from './docs/openapi.ts'
import { docsIndexRoute } from './docs/search-index.ts'
import { createHost, type WebFetch } from './frame/app.ts'
import { ASSETS } from './http/assets.ts'
import type { Route, WebServices } from './http/page.ts'
import type { Answer } from './http/responses.ts'
import { receiveStripe } from './pages/billing/stripe-webhook.ts'
import { paletteRoute } from './pages/directory/palette.tsx'
import { pictureSender } from './pages/directory/pictures.ts'
import { suggestionsRoute } from './pages/directory/search.tsx'
import { ROUTES } from './routes.ts'

/** Builds the host of the site. @param console the operator's routes */
export function createSite(services: WebServices, console: readonly Route[]): WebFetch {
  const markdown = markdownFiles(services)
  const { payments } = services.application
  return createHost(services, {
    routes: [
      ...ROUTES,
      ...ALIAS_ROUTES,
      ...console,
      docsIndexRoute,
      suggestionsRoute,
      paletteRoute,
    ],
    files: [...Object.values(ASSETS), ...crawlerFiles(services)],
    answers: [
      ...markdown.answers,
      ['/openapi.json', openApiFile(services)],
      ['/openapi-3.1.json', openApiFile(services, (it) => openApi31(it as JsonObject))],
      ['/pictures/:id', pictureSender(services)],
    ],
    // Without Stripe there is no such path, and nobody's body is read.
    hooks:
      payments.mode === 'stripe'
        ? { '/webhooks/stripe': (request) => receiveStripe(payments, request) }
        : {},
    preferred: (request) => markdown.preferred(request),
  })
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
