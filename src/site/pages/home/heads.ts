/** First rows of the directory's lists, for the home page. */
import type { DirectoryName } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../directory/records/company.ts'
import type { Directory } from '../../../directory/records/directory.ts'
import type { FacetValue } from '../../../directory/records/facets.ts'
import type { Person } from '../../../directory/records/person.ts'
import { ownTurn } from '../../../turns.ts'
import { LIST_PARAMETERS, listedCompanies, listedPeople } from '../../profiles/directory-lists.ts'
import { announcedAt } from '../../profiles/funding.ts'
import { canBeChosen } from '../../ui/facet-fields.tsx'
import { valuesOf } from '../../ui/list-query.ts'

export interface Head<R> {
  title: string
  /** Path of the list, and the text of its link. */
  path: string
  link: string
  records: readonly R[]
}

export interface Heads {
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
const ROWS = 5
const GROUPS = 24

/** Reads each list in a turn of its own, because each takes milliseconds. */
export async function headsOf(directory: Directory): Promise<Heads> {
  const projects = projectsOf(directory)
  await ownTurn()
  const people = peopleOf(directory)
  await ownTurn()
  const funds = fundsOf(directory)
  await ownTurn()
  const groups = groupsOf(directory)
  await ownTurn()
  return { projects, people, funds, newest: newestOf(directory), groups }
}

const newestOf = (directory: Directory): Head<Company> => ({
  title: 'Newest projects',
  link: 'All projects, newest first',
  ...top(directory, 'projects', 'sort=recent', ROWS),
})

/** Path of a list, and its first rows. */
function top(directory: Directory, list: DirectoryName, query: string, rows: number) {
  const values = valuesOf(LIST_PARAMETERS[list], `${query}&limit=${rows}`)
  const { records } = listedCompanies(directory, list, { ...values, isCounted: false })
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
    listedCompanies(directory, 'projects', { ...values, limit, isCounted: false }).records
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
    const values = valuesOf(LIST_PARAMETERS.people, `${query}&limit=${ROWS}`)
    const { records } = listedPeople(directory, { ...values, isCounted: false })
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
  const latest = top(directory, 'investors', 'sort=active', ROWS)
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
  const largest = top(directory, 'investors', 'sort=portfolio', ROWS)
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
    ...top(directory, 'investors', '', ROWS),
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
