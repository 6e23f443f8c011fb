/** @jsxImportSource hono/jsx */
/** Parts of a page that are rendered while it is sent, each in its slot, without a script. */
import { type Html, renderHtml } from './html.ts'

/** Marks where the next of a page's `streamed` parts goes. */
export function StreamingSlot(): Html {
  return <slot name="streamed"></slot>
}

/** The slot in a document. Text can't look like it, because text is escaped. */
const SLOT = '<slot name="streamed"></slot>'

export interface StreamedParts {
  /** One for each slot, in their order; each begins when the one before is whole. */
  parts: readonly AsyncIterable<Html>[]
  /** Aborted when the client stops reading. */
  left: AbortController
}

/** The document piece by piece, with every part in its slot. */
export async function* fillSlots(
  document: string,
  parts: readonly AsyncIterable<Html>[],
): AsyncGenerator<string> {
  const [head = '', ...rest] = document.split(SLOT)
  yield head
  for (const [position, text] of rest.entries()) {
    for await (const html of parts[position] ?? []) yield await renderHtml(html)
    yield text
  }
}
