/** What pages are made of. */
import type { Child as JsxChild } from 'hono/jsx'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup that is safe to send: everything put into it was escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** What an element may hold. Text is escaped when it is put in. */
export type Child = JsxChild
