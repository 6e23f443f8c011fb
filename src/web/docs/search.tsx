/** @jsxImportSource hono/jsx */
/** `/docs/search`: what a query matches, and in which order. */

import { ENDPOINTS } from '../../contract/endpoints.ts'
import { SEARCH_PARAMETERS } from '../../contract/parameters.ts'
import { Curl } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import type { Document } from './document.tsx'

const { q, limit } = SEARCH_PARAMETERS

export const search: Document = {
  path: '/docs/search',
  title: 'Search',
  lead: 'One call for projects and people at once; the same matching behind q of every list.',
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
          A query has at most {q.maxLength} characters. Without one, search is a{' '}
          <a href={href('/docs/errors#missing_parameter')}>400</a>, and a list is all there is.
        </p>
      </Section>
      <Section id="order" title="In what order">
        <p>
          An exact name, ticker or handle comes first, then whole words, beginnings, typos. Ties go
          to more followers. A list with <code>q</code> and without <code>sort</code> has this order
          too.
        </p>
      </Section>
      <Section id="all" title="All of it">
        <p>
          Search answers up to {limit.max} of each group and has no pages. Its groups are the head
          of what <code>{ENDPOINTS.projects.path}?q=</code> and{' '}
          <code>{ENDPOINTS.people.path}?q=</code> page through:{' '}
          <a href={href('/docs/paging')}>lists and paging</a>.
        </p>
      </Section>
    </>
  ),
}
