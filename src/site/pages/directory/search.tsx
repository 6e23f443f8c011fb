/** @jsxImportSource hono/jsx */
/** `/search`: people and companies in one order; `/search/suggestions` fills the box of the header. Scripts update both while a person types. */
import { PEOPLE_PARAMETERS, SEARCH_PARAMETERS } from '../../../contract/parameters.ts'
import { LISTS, type ListName } from '../../../contract/vocabulary.ts'
import type { FoundPage, FoundRecord } from '../../../directory/records/directory.ts'
import { partOf } from '../../frame/send-page.ts'
import { ASSETS } from '../../http/assets.ts'
import type { Child } from '../../http/html.ts'
import type { Page, PageContext, Route } from '../../http/page.ts'
import { Channels, Lifecycle, Row } from '../../profiles/rows.tsx'
import { isSelectable, SelectBox, SelectionForm } from '../../profiles/selection.tsx'
import {
  companyPath,
  nameOf,
  type PersonRecord,
  personPath,
  personRecord,
  projectRecord,
} from '../../profiles/view-models.ts'
import { Submit } from '../../ui/actions.tsx'
import { Badge, Monogram } from '../../ui/badges.tsx'
import { SearchField } from '../../ui/form.tsx'
import { queryOf, valuesOf } from '../../ui/list-query.ts'
import { Pager, PastTheEnd } from '../../ui/pager.tsx'
import { figure, humanize, plural, shortFigure } from '../../ui/text.tsx'

/** Records on a page, and pages. */
const SHOWN = 20
const PAGES_MAX = 50

/** The API's search requires a `q`; this page without one shows the empty field. */
const PARAMETERS = {
  q: { ...SEARCH_PARAMETERS.q, required: false },
  kind: { kind: 'choice', choices: LISTS, description: 'Only records of this list.' },
  page: { ...PEOPLE_PARAMETERS.page, max: PAGES_MAX },
} as const

interface Search {
  context: PageContext
  q: string
  kind: ListName | undefined
  page: number
}

/** @throws ApiError for other parameters, and for a kind that there is not */
export function searchPage(context: PageContext): Page {
  const { directory } = context
  const { q = '', kind, page } = valuesOf(PARAMETERS, context.query)
  const answer = q ? directory.find({ q, kind, page, limit: SHOWN }) : undefined
  const search = { context, q, kind, page }
  return {
    title: q ? `Search: ${q}` : 'Search',
    description: 'Search people, projects, investors and service providers.',
    shape: 'wide',
    canonical: '/search',
    isUnlisted: q !== '',
    main: (
      <>
        <h1>Search</h1>
        <form
          class="filters"
          action={context.href('/search')}
          autocomplete="off"
          data-list="results"
          data-said="said"
        >
          <SearchField
            id="search-q"
            label="Name, ticker, handle, domain or job title"
            value={q}
            shortcut="/"
          />
          {kind ? <input type="hidden" name="kind" value={kind} /> : null}
          <Submit>Search</Submit>
        </form>
        <div class="said unseen" id="said" role="status"></div>
        <div id="results">
          {answer ? (
            <Results search={search} answer={answer} />
          ) : (
            <div class="empty">
              <p>The last word may be unfinished, and small typos are fine.</p>
              <p>
                Or browse{' '}
                {LISTS.map((list, i) => (
                  <>
                    {i > 0 ? (i === LISTS.length - 1 ? ' and ' : ', ') : null}
                    <a href={context.href(`/${list}`)}>{list}</a>
                  </>
                ))}
                .
              </p>
            </div>
          )}
        </div>
        <script src={context.href(ASSETS.lists.path)} defer></script>
      </>
    ),
  }
}

