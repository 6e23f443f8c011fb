/** Turns a page into its response. */

import { type Html, renderHtml } from '../http/html.ts'
import type { Page, PageContext, Site } from '../http/page.ts'
import { answerOf } from '../http/responses.ts'
import { themeOf } from '../http/theme.ts'
import { renderDocument } from './layout.tsx'

const HTML = 'text/html; charset=utf-8'

/** Answers with a page. @param context absent where the request failed before it had one */
export async function sendPage(
  site: Site,
  request: Request,
  page: Page,
  context?: PageContext,
): Promise<Response> {
  const theme = themeOf(request, site.appUrl)
  const text = renderDocument(page, site, context, theme)
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
export function partOf(html: Html, kept: string): Response {
  const headers = { 'content-type': HTML, 'cache-control': kept, 'x-robots-tag': 'noindex' }
  return new Response(renderHtml(html), { headers })
}
