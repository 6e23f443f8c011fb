/** How pages become responses: whole, in parts, and with the headers of every answer of this host. */

import { type RenderedPage, renderDocument, renderMain } from '../components/layout.tsx'
import type { RenderContext } from './context.ts'
import type { Page } from './page.ts'
import { type Answer, answerOf, SECURITY_HEADERS } from './responses.ts'
import type { Site } from './site.ts'
import { type StreamedParts, withParts } from './streaming-slot.tsx'
import { bodyOf } from './streams.ts'

const HTML = 'text/html; charset=utf-8'

/** A request as Elysia hands it on. */
export interface Asked {
  request: Request
  path: string
}

export async function sendPage(
  site: Site,
  { request, path }: Asked,
  page: Page,
  context?: RenderContext,
): Promise<Response> {
  return (await answerOfPage(site, path, await renderMain(page), context))(request)
}

/** A page of somebody's own whose parts are made while it is sent. */
export async function sendInParts(
  site: Site,
  path: string,
  page: Page,
  { parts, left }: StreamedParts,
  context: RenderContext,
): Promise<Response> {
  const document = await renderDocument(await renderMain(page), { site, path, context })
  return secured(
    new Response(bodyOf(withParts(document, parts), left), { headers: { 'content-type': HTML } }),
  )
}

export async function answerOfPage(
  site: Site,
  path: string,
  page: RenderedPage,
  context?: RenderContext,
): Promise<Answer> {
  const text = await renderDocument(page, { site, path, context })
  const issued = context?.formIssued()
  const isOnes = context?.session || issued || page.status
  return answerOf({
    text,
    type: HTML,
    status: page.status ?? 200,
    headers: { ...page.headers, ...(issued?.cookie ? { 'set-cookie': issued.cookie } : {}) },
    kept: isOnes ? 'never' : 'checked',
  })
}

/** What a page's own response lacks: the headers of every page, and that nobody may keep it. */
export function secured(response: Response): Response {
  const headers = new Headers({ 'cache-control': 'no-store', ...SECURITY_HEADERS })
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') headers.set(name, value)
  }
  for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie)
  return new Response(response.body, { status: response.status, headers })
}

/** Without its body, and without the length that the framework gave it. */
export function headOf({ status, headers }: Response): Response {
  const head = new Headers(headers)
  head.delete('content-length')
  return new Response(null, { status, headers: head })
}