function Results({ search, answer }: { search: Search; answer: FoundPage }) {
  const { context, kind, page } = search
  const { found, total, totals } = answer
  if (total === 0) {
    return (
      <>
        <p class="count">Nothing matches.</p>
        <p class="empty">Try fewer words, or another spelling.</p>
      </>
    )
  }
  const listed = kind ? totals[kind] : total
  const first = (page - 1) * SHOWN + 1
  const last = Math.min(Math.ceil(listed / SHOWN), PAGES_MAX)
  return (
    <>
      <Kinds search={search} answer={answer} />
      <p class="count">
        <strong>{figure(listed)}</strong> found
        {listed > found.length && found.length > 0
          ? `, ${figure(first)} to ${figure(first + found.length - 1)}`
          : null}
      </p>
      {isAnySelectable(found, context) ? <SelectionForm context={context} /> : null}
      {found.length > 0 ? (
        <ul class="rows">
          {found.map((it) => (
            <ResultRow result={it} context={context} />
          ))}
        </ul>
      ) : listed > 0 ? (
        <PastTheEnd last={last} href={addressOf(search, { page: last })}>
          {plural(listed, 'record', 'records')}
        </PastTheEnd>
      ) : null}
      {found.length > 0 ? (
        <Pager
          page={page}
          totalPages={last}
          href={(number) => addressOf(search, { page: number })}
        />
      ) : null}
      {listed > SHOWN * PAGES_MAX ? (
        <p class="note">The first {figure(SHOWN * PAGES_MAX)} are shown here.</p>
      ) : null}
      {kind && listed > 0 ? (
        <p class="note">
          <a href={context.href(`/${kind}`) + queryOf(PARAMETERS, { q: search.q, page: 1 })}>
            Filter and sort all of them in the list of {kind}
          </a>
        </p>
      ) : null}
    </>
  )
}

/** Tabs: all results, then each kind with its count. */
function Kinds({ search, answer }: { search: Search; answer: FoundPage }) {
  const { total, totals } = answer
  const shown = LISTS.filter((kind) => totals[kind] > 0 || kind === search.kind)
  const tabs: { kind: ListName | undefined; label: string; count: number }[] = [
    { kind: undefined, label: 'All', count: total },
    ...shown.map((kind) => ({ kind, label: humanize(kind), count: totals[kind] })),
  ]
  return (
    <nav class="kinds" aria-label="Kinds of records">
      {tabs.map(({ kind, label, count }) => (
        <a
          href={addressOf(search, { kind, page: 1 })}
          aria-current={kind === search.kind ? 'page' : undefined}
        >
          {label} <span class="number">{figure(count)}</span>
        </a>
      ))}
    </nav>
  )
}

function addressOf(
  { context, q, kind, page }: Search,
  changes: { kind?: ListName | undefined; page?: number },
): string {
  return context.href('/search') + queryOf(PARAMETERS, { q, kind, page, ...changes })
}

const SUGGESTION_PARAMETERS = { q: SEARCH_PARAMETERS.q } as const

const SUGGESTIONS = 8
/** Seconds that a browser may reuse an answer, for letters that are deleted again. */
const KEPT_S = 60

/** @throws ApiError without `q`, and for other parameters */
async function suggestions(context: PageContext): Promise<Response> {
  const { directory } = context
  const { q } = valuesOf(SUGGESTION_PARAMETERS, context.query)
  const query = { q, page: 1, limit: SUGGESTIONS }
  const { found, total } = directory.find(query)
  return partOf(
    <div data-total={total}>
      {found.map((it) => (
        <ResultOption result={it} context={context} />
      ))}
    </div>,
    `private, max-age=${KEPT_S}`,
  )
}

export const suggestionsRoute: Route = {
  path: '/search/suggestions',
  get: suggestions,
  isRateLimited: 'suggestions',
}

const CHAINS_SHOWN = 2

/** Text, or the company of a person. */
type Fact = string | NonNullable<PersonRecord['company']>

interface Description {
  id: string
  name: string
  ticker: string | null
  /** "Project", "Investor", "Person". */
  kind: string
  path: string
  facts: readonly Fact[]
  text: string | null
  marks: Child
  /** Person for the box; null for companies. */
  person: PersonRecord | null
}

