/** What pages are made of. */
import type { Child as JsxChild } from 'hono/jsx'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup that is safe to send: everything put into it was escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The markup as text, once whatever it waits for is there. */
export async function textOf(html: Html): Promise<string> {
  return String(await (await html).toString())
}

/** What an element may hold. Text is escaped when it is put in. */
export type Child = JsxChild
