/** @jsxImportSource hono/jsx */
/** `/`: the heads of the directory’s lists for first visitors, and the API for programs. */
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../../../contract/endpoints.ts'
import { PLANS, TOP_UPS } from '../../../contract/tiers.ts'
import type { DirectoryName } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../directory/records/company.ts'
import type { Directory } from '../../../directory/records/directory.ts'
import type { FacetValue } from '../../../directory/records/facets.ts'
import type { Person } from '../../../directory/records/person.ts'
import { exampleValues, queryFor } from '../../docs/example-values.ts'
import { FirstCall } from '../../docs/examples.tsx'
import type { Child } from '../../http/html.ts'
import type { Page, PageContext } from '../../http/page.ts'
import { LIST_PARAMETERS, listedCompanies, listedPeople } from '../../profiles/directory-lists.ts'
import { announcedAt, nameOfType, type RoundRecord, roundRecords } from '../../profiles/funding.ts'
import { COLUMNS, companyHead, ROWS } from '../../profiles/list-rows.tsx'
import { Row } from '../../profiles/rows.tsx'
import {
  companyPath,
  nameOf,
  personPath,
  personRecord,
  projectRecord,
} from '../../profiles/view-models.ts'
import { Submit } from '../../ui/actions.tsx'
import { canBeChosen } from '../../ui/facet-fields.tsx'
import { SearchField } from '../../ui/form.tsx'
import { valuesOf } from '../../ui/list-query.ts'
import { type ListColumn, type ListRow, ListTable } from '../../ui/list-table.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { Day, dollars, figure, humanize, plural, shortFigure, wordList } from '../../ui/text.tsx'

export async function homePage(context: PageContext): Promise<Page> {
  const { site, directory } = context
  const { counts } = directory
  const heads = headsOf(directory)
  const examples = examplesOf(heads)
  const isEmpty = counts.people + counts.companies === 0
  return {
    title: site.serviceName,
    description:
      'A directory of the people of crypto: founders, operators and allocators, where they work, and how to reach them.',
    canonical: '/',
    shape: 'wide',
    main: (
      <>
        <Hero context={context} counts={counts} examples={examples} />
        {isEmpty ? <Empty context={context} /> : null}
        {projectsBlock(context, heads.projects)}
        <div class="heads">
          {peopleBlock(context, heads.people)}
          {fundsBlock(context, heads.funds)}
          {newestBlock(context, heads.newest)}
          {groupsBlock(context, heads.groups)}
        </div>
        {isEmpty ? null : <Missing heads={heads} rounds={counts.rounds} />}
        <Programs context={context} />
        <Prices context={context} />
      </>
    ),
  }
}

/** Up to three searches with results: a company, a fund and a person. */
function examplesOf({ projects, funds, people }: Heads): string[] {
  const isExample = (name: string) => queryFor(name) === name
  const named = people.records
    .map(personRecord)
    .filter(({ firstName, lastName }) => firstName || lastName)
  const names = [
    projects.records.map(({ name }) => name).find(isExample),
    funds.records.map(({ name }) => name).find(isExample),
    named.map(nameOf).find(isExample),
  ]
  return [...new Set(names.filter((name) => name !== undefined))]
}

interface HeroProps {
  context: PageContext
  counts: Directory['counts']
  examples: readonly string[]
}

function Hero({ context: { href }, counts, examples }: HeroProps) {
  const { people, companies, rounds } = counts
  return (
    <section class="hero">
      <h1>The people of crypto, and how to reach them</h1>
      <p class="lead">
        Founders, operators and allocators, and the projects, funds and service providers they
        belong to. Browse them here. <a href={href('/sign-up')}>Create an account</a> to reach them,
        and to build on the API.
      </p>
      <form class="filters" action={href('/search')}>
        <SearchField
          id="home-q"
          label="Search people and companies"
          isUnlabelled
          placeholder="Name, ticker, handle, job title"
        />
        <Submit>Search</Submit>
      </form>
      {examples.length > 0 ? (
        <p class="note">
          Try{' '}
          {examples.map((q, i) => (
            <>
              {i > 0 ? ' · ' : null}
              <a href={`${href('/search')}?${new URLSearchParams({ q })}`}>{q}</a>
            </>
          ))}
        </p>
      ) : null}
      <p class="note">
        {plural(people, 'person', 'people')}, {plural(companies, 'company', 'companies')} and{' '}
        {plural(rounds, 'funding round', 'funding rounds')} on record. Or browse{' '}
        <a href={href('/people')}>people</a>, <a href={href('/projects')}>projects</a>,{' '}
        <a href={href('/investors')}>investors</a> and <a href={href('/services')}>services</a>.
      </p>
    </section>
  )
}

