/** @jsxImportSource hono/jsx */
/** A page of the documentation: its text beside the search field and the contents. */

import { once } from '../../once.ts'
import { type Child, markupOf, renderHtml } from '../http/html.ts'
import type { Page, PageContext, Site } from '../http/page.ts'
import { consoleOf, type Sent } from './console.tsx'
import { ageOf, type Document, type DocumentContext } from './document.tsx'
import { DOCUMENTS } from './documents.ts'
import { exampleValues } from './example-values.ts'
import { markdownHeaders } from './markdown-negotiation.ts'
import { docsIndexOf, type PublishedIndex } from './search-index.ts'
import { SearchField } from './search-parts.tsx'

/** @param sent what a console's form sent, and what became of it */
export async function documentPage(
  document: Document,
  context: PageContext,
  sent?: Sent,
): Promise<Page> {
  const { path, title, lead, endpoint } = document
  // What is shared with other readers is made of nothing else.
  const { site, openapi, href, directory } = context
  const examples = exampleValues(directory)
  const text = { site, openapi, href, examples, directory }
  const { before, after } = await textOf(document, text)
  const console = endpoint ? await consoleOf(context, endpoint, sent) : null
  return {
    title,
    description: lead,
    canonical: path,
    shape: 'wide',
    headers: markdownHeaders(context.href(path)),
    main: (
      <>
        {markupOf(before)}
        {console}
        {markupOf(after)}
      </>
    ),
  }
}

/** The markup of a page before and after its console. Where it has none, all of it stands before. */
interface DocumentText {
  before: string
  after: string
}

type Texts = Map<Document, () => Promise<DocumentText>>

/** Texts of each site, by the object that `ageOf` names: each is rendered once. */
const texts = new WeakMap<Site, WeakMap<object, Texts>>()

/** The page's text. Its context knows nothing of who reads, so it is the same for everybody. */
function textOf(document: Document, context: DocumentContext): Promise<DocumentText> {
  const { site } = context
  const age = ageOf(document, context)
  const ofSite = texts.get(site) ?? new WeakMap<object, Texts>()
  texts.set(site, ofSite)
  const ofAge = ofSite.get(age) ?? new Map()
  ofSite.set(age, ofAge)
  const text = ofAge.get(document) ?? once(() => renderText(document, context))
  ofAge.set(document, text)
  return text()
}

/** Stands where the console goes. What a text says can't look like it, because it is escaped. */
const CONSOLE_SLOT = '<slot name="console"></slot>'

async function renderText(document: Document, context: DocumentContext): Promise<DocumentText> {
  const index = await docsIndexOf(context)
  const { title, lead } = document
  const position = DOCUMENTS.indexOf(document)
  const [previous, next] = [DOCUMENTS[position - 1], DOCUMENTS[position + 1]]
  const text = await renderHtml(
    <DocsFrame context={context} index={index} current={document} title={title} lead={lead}>
      {document.body(context, markupOf(CONSOLE_SLOT))}
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
    </DocsFrame>,
  )
  const [before = '', after = ''] = text.split(CONSOLE_SLOT)
  return { before, after }
}

interface DocsFrameProps {
  context: Pick<DocumentContext, 'href'>
  index: PublishedIndex
  current?: Document
  /** What the search field holds. */
  q?: string
  title: string
  lead?: string
  children?: Child
}

/**
 * What stands beside every text of the documentation. On a phone it stands below the title, where the contents are opened
 * by their name.
 */
export function DocsFrame({ context, index, current, q, title, lead, children }: DocsFrameProps) {
  return (
    <div class="docs">
      <header class="text">
        <h1>{title}</h1>
        {lead ? <p class="lead">{lead}</p> : null}
      </header>
      <div class="side">
        <SearchField context={context} index={index} q={q} />
        <nav aria-label="Documentation">
          <details class="contents">
            <summary>Contents</summary>
            <ul>
              {DOCUMENTS.map((it) => (
                <li class={it.endpoint ? 'endpoint' : undefined}>
                  <a
                    href={context.href(it.path)}
                    aria-current={it === current ? 'page' : undefined}
                  >
                    {it.title}
                  </a>
                </li>
              ))}
            </ul>
          </details>
        </nav>
      </div>
      <article class={current?.endpoint ? 'text with-example' : 'text'}>{children}</article>
    </div>
  )
}
