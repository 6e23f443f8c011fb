/** @jsxImportSource hono/jsx */
/** Pages that are sent while they are made: what takes long comes last into its place, without a script. */
import { type Html, renderHtml } from './html.ts'

/** Where the next of a page's `later` parts goes. */
export function StreamingSlot(): Html {
  return <slot name="streamed"></slot>
}

/** As it is in a document: text can't look like it, because text is escaped. */
const PLACE = '<slot name="streamed"></slot>'

export interface StreamedParts {
  /** One for each place, in their order; each begins when the one before is whole. */
  parts: readonly AsyncIterable<Html>[]
  /** Aborted once nobody reads on. */
  left: AbortController
}

/** The document with every part in its place, piece by piece. */
export async function* withParts(
  document: string,
  parts: readonly AsyncIterable<Html>[],
): AsyncGenerator<string> {
  const [head = '', ...rest] = document.split(PLACE)
  yield head
  for (const [position, text] of rest.entries()) {
    for await (const html of parts[position] ?? []) yield await renderHtml(html)
    yield text
  }
}
