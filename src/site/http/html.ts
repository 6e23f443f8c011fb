/** The markup of pages, and how it is rendered. */
import type { Child as JsxChild } from 'hono/jsx'
import { type HtmlEscapedString, raw } from 'hono/utils/html'

/** Markup that is safe to send: everything put into it was escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** Content of an element. Text is escaped when it is put in. */
export type Child = JsxChild

/** Renders markup. Components of pages are never asynchronous, so they are text at once. */
export const renderHtml = (html: Html): string => String(html)

/** Makes markup of text that `renderHtml` returned: everything in it is escaped already. */
export const markupOf = (text: string): Html => raw(text)

/**
 * A block of JSON-LD. It ends no element and begins none, whatever a record says, and browsers run nothing of it, so
 * the policy of pages lets it be.
 */
export function dataBlock(data: object): Html {
  const escaped = (character: string) => `\\u00${character.charCodeAt(0).toString(16)}`
  const text = JSON.stringify(data).replace(/[<>&]/g, escaped)
  return markupOf(`<script type="application/ld+json">${text}</script>`)
}
