/** @jsxImportSource hono/jsx */
/** The parts of every page of the documentation: title, search field, contents, and a result of the search. */
import { ASSETS } from '../http/assets.ts'
import type { Child } from '../http/html.ts'
import type { Document, DocumentContext } from './document.ts'
import { DOCUMENTS } from './documents.ts'
import type { PublishedIndex } from './search-index.ts'
import { MAX_QUERY_CHARACTERS, type Result } from './search-matching.ts'

interface DocsFrameProps {
  context: Pick<DocumentContext, 'href'>
  index: PublishedIndex
  current?: Document
  /** The query in the search field. */
  q?: string
  title: string
  lead?: string
  children?: Child
}

/** The search field and the contents beside a text. On a phone they stand below its title, and the contents are folded. */
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

interface SearchFieldProps {
  context: Pick<DocumentContext, 'href'>
  index: PublishedIndex
  q?: string | undefined
}

/** A form that `/docs/find` answers; with the script, results show below the field. */
function SearchField({ context, index, q }: SearchFieldProps) {
  return (
    <search aria-label="Documentation">
      <form
        class="field docs-search"
        action={context.href('/docs/find')}
        data-script-src={context.href(ASSETS.docsSearch.path)}
        data-index-src={context.href(index.path)}
      >
        <label for="docs-q">Search the docs</label>
        <input
          id="docs-q"
          type="search"
          name="q"
          value={q}
          placeholder="Endpoint, field, error…"
          maxlength={MAX_QUERY_CHARACTERS}
          autocomplete="off"
          spellcheck={false}
        />
        <div class="found unseen">
          <p class="count" role="status"></p>
          <ul class="results"></ul>
        </div>
        <template>
          <ResultItem result={undefined} />
        </template>
      </form>
    </search>
  )
}

/** A link to a section, with a quotation. @param result undefined in the template that the script fills in */
export function ResultItem({ result }: { result: Result | undefined }) {
  return (
    <li>
      <a href={result?.href}>
        <span class="name">{result?.title}</span> <span class="page-title">{result?.page}</span>
        <span class="excerpt">
          {result?.excerpt.map(({ text, isMarked }) => (isMarked ? <mark>{text}</mark> : text))}
        </span>
      </a>
    </li>
  )
}