interface ResultProps {
  result: FoundRecord
  context: Pick<PageContext, 'href' | 'picture' | 'session'>
}

/** A result of any kind, with what distinguishes it from namesakes: domain, chains, followers. */
function ResultRow({ result, context }: ResultProps) {
  const { id, name, ticker, kind, path, facts, text, marks, person } = describe(result)
  return (
    <Row
      name={name}
      picture={context.picture({ id })}
      href={context.href(path)}
      select={person && isSelectable(context, person) ? <SelectBox id={id} name={name} /> : null}
      marks={
        <>
          {marks}
          <Badge tone="accent">{kind}</Badge>
        </>
      }
    >
      {ticker ? <span class="ticker">${ticker}</span> : null}
      {facts.length > 0 ? (
        <p class="facts">
          {inLine(facts, (company) => (
            <a href={context.href(companyPath(company))}>{company.name}</a>
          ))}
        </p>
      ) : null}
      {text ? <p class="clamp">{text}</p> : null}
    </Row>
  )
}

/** Option below a search box: a link. */
function ResultOption({ result, context }: ResultProps) {
  const { id, name, ticker, kind, path, facts } = describe(result)
  return (
    <a role="option" tabindex={-1} href={context.href(path)}>
      <Monogram name={name} picture={context.picture({ id })} />
      <span class="what">
        <span class="name">{name}</span> {ticker ? <span class="ticker">${ticker}</span> : null}{' '}
        <span class="facts">{inLine(facts, ({ name }) => name)}</span>
      </span>{' '}
      <Badge>{kind}</Badge>
    </a>
  )
}

const isAnySelectable = (result: readonly FoundRecord[], context: ResultProps['context']) =>
  result.some((it) => it.kind === 'person' && isSelectable(context, personRecord(it.person)))

function describe(result: FoundRecord): Description {
  if (result.kind === 'person') {
    const record = personRecord(result.person)
    const { jobTitle, company, creatorFollowerCount } = record
    return {
      id: record.id,
      name: nameOf(record),
      ticker: null,
      kind: 'Person',
      path: personPath(record),
      facts: present(jobTitle, company, followersOf(creatorFollowerCount)),
      text: null,
      marks: <Channels person={record} />,
      person: record,
    }
  }
  const { company } = result
  const record = projectRecord(company)
  const { companyType, portfolioCount } = company
  const isInvestor = companyType === 'investor'
  const isAngel = isInvestor && company.entityKind === 'individual'
  return {
    id: record.id,
    name: record.name,
    ticker: record.ticker,
    kind: isAngel ? 'Angel' : humanize(companyType),
    path: companyPath(company),
    facts: present(
      record.domain,
      chainsOf(company.chains),
      isInvestor && portfolioCount > 0 && plural(portfolioCount, 'investment', 'investments'),
      followersOf(company.followers),
    ),
    text: record.aiSummary,
    marks: <Lifecycle of={record} />,
    person: null,
  }
}

const present = (...facts: (Fact | false | null)[]) =>
  facts.filter((fact): fact is Fact => Boolean(fact))

/** `<bdi>` isolates the text direction of each fact. */
const inLine = (facts: readonly Fact[], named: (company: Exclude<Fact, string>) => Child) =>
  facts.map((fact, n) => (
    <>
      {n > 0 ? ' · ' : ''}
      <bdi>{typeof fact === 'string' ? fact : named(fact)}</bdi>
    </>
  ))

const followersOf = (count: number | null) => (count ? `${shortFigure(count)} followers` : null)

function chainsOf(chains: readonly string[]): string {
  const rest = chains.length - CHAINS_SHOWN
  return chains.slice(0, CHAINS_SHOWN).join(', ') + (rest > 0 ? ` +${rest}` : '')
}