interface PartProps {
  context: PageContext
}

function Empty({ context: { href } }: PartProps) {
  return (
    <div class="empty">
      <p>
        Nothing is in the directory yet. Whoever runs this service{' '}
        <a href={href('/docs/import')}>imports records from files</a>, or looks around among
        invented ones: <code>chainkin demo</code>.
      </p>
    </div>
  )
}

/** Parts of the directory that are empty. */
function Missing({ heads, rounds }: { heads: Heads; rounds: number }) {
  const missing = Object.entries({
    people: heads.people.records.length === 0,
    projects: heads.projects.records.length === 0,
    funds: heads.funds.records.length === 0,
    'funding rounds': rounds === 0,
    sectors: heads.projects.records.length > 0 && heads.groups.facet !== 'sector',
  }).flatMap(([what, isMissing]) => (isMissing ? [what] : []))
  if (missing.length === 0) return null
  return <p class="note">Not in this directory yet: {wordList(missing, missing.length)}.</p>
}

function Programs({ context: { site, href, directory } }: PartProps) {
  return (
    <Section id="programs" title="For programs">
      <p>
        The same records, as JSON: {CALL_CREDITS} credits a call, {REVEAL_CREDITS} for the first
        reveal of a contact, nothing for errors, and the price in every answer.
      </p>
      <FirstCall baseUrl={site.baseUrl} examples={exampleValues(directory)} />
      <p>
        <a href={href('/sign-up')}>Create an account</a> for a key and trial credits, and read{' '}
        <a href={href('/docs')}>the documentation</a>.{' '}
        <code class="unbroken">GET {ENDPOINTS.me.path}</code> shows your plan, balance and prices,
        and is free.
      </p>
    </Section>
  )
}

function Prices({ context: { href } }: PartProps) {
  const priced = Object.entries(PLANS).flatMap(([name, { usdPerMonth }]) =>
    usdPerMonth === null ? [] : [`${humanize(name)} $${figure(usdPerMonth)}`],
  )
  const least = Math.min(...Object.values(TOP_UPS).map(({ usd }) => usd))
  return (
    <p>
      Plans a month: {wordList(priced, priced.length)}; credits once from ${figure(least)}.{' '}
      <a href={href('/credits')}>Compare plans</a>
    </p>
  )
}

/** Lead investors in a row. */
const LEADS = 2

const RAISES: readonly ListColumn[] = [
  { label: 'Company' },
  { label: 'Round' },
  { label: 'Amount', isNumber: true, card: 'end' },
  { label: 'Led by' },
  { label: 'Announced' },
]

interface BlockProps {
  id: string
  context: PageContext
  head: Pick<Head<unknown>, 'title' | 'path' | 'link'>
  children?: Child
}

function Block({ id, context, head, children }: BlockProps) {
  return (
    <Section id={id} title={head.title}>
      {children}
      <p class="more">
        <a href={context.href(head.path)}>{head.link}</a>
      </p>
    </Section>
  )
}

/** Called as functions, not as components: they read the directory, which must happen before rendering. */
function projectsBlock(context: PageContext, head: Heads['projects']) {
  const { records, raises, title } = head
  if (records.length === 0) return null
  const haveRaised = raises.size > 0
  const rows = haveRaised
    ? Array.from(raises, ([company, place]) => raiseRow(company, place, context))
    : records.map((company) => ROWS.projects(company, context))
  return (
    <Block id="projects" context={context} head={head}>
      <div class={haveRaised ? 'latest' : undefined}>
        <ListTable
          label={title}
          columns={haveRaised ? RAISES : COLUMNS.projects}
          rows={rows}
          order={undefined}
          sorted={(order) => context.href(`/projects?sort=${order}`)}
        />
      </div>
    </Block>
  )
}

/** @param place index of the round, newest first */
function raiseRow(company: Company, place: number, context: PageContext): ListRow {
  const [round] = roundRecords(context.directory, company, place, place + 1)
  const cells = round ? raiseCells(round, context) : []
  return { ...companyHead(company, context), cells }
}

function raiseCells(round: RoundRecord, { directory, href }: PageContext): Child[] {
  const { investors, amountUsd, announceDate } = round
  const leads = investors.filter(({ isLead }) => isLead)
  const named = leads.slice(0, LEADS).flatMap(({ id, name }) => {
    const lead = directory.company(id)
    return lead ? [{ name, href: href(companyPath(lead)) }] : []
  })
  return [
    nameOfType(round),
    amountUsd === null ? 'Undisclosed' : dollars(amountUsd),
    named.length > 0 ? (
      <>
        {named.map((lead, i) => (
          <>
            {i > 0 ? ', ' : null}
            <a href={lead.href}>{lead.name}</a>
          </>
        ))}
        {leads.length > named.length ? ` and ${figure(leads.length - named.length)} more` : null}
      </>
    ) : null,
    announceDate ? <Day at={announceDate} /> : null,
  ]
}

