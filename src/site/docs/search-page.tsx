/** @jsxImportSource hono/jsx */
/** `/docs/find`: what the search field answers where no script runs, by the same index. */

import type { Page, PageContext } from '../http/page.ts'
import { valuesOf } from '../ui/list-query.ts'
import { DocsFrame } from './document-page.tsx'
import { docsIndexOf } from './search-index.ts'
import { countOf, MAX_QUERY_CHARACTERS, searchDocs } from './search-matching.ts'
import { ResultItem } from './search-parts.tsx'

const PARAMETERS = {
  q: { kind: 'text', maxLength: MAX_QUERY_CHARACTERS, description: 'Words of the documentation.' },
} as const

/** @throws ApiError for a query that is too long or other parameters */
export async function findPage(context: PageContext): Promise<Page> {
  const { q = '' } = valuesOf(PARAMETERS, context.query)
  const published = await docsIndexOf(context)
  const found = searchDocs(published.index, q)
  return {
    title: q ? `Search the documentation: ${q}` : 'Search the documentation',
    shape: 'wide',
    isUnlisted: true,
    main: (
      <DocsFrame context={context} index={published} q={q} title="Search the documentation">
        <p class="count" role="status">
          {q
            ? countOf(found)
            : 'Names of endpoints, parameters, headers, fields and errors, or words of the text.'}
        </p>
        <ul class="results">
          {found.results.map((result) => (
            <ResultItem result={result} />
          ))}
        </ul>
      </DocsFrame>
    ),
  }
}
