/** @jsxImportSource hono/jsx */
/** `/search`: people and companies at once. With a script, results follow as one types. */
import { SEARCH_PARAMETERS } from '../../contract/parameters.ts'
import { DIRECTORIES } from '../../contract/vocabulary.ts'
import { CompanyRow, InvestorRow, PersonRow } from '../components/rows.tsx'
import { figure, humanize } from '../components/text.tsx'
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { valuesOf } from './list-query.ts'
import { investorRecord, personRecord, projectRecord } from './view-models.ts'

/** The API's search wants a `q`; a person who has typed none yet sees the field. */
const PARAMETERS = {
  ...SEARCH_PARAMETERS,
  q: { ...SEARCH_PARAMETERS.q, required: false },
} as const

/** Records of a group here: the rest is a link away. */
const SHOWN = 5

export function searchPage(context: PageContext): Page {
  const { q = '' } = valuesOf(PARAMETERS, context.query)
  return {
    title: q ? `Search: ${q}` : 'Search',
    description: 'Search people, projects, investors and service providers.',
    shape: 'wide',
    canonical: '/search',
    isUnlisted: q !== '',
    main: (
      <>
        <h1>Search</h1>
        <form class="filters" action={context.href('/search')} data-live="results">
          <div class="field grows">
            <label for="search-q">Name, ticker, handle, domain or job title</label>
            <input
              id="search-q"
              type="search"
              name="q"
              value={q}
              maxlength={200}
              autocomplete="off"
              spellcheck={false}
            />
          </div>
          <button class="button" type="submit">
            Search
          </button>
        </form>
        <div id="results">{q ? <Results q={q} context={context} /> : <Hint />}</div>
      </>
    ),
  }
}

function Hint() {
  return (
    <p class="empty">
      Every word counts, the last one may be unfinished, and small slips of the pen are forgiven.
    </p>
  )
}

function Results({ q, context }: { q: string; context: PageContext }) {
  const groups = groupsOf(q, context)
  const total = groups.reduce((sum, group) => sum + group.total, 0)
  const more = `?${new URLSearchParams({ q })}`
  return (
    <>
      <p class="count" role="status">
        {total === 0 ? (
          'Nothing matches.'
        ) : (
          <>
            <strong>{figure(total)}</strong> found
          </>
        )}
      </p>
      {groups.map(({ path, title, total: found, rows }) => (
        <section aria-labelledby={`found-${title}`}>
          <h2 id={`found-${title}`}>
            {title} <span class="quiet">{figure(found)}</span>
          </h2>
          <ul class="rows">{rows}</ul>
          {found > SHOWN ? (
            <p>
              <a href={context.href(path) + more}>
                All {figure(found)} {title.toLowerCase()}
              </a>
            </p>
          ) : null}
        </section>
      ))}
    </>
  )
}

/** What each list would begin with, those with nothing left out. */
function groupsOf(q: string, context: PageContext) {
  const head = { q, page: 1, limit: SHOWN }
  const { people, total } = context.directory.people({ ...head, roles: [], channels: [] })
  const rows: Child = people.map((person) => (
    <PersonRow person={personRecord(person)} context={context} />
  ))
  const companies = DIRECTORIES.map((directory) => {
    const found = context.directory.companies(directory, { ...head, sectors: [] })
    return {
      path: `/${directory}`,
      title: humanize(directory),
      total: found.total,
      rows: found.companies.map((company) =>
        directory === 'investors' ? (
          <InvestorRow fund={investorRecord(company)} context={context} />
        ) : (
          <CompanyRow company={projectRecord(company)} context={context} />
        ),
      ) as Child,
    }
  })
  const all = [{ path: '/people', title: 'People', total, rows }, ...companies]
  return all.filter((group) => group.total > 0)
}
