/** @jsxImportSource hono/jsx */
/** What lists and search answer. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { PEOPLE_PARAMETERS, SEARCH_PARAMETERS } from '../../contract/parameters.ts'
import type { Parameter, Parameters } from '../../contract/query.ts'
import { DIRECTORIES } from '../../contract/vocabulary.ts'
import { Code, Curl, Section, Table } from '../ui/page-parts.tsx'
import { InlineCode, Prose } from '../ui/text.tsx'
import { type Document, ErrorLink } from './document.tsx'
import { exampleUrl } from './example-call.ts'

const LISTS: readonly { path: string; parameters: Parameters }[] = [
  { path: ENDPOINTS.people.path, parameters: PEOPLE_PARAMETERS },
  ...DIRECTORIES.map((name) => ENDPOINTS[name]),
]

const { page, limit } = PEOPLE_PARAMETERS

/** Lists with their pages, filters and orders, from the tables that parse them. */
export const paging: Document = {
  path: '/docs/paging',
  title: 'Lists and paging',
  lead: 'Paging, filtering and sorting work the same way on the four lists.',
  body: ({ site, href }) => (
    <>
      <Section id="pages" title="Pagination">
        <Curl url={`${site.baseUrl}${ENDPOINTS.projects.path}?sort=name&page=1&limit=10`} />
        <Code
          text={
            '{ "data": […], "total": 182, "page": 1, "limit": 10, "totalPages": 19,\n  "meta": {…} }'
          }
        />
        <p>
          <code>page</code> begins at {page.min}. <code>limit</code> is {limit.default} by default
          and clamped to {limit.min}..{limit.max}; the answer says which was used. A page past the
          end is an empty 200. Every order ends in the id, so pages never overlap, and the last page
          is as fast as the first.
        </p>
        <p>
          An answer of 1 kB or more is compressed by gzip where <code>Accept-Encoding</code> takes
          it, as most clients do by themselves. A page of a hundred people is a sixth as long then.
        </p>
      </Section>
      {LISTS.map(({ path, parameters }) => (
        <Section id={path.slice(4)} title={<code>GET {path}</code>}>
          <Table
            label={`Parameters of ${path}`}
            isCards
            columns={['Parameter', { label: 'What it does', card: 'line' }, 'Values']}
            rows={Object.entries(parameters).map(([name, parameter]) => [
              <code>{name}</code>,
              <Prose text={parameter.description} />,
              <Values parameter={parameter} />,
            ])}
          />
        </Section>
      ))}
      <Section id="strict" title="Unknown parameters and values">
        <p>
          An unknown parameter is a <ErrorLink code="unknown_parameter" href={href} /> that names
          the nearest one, so that a misspelt filter costs nothing. An unknown value of a closed set
          is a <ErrorLink code="invalid_parameter" href={href} /> that lists the set, and so is one
          of another filter that no record has, if it is near{' '}
          <a href={href('/docs/values')}>a value that one has</a>. Different parameters are AND-ed,
          values of one are OR-ed.
        </p>
      </Section>
      <Section id="facets" title="Facets">
        <p>
          <code class="unbroken">GET /v1/people</code> also answers <code>facets</code>: for{' '}
          <code>roles</code> and <code>channels</code>, how many records each value would leave,
          most frequent first. A facet ignores its own filter.
        </p>
      </Section>
    </>
  ),
}

/** All values of a closed set, an integer's bounds, or an example. */
function Values({ parameter }: { parameter: Parameter }) {
  if ('choices' in parameter && parameter.choices) return <>{parameter.choices.join(', ')}</>
  if (parameter.kind === 'integer') {
    const { min, max } = parameter
    return <>{max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `${min} to ${max}`}</>
  }
  if (!parameter.example) return null
  return (
    <>
      e.g. <InlineCode text={parameter.example} />
    </>
  )
}

/** What a query matches, and in which order. */
export const search: Document = {
  path: '/docs/search',
  title: 'Search',
  lead: 'One call searches projects and people. The parameter q of every list matches the same way.',
  body: ({ site, href, examples }) => (
    <>
      <Curl url={exampleUrl('search', site.baseUrl, examples)} />
      <Section id="matching" title="What matches">
        <ul>
          <li>
            Records that have every word of the query, in any order; the last one may be unfinished.
            Where a record has all of them as they are written, no others match.
          </li>
          <li>
            Where none has, records that have most of the words, of which common ones count least,
            and names that are near the whole query: with spaces elsewhere, two typos or another
            ending.
          </li>
          <li>
            Case, accents and a leading <code>@</code> or <code>$</code> are ignored.
          </li>
          <li>Words of four letters or more also match with a typo.</li>
          <li>People by name, handle and job title.</li>
          <li>Companies by name, ticker, handle and domain, then by their summary.</li>
        </ul>
        <p>
          A query has at most {SEARCH_PARAMETERS.q.maxLength} characters. Without a query, search
          answers a <ErrorLink code="missing_parameter" href={href} /> and a list answers all its
          records.
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
          Search answers up to {SEARCH_PARAMETERS.limit.max} of each group and has no pages. To page
          through all results, use the <a href={href('/docs/paging')}>lists</a>{' '}
          <code>{ENDPOINTS.projects.path}?q=</code> and <code>{ENDPOINTS.people.path}?q=</code>.
        </p>
      </Section>
    </>
  ),
}
