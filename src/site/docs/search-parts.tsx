/** @jsxImportSource hono/jsx */
/** The search field of the documentation and one result, which the browser's script fills in too. */
import { ASSETS } from '../http/assets.ts'
import type { DocumentContext } from './document.tsx'
import type { PublishedIndex } from './search-index.ts'
import { MAX_QUERY_CHARACTERS, type Result } from './search-matching.ts'

interface SearchFieldProps {
  context: Pick<DocumentContext, 'href'>
  index: PublishedIndex
  /** What the field holds. */
  q?: string | undefined
}

/** A form that `/docs/find` answers; with the script, results show below the field. */
export function SearchField({ context, index, q }: SearchFieldProps) {
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

/** A link to a section, with what it says about the query. @param result undefined where the script fills it in */
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
