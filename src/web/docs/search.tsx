/** @jsxImportSource hono/jsx */
/** `/docs/search`: what a query matches, and in which order. */

import { ENDPOINTS } from '../../contract/endpoints.ts'
import { SEARCH_PARAMETERS } from '../../contract/parameters.ts'
import { Curl } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import type { Document } from './document.tsx'
import { ErrorLink } from './error-link.tsx'

const { q, limit } = SEARCH_PARAMETERS

export const search: Document = {
  path: '/docs/search',
  title: 'Search',
  lead: 'One call searches projects and people. The parameter q of every list matches the same way.',
  body: ({ site, href }) => (
    <>
      <Curl url={`${site.baseUrl}${ENDPOINTS.search.path}?q=vitalik`} />
      <Section id="matching" title="What matches">
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
          A query has at most {q.maxLength} characters. Without a query, search is a{' '}
          <ErrorLink code="missing_parameter" href={href} />, and a list is complete.
        </p>
      </Section>
      <Section id="order" title="Order">
        <p>
          An exact name, ticker or handle comes first, then whole words, beginnings and typos; more
          followers break ties. A list with <code>q</code> and without <code>sort</code> has this
          order too.
        </p>
      </Section>
      <Section id="all" title="All results">
        <p>
          Search answers up to {limit.max} of each group and has no pages. To page through all
          results, use the <a href={href('/docs/paging')}>lists</a>{' '}
          <code>{ENDPOINTS.projects.path}?q=</code> and <code>{ENDPOINTS.people.path}?q=</code>.
        </p>
      </Section>
    </>
  ),
}
