/** What the home page shows of the directory: the heads of its lists. */
import type { DirectoryName } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/company.ts'
import type { Directory } from '../../directory/directory.ts'
import type { FacetValue } from '../../directory/facets.ts'
import type { Person } from '../../directory/person.ts'
import { canBeChosen } from '../components/facet-fields.tsx'
import { valuesOf } from '../directory/list-query.ts'
import { LIST_PARAMETERS, listedCompanies, listedPeople } from '../directory/listed.ts'
import { ownTurn } from '../http/turns.ts'

/** The first records of a list. */
export interface Head<R> {
  title: string
  /** The list, and what its link says. */
  path: string
  link: string
  records: readonly R[]
}

export interface Heads {
  /** Companies that raised; the most prominent ones where no round is on record. */
  projects: Head<Company> & { haveRaised: boolean }
  people: Head<Person>
  /** Funds that invested lately; the largest portfolios where none did, the most prominent ones where none has one. */
  funds: Head<Company> & { by: 'activity' | 'portfolio' | 'prominence' }
  newest: Head<Company>
  /** Sectors of projects; where none is on record their chains. */
  groups: { title: string; facet: 'sector' | 'chain'; values: readonly FacetValue[] }
}

/** Rows of the first one and of each other, and groups, at most. */
const FIRST_ROWS = 8
const ROWS = 5
const GROUPS = 24

/** Each list is read in a turn of its own (D169), and counted where its counts are shown: that takes some milliseconds. */
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
  path: '/projects?sort=recent',
  link: 'All projects, newest first',
  records: first(directory, 'projects', 'sort=recent', ROWS),
})

/** What the list's page shows at this address, as far as the rows go. */
function first(directory: Directory, list: DirectoryName, query: string, rows: number) {
  const values = valuesOf(LIST_PARAMETERS[list], `${query}&limit=${rows}`)
  return listedCompanies(directory, list, { ...values, isCounted: false }).records
}

function projectsOf(directory: Directory): Heads['projects'] {
  const records = first(directory, 'projects', 'sort=last-round', FIRST_ROWS)
  const raised = records.filter(({ funding }) => funding.announcedAt !== null)
  if (raised.length > 0) {
    return {
      title: 'Latest raises',
      path: '/projects?sort=last-round',
      link: 'All projects by last round',
      records: raised,
      haveRaised: true,
    }
  }
  return {
    title: 'Projects',
    path: '/projects',
    link: 'All projects',
    records: first(directory, 'projects', '', FIRST_ROWS),
    haveRaised: false,
  }
}

function peopleOf(directory: Directory): Head<Person> {
  const read = (query: string) => {
    const values = valuesOf(LIST_PARAMETERS.people, `${query}&limit=${ROWS}`)
    return listedPeople(directory, { ...values, isCounted: false }).records
  }
  const followed = read('sort=followers').filter(({ followers }) => followers > 0)
  return followed.length > 0
    ? {
        title: 'Most followed people',
        path: '/people?sort=followers',
        link: 'All people by followers',
        records: followed,
      }
    : { title: 'People', path: '/people', link: 'All people', records: read('') }
}

function fundsOf(directory: Directory): Heads['funds'] {
  const records = first(directory, 'investors', 'sort=active', ROWS)
  const active = records.filter((fund) => directory.recentInvestments(fund) > 0)
  if (active.length > 0) {
    return {
      title: 'Most active funds',
      path: '/investors?sort=active',
      link: 'All funds by activity',
      records: active,
      by: 'activity',
    }
  }
  const largest = first(directory, 'investors', 'sort=portfolio', ROWS)
  const invested = largest.filter(({ portfolioCount }) => portfolioCount > 0)
  if (invested.length > 0) {
    return {
      title: 'Largest portfolios',
      path: '/investors?sort=portfolio',
      link: 'All funds by portfolio',
      records: invested,
      by: 'portfolio',
    }
  }
  return {
    title: 'Funds',
    path: '/investors',
    link: 'All funds',
    records: first(directory, 'investors', '', ROWS),
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
