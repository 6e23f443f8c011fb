/** @jsxImportSource hono/jsx */
/** A page of the documentation: contents, text, links to the next and the previous page. */
import { ERRORS, type ErrorCode } from '../../contract/errors.ts'
import type { Html } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'

export interface Document {
  path: '/docs' | `/docs/${string}`
  title: string
  /** One or two sentences that say what the page is about. */
  lead: string
  body(context: PageContext): Html
}

/** @param all the documents in the order of the contents */
export function documentPage(
  document: Document,
  all: readonly Document[],
  context: PageContext,
): Page {
  const position = all.indexOf(document)
  return {
    title: document.title,
    description: document.lead,
    canonical: document.path,
    shape: 'wide',
    main: (
      <div class="docs">
        <Contents all={all} current={document} context={context} />
        <article class="text">
          <h1>{document.title}</h1>
          <p class="lead">{document.lead}</p>
          {document.body(context)}
          <nav class="neighbours" aria-label="Next and previous">
            <Neighbour rel="prev" document={all[position - 1]} context={context} />
            <Neighbour rel="next" document={all[position + 1]} context={context} />
          </nav>
        </article>
      </div>
    ),
  }
}

interface ContentsProps {
  all: readonly Document[]
  current: Document
  context: PageContext
}

function Contents({ all, current, context }: ContentsProps) {
  return (
    <nav class="contents" aria-label="Documentation">
      <ul>
        {all.map((document) => (
          <li>
            <a
              href={context.href(document.path)}
              aria-current={document === current ? 'page' : undefined}
            >
              {document.title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

interface NeighbourProps {
  rel: 'prev' | 'next'
  document: Document | undefined
  context: PageContext
}

function Neighbour({ rel, document, context }: NeighbourProps) {
  if (!document) return null
  return (
    <a rel={rel} href={context.href(document.path)}>
      <span>{rel === 'prev' ? 'Previous' : 'Next'}</span> {document.title}
    </a>
  )
}

/** The status of an error, linked to its section. */
export function ErrorLink({ code, href }: { code: ErrorCode } & Pick<PageContext, 'href'>) {
  return <a href={href(`/docs/errors#${code}`)}>{ERRORS[code].status}</a>
}