interface Line extends Omit<ListRow, 'cells' | 'select'> {
  /** Value that the list is ordered by. */
  by: Child
}

interface LinesProps extends Omit<BlockProps, 'children'> {
  lines: readonly Line[]
}

function Lines({ lines, ...block }: LinesProps) {
  return (
    <Block {...block}>
      <ul class="rows compact">
        {lines.map(({ name, picture, href, marks, text, by }) => (
          <Row name={name} picture={picture} href={href}>
            {marks}
            <p class="clamp">
              {by ? <span class="by">{by}</span> : null}
              {by && text ? ' · ' : null}
              {text ? <bdi>{text}</bdi> : null}
            </p>
          </Row>
        ))}
      </ul>
    </Block>
  )
}

function peopleBlock(context: PageContext, head: Heads['people']) {
  if (head.records.length === 0) return null
  const lines = head.records.map((person) => personLine(person, context))
  return <Lines id="people" context={context} head={head} lines={lines} />
}

function personLine(person: Person, { href, picture }: PageContext): Line {
  const record = personRecord(person)
  const { jobTitle, company, creatorFollowerCount: followers } = record
  return {
    name: nameOf(record),
    picture: picture(record),
    href: href(personPath(record)),
    text:
      jobTitle || company ? (
        <>
          <bdi>{jobTitle}</bdi>
          {jobTitle && company ? ' · ' : ''}
          <bdi>{company?.name}</bdi>
        </>
      ) : null,
    by: followers ? `${shortFigure(followers)} followers` : null,
  }
}

function fundsBlock(context: PageContext, head: Heads['funds']) {
  if (head.records.length === 0) return null
  const { directory } = context
  const by = {
    activity: (fund: Company) =>
      `${plural(directory.recentInvestments(fund), 'deal', 'deals')} in 12 months`,
    portfolio: (fund: Company) => plural(fund.portfolioCount, 'investment', 'investments'),
    prominence: () => null,
  }[head.by]
  const lines = head.records.map((fund) => ({ ...shortHead(fund, context), by: by(fund) }))
  return <Lines id="funds" context={context} head={head} lines={lines} />
}

/** Head without a description. */
const shortHead = (company: Company, context: PageContext) => ({
  ...companyHead(company, context),
  text: projectRecord(company).domain,
})

function newestBlock(context: PageContext, head: Heads['newest']) {
  if (head.records.length === 0) return null
  const lines = head.records.map((company) => ({
    ...shortHead(company, context),
    by: <Day at={new Date(company.createdAt).toISOString()} />,
  }))
  return <Lines id="newest" context={context} head={head} lines={lines} />
}

function groupsBlock(context: PageContext, { title, facet, values }: Heads['groups']) {
  if (values.length === 0) return null
  const head = {
    title,
    path: `/projects?more=${facet}#facet-${facet}`,
    link: `Filter projects by ${facet}`,
  }
  return (
    <div class="whole">
      <Block id="groups" context={context} head={head}>
        <ul class="active">
          {values.map(({ value, label, count }) => (
            <li>
              <a href={`${context.href('/projects')}?${new URLSearchParams({ [facet]: value })}`}>
                <bdi>{label}</bdi> <span class="number">{figure(count)}</span>
              </a>
            </li>
          ))}
        </ul>
      </Block>
    </div>
  )
}

interface Head<R> {
  title: string
  /** Path of the list, and the text of its link. */
  path: string
  link: string
  records: readonly R[]
}

interface Heads {
  /** Latest raises: each company with the index of that round, newest first. Without any, the most prominent projects. */
  projects: Head<Company> & { raises: ReadonlyMap<Company, number> }
  people: Head<Person>
  /** Most active funds, else the largest portfolios, else the most prominent. */
  funds: Head<Company> & { by: 'activity' | 'portfolio' | 'prominence' }
  newest: Head<Company>
  /** Sectors of projects, else their chains. */
  groups: { title: string; facet: 'sector' | 'chain'; values: readonly FacetValue[] }
}

const FIRST_ROWS = 8
const OTHER_ROWS = 5
const GROUPS = 24

const headsOf = (directory: Directory): Heads => ({
  projects: projectsOf(directory),
  people: peopleOf(directory),
  funds: fundsOf(directory),
  newest: newestOf(directory),
  groups: groupsOf(directory),
})

