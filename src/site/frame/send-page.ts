/** Turns a page into its response: whole, or sent while it is rendered. */

import { type Html, renderHtml } from '../http/html.ts'
import type { Page, PageContext, Site, StreamedPage } from '../http/page.ts'
import { answerOf, secured } from '../http/responses.ts'
import { fillSlots, streamBody } from '../http/streaming-slot.tsx'
import { themeOf } from '../http/theme.ts'
import { renderDocument, renderMain } from './layout.tsx'

const HTML = 'text/html; charset=utf-8'

/** Answers with a page. @param context absent where the request failed before it had one */
export async function sendPage(
  site: Site,
  request: Request,
  page: Page,
  context?: PageContext,
): Promise<Response> {
  const theme = themeOf(request, site.appUrl)
  const text = await renderDocument(await renderMain(page), site, context, theme)
  const issued = context?.issuedToken()
  const { status = 200, headers } = page
  const isPrivate = context?.session || issued || page.status
  const answer = answerOf({
    text,
    type: HTML,
    status,
    headers: { ...headers, ...(issued?.cookie && { 'set-cookie': issued.cookie }) },
    kept: isPrivate ? 'never' : 'checked',
    isSentOnce: true,
  })
  return answer(request)
}

/** A part of a page, which the browser's script puts in. @param kept the value of `Cache-Control` */
export async function partOf(html: Html, kept: string): Promise<Response> {
  const headers = { 'content-type': HTML, 'cache-control': kept, 'x-robots-tag': 'noindex' }
  return new Response(await renderHtml(html), { headers })
}

/** Sends a signed-in user's page while its parts are rendered. */
export async function streamPage(
  site: Site,
  page: StreamedPage,
  context: PageContext,
): Promise<Response> {
  const { parts, left } = page.streamed
  const theme = themeOf(context.request, site.appUrl)
  const document = await renderDocument(await renderMain(page), site, context, theme)
  const body = streamBody(fillSlots(document, parts), context.log, left)
  return secured(new Response(body, { headers: { 'content-type': HTML } }))
}
