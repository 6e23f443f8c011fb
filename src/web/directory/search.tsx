/** @jsxImportSource hono/jsx */
/** `/search`: people and companies at once. The browser's script updates the results while a person types. */
import { SEARCH_PARAMETERS } from '../../contract/parameters.ts'
import { DIRECTORIES } from '../../contract/vocabulary.ts'
import { exactly } from '../../search/query.ts'
import { hasChannels } from '../components/contact.tsx'
import { Section } from '../components/page-parts.tsx'
import { PersonRow } from '../components/rows.tsx'
import { SelectionForm } from '../components/selection.tsx'
import { figure, humanize } from '../components/text.tsx'
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { valuesOf } from './list-query.ts'
import { companyRows } from './lists.tsx'
import { companyNames, personNames, personRecord, projectRecord } from './view-models.ts'

/** The API's search requires a `q`; this page without one shows the empty field. */
const PARAMETERS = {
  ...SEARCH_PARAMETERS,
  q: { ...SEARCH_PARAMETERS.q, required: false },
} as const

/** Records of each group: a link leads to the rest. */
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
        <div id="results">
          {q ? (
            <Results q={q} context={context} groups={groupsOf(q, context)} />
          ) : (
            <p class="empty">The last word may be unfinished, and small typos are fine.</p>
          )}
        </div>
      </>
    ),
  }
}

type Groups = ReturnType<typeof groupsOf>

function Results({ q, context, groups }: { q: string; context: PageContext; groups: Groups }) {
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
      {groups.map(({ path, title, total: found, rows, selection }) => (
        <Section id={`found-${title}`} title={title} count={found}>
          {selection}
          <ul class="rows">{rows}</ul>
          {found > SHOWN ? (
            <p>
              <a href={context.href(path) + more}>
                All {figure(found)} {title.toLowerCase()}
              </a>
            </p>
          ) : null}
        </Section>
      ))}
    </>
  )
}

/** The first records of each list that has any: those with an exact name first, whatever their kind. */
function groupsOf(q: string, context: PageContext) {
  const head = { q, page: 1, limit: SHOWN }
  const isExact = exactly(q)
  const { people, total } = context.directory.people(head)
  const persons = people.map(personRecord)
  const personRows: Child[] = persons.map((person) => (
    <PersonRow person={person} context={context} isSelectable />
  ))
  const [person] = persons.map(personNames)
  const companies = DIRECTORIES.map((name) => {
    const found = context.directory.companies(name, head)
    const [best] = found.companies.slice(0, 1).map(projectRecord).map(companyNames)
    const rows = companyRows(found.companies, name, context)
    return {
      path: `/${name}`,
      title: humanize(name),
      total: found.total,
      rows,
      best,
      selection: null,
    }
  })
  const selection = persons.some(hasChannels) ? <SelectionForm context={context} /> : null
  const groups = [
    { path: '/people', title: 'People', total, rows: personRows, best: person, selection },
    ...companies,
  ]
  const place = ({ best }: (typeof groups)[number]) => (best && isExact(best) ? 0 : 1)
  return groups.filter((group) => group.total > 0).sort((a, b) => place(a) - place(b))
}