const newestOf = (directory: Directory): Head<Company> => ({
  title: 'Newest projects',
  link: 'All projects, newest first',
  ...top(directory, 'projects', 'sort=recent', OTHER_ROWS),
})

/** Path of a list, and its first rows. */
function top(directory: Directory, list: DirectoryName, query: string, rows: number) {
  const values = valuesOf(LIST_PARAMETERS[list], `${query}&limit=${rows}`)
  const { records } = listedCompanies(directory, list, { ...values, facets: [] })
  return { path: addressOf(list, query), records }
}

const addressOf = (list: string, query: string) => `/${list}${query && `?${query}`}`

function projectsOf(directory: Directory): Heads['projects'] {
  const raises = latestRaises(directory)
  if (raises.size > 0) {
    return {
      title: 'Latest raises',
      link: 'All projects by last round',
      path: addressOf('projects', BY_LAST_ROUND),
      records: [...raises.keys()],
      raises,
    }
  }
  return {
    title: 'Projects',
    link: 'All projects',
    ...top(directory, 'projects', '', FIRST_ROWS),
    raises,
  }
}

const BY_LAST_ROUND = 'sort=last-round'
const DAY_MS = 86_400_000

/**
 * Newest rounds up to the end of today (UTC), one for each company. The list by last round begins with rounds that are
 * announced for later days; these are left out.
 */
function latestRaises(directory: Directory): Map<Company, number> {
  const tomorrow = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS
  const values = valuesOf(LIST_PARAMETERS.projects, BY_LAST_ROUND)
  const first = (limit: number) =>
    listedCompanies(directory, 'projects', { ...values, limit, facets: [] }).records
  const isOver = ({ funding }: Company) => (funding.announcedAt ?? 0) < tomorrow
  let limit = FIRST_ROWS
  let companies = first(limit)
  while (companies.length === limit && companies.filter(isOver).length < FIRST_ROWS) {
    limit *= 2
    companies = first(limit)
  }
  const raises = companies.flatMap((company) => {
    const dates = directory.rounds(company).map(announcedAt)
    const place = dates.findIndex((at) => at !== null && at < tomorrow)
    return place < 0 ? [] : [{ company, place, at: dates[place] ?? 0 }]
  })
  const latest = raises.toSorted((a, b) => b.at - a.at).slice(0, FIRST_ROWS)
  return new Map(latest.map(({ company, place }) => [company, place]))
}

function peopleOf(directory: Directory): Head<Person> {
  const read = (query: string) => {
    const values = valuesOf(LIST_PARAMETERS.people, `${query}&limit=${OTHER_ROWS}`)
    const { records } = listedPeople(directory, { ...values, facets: [] })
    return { path: addressOf('people', query), records }
  }
  const famous = read('sort=followers')
  const followed = famous.records.filter(({ followers }) => followers > 0)
  return followed.length > 0
    ? {
        title: 'Most followed people',
        path: famous.path,
        link: 'All people by followers',
        records: followed,
      }
    : { title: 'People', link: 'All people', ...read('') }
}

function fundsOf(directory: Directory): Heads['funds'] {
  const latest = top(directory, 'investors', 'sort=active', OTHER_ROWS)
  const active = latest.records.filter((fund) => directory.recentInvestments(fund) > 0)
  if (active.length > 0) {
    return {
      title: 'Most active funds',
      path: latest.path,
      link: 'All funds by activity',
      records: active,
      by: 'activity',
    }
  }
  const largest = top(directory, 'investors', 'sort=portfolio', OTHER_ROWS)
  const invested = largest.records.filter(({ portfolioCount }) => portfolioCount > 0)
  if (invested.length > 0) {
    return {
      title: 'Largest portfolios',
      path: largest.path,
      link: 'All funds by portfolio',
      records: invested,
      by: 'portfolio',
    }
  }
  return {
    title: 'Funds',
    link: 'All funds',
    ...top(directory, 'investors', '', OTHER_ROWS),
    by: 'prominence',
  }
}

function groupsOf(directory: Directory): Heads['groups'] {
  const values = valuesOf(LIST_PARAMETERS.projects, 'limit=1')
  const { sector = [], chain = [] } = listedCompanies(directory, 'projects', values).facets
  const shown = (values: readonly FacetValue[]) => values.filter(canBeChosen).slice(0, GROUPS)
  return sector.length > 0
    ? { title: 'Sectors', facet: 'sector', values: shown(sector) }
    : { title: 'Chains', facet: 'chain', values: shown(chain) }
}
