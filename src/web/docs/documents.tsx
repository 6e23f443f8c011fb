/** @jsxImportSource hono/jsx */
/** The documentation's pages in the order of its contents, and what stands around the text of each. */
import type { Page, PageContext } from '../http/page.ts'
import { authentication, start, versions } from './basics.tsx'
import { credits, limits, reveals } from './costs.tsx'
import type { Document } from './document.tsx'
import { errors, retries } from './failures.tsx'
import { paging, search } from './lists.tsx'
import { reference } from './reference.tsx'

export const DOCUMENTS: readonly Document[] = [
  ...[start, authentication, credits, reveals, retries, limits],
  ...[paging, search, errors, versions, reference],
]

export function documentPage(document: Document, context: PageContext): Page {
  const { path, title, lead } = document
  const position = DOCUMENTS.indexOf(document)
  const [previous, next] = [DOCUMENTS[position - 1], DOCUMENTS[position + 1]]
  return {
    title,
    description: lead,
    canonical: path,
    shape: 'wide',
    main: (
      <div class="docs">
        <nav class="contents" aria-label="Documentation">
          <ul>
            {DOCUMENTS.map((it) => (
              <li>
                <a href={context.href(it.path)} aria-current={it === document ? 'page' : undefined}>
                  {it.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <article class="text">
          <h1>{title}</h1>
          <p class="lead">{lead}</p>
          {document.body(context)}
          <nav class="neighbours" aria-label="Next and previous">
            {previous ? (
              <a rel="prev" href={context.href(previous.path)}>
                <span>Previous</span> {previous.title}
              </a>
            ) : null}
            {next ? (
              <a rel="next" href={context.href(next.path)}>
                <span>Next</span> {next.title}
              </a>
            ) : null}
          </nav>
        </article>
      </div>
    ),
  }
}
