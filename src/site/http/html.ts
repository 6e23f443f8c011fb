/** The markup of pages, and how it is rendered. */
import type { Child as JsxChild } from 'hono/jsx'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup that is safe to send: everything put into it was escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** Content of an element. Text is escaped when it is put in. */
export type Child = JsxChild

/** Renders markup: in one go, but for the parts of long pages (`src/site/ui/part.tsx`). */
export async function renderHtml(html: Html): Promise<string> {
  return String(await (await html).toString())
}

/** Makes markup of text that `renderHtml` returned: everything in it is escaped already. */
export const markupOf = (text: string): Html => new RenderedMarkup(() => text) as unknown as Html

/**
 * Markup that throws where it is put into its page. A promise that fails before would end the process, where the page has failed
 * by then and nobody waits for its parts any more.
 */
export function failedMarkup(error: unknown): Html {
  return new RenderedMarkup(() => {
    throw error
  }) as unknown as Html
}

/** Elements put an object in unescaped where it has `isEscaped`. */
class RenderedMarkup {
  readonly isEscaped = true
  readonly toString: () => string

  constructor(text: () => string) {
    this.toString = text
  }
}

/**
 * A block of JSON-LD. It ends no element and begins none, whatever a record says, and browsers run nothing of it, so
 * the policy of pages lets it be.
 */
export function dataBlock(data: object): string {
  const escaped = (character: string) => `\\u00${character.charCodeAt(0).toString(16)}`
  const text = JSON.stringify(data).replace(/[<>&]/g, escaped)
  return `<script type="application/ld+json">${text}</script>`
}
