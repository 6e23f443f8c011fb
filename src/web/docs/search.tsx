/** @jsxImportSource hono/jsx */
/** `/docs/search`: what a query finds, and in what order. */

import { ENDPOINTS } from '../../contract/endpoints.ts'
import { SEARCH_PARAMETERS } from '../../contract/parameters.ts'
import { Curl } from '../components/code.tsx'
import type { Document } from './document.tsx'

const { q, limit } = SEARCH_PARAMETERS

export const search: Document = {
  path: '/docs/search',
  label: 'Search',
  title: 'Search',
  lead: 'One call for projects and people at once; the same matching behind q of every list.',
  body: ({ site, href }) => (
    <>
      <Curl url={`${site.baseUrl}${ENDPOINTS.search.path}?q=vitalik`} />
      <section aria-labelledby="matching">
        <h2 id="matching">What matches</h2>
        <ul>
          <li>Every word of the query must match, in any order; the last one may be unfinished.</li>
          <li>
            Case, accents and a leading <code>@</code> or <code>$</code> are ignored.
          </li>
          <li>Longer words also match with a typo.</li>
          <li>People by name, handle and job title.</li>
          <li>Companies by name, ticker, handle and domain, then by their summary.</li>
        </ul>
        <p>
          A query has at most {q.maxLength} characters. Without one, search is a{' '}
          <a href={href('/docs/errors#missing_parameter')}>400</a>, and a list is all there is.
        </p>
      </section>
      <section aria-labelledby="order">
        <h2 id="order">In what order</h2>
        <p>
          An exact name, ticker or handle comes first, then whole words, beginnings, typos. Ties go
          to more followers. A list with <code>q</code> and without <code>sort</code> has this order
          too.
        </p>
      </section>
      <section aria-labelledby="all">
        <h2 id="all">All of it</h2>
        <p>
          Search answers up to {limit.max} of each group and has no pages. Its groups are the head
          of what <code>{ENDPOINTS.projects.path}?q=</code> and{' '}
          <code>{ENDPOINTS.people.path}?q=</code> page through:{' '}
          <a href={href('/docs/paging')}>lists and paging</a>.
        </p>
      </section>
    </>
  ),
}
