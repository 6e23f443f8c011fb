/** What pages are made of, and how it becomes text. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Child as JsxChild } from 'hono/jsx'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup that is safe to send: everything put into it was escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** Of the text that is being written: whether a part of it has failed. */
const writing = new AsyncLocalStorage<{ hasFailed: boolean }>()

/** The markup as text, once whatever it waits for is there. */
export async function renderHtml(html: Html): Promise<string> {
  const text = { hasFailed: false }
  try {
    return await writing.run(text, async () => String(await (await html).toString()))
  } catch (error) {
    text.hasFailed = true
    throw error
  }
}

/** Whether what is written just now is for nobody: what it throws would be caught by nobody either. */
export function isInVain(): boolean {
  return writing.getStore()?.hasFailed ?? false
}

/** What an element may hold. Text is escaped when it is put in. */
export type Child = JsxChild
