/** All that a record is connected to, two steps far: the picture on its profile shows the beginning of it. */
import type { Parameters, Values } from '../../contract/query.ts'
import type { Company } from '../../directory/records/company.ts'
import type { Directory } from '../../directory/records/directory.ts'
import type { Person } from '../../directory/records/person.ts'
import { byFrequency, investorsOf } from './connections.ts'
import { bySeniority } from './seniority.ts'
import { companyPath, nameOf, personPath, personRecord } from './view-models.ts'

/** Records on a page of a layer. */
const PAGE_ROWS = 30
/** Companies by which one is reached that are named. */
const NAMED = 3
/** Companies whose neighbours are read in one step: half a millisecond. */
const STEP_COMPANIES = 10

const page = {
  kind: 'integer',
  default: 1,
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
  description: 'Page of a layer.',
} as const

export const CONNECTIONS_PARAMETERS = {
  people: page,
  next: page,
  beyond: page,
} as const satisfies Parameters

export type ConnectionsQuery = Values<typeof CONNECTIONS_PARAMETERS>

export interface ListedNode {
  name: string
  path: string
  /** Companies by which it is reached; none where it is a neighbour. */
  through: readonly string[]
}

/** A page of a layer. */
export interface ListedLayer {
  name: keyof ConnectionsQuery
  title: string
  count: number
  page: number
  totalPages: number
  nodes: readonly ListedNode[]
}

/** Read in steps (`one-moment.ts`). Layers with nobody are left out. @param query a page past the end shows the last one */
export function* allOfCompany(
  directory: Directory,
  self: Company,
  query: ConnectionsQuery,
): Generator<void, ListedLayer[]> {
  const team = directory.team(self).toSorted(bySeniority)
  const next = neighboursOf(directory, self)
  yield
  const { companies, through } = yield* beyond(directory, self, next)
  return [
    listed('people', 'People', query, team, personNode),
    nextLayer(self, next, query),
    listed(
      'beyond',
      self.investor ? 'Who else is in them' : 'They also backed',
      query,
      companies,
      (it) => companyNode(it, through.get(it)),
    ),
  ].filter(({ count }) => count > 0)
}

/** As `allOfCompany`. */
export function* allOfPerson(
  directory: Directory,
  self: Person,
  query: ConnectionsQuery,
): Generator<void, ListedLayer[]> {
  const { company } = self
  if (!company) return []
  const coworkers = directory.coworkers(self).sort(bySeniority)
  yield
  return [
    listed('people', `Others at ${company.name}`, query, coworkers, personNode),
    nextLayer(company, neighboursOf(directory, company), query),
  ].filter(({ count }) => count > 0)
}

const nextLayer = (of: Company, next: readonly Company[], query: ConnectionsQuery) =>
  listed('next', of.investor ? 'Investments' : 'Investors', query, next, (it) => companyNode(it))

/** A fund's investments, newest first; another company's investors, most frequent first. */
function neighboursOf(directory: Directory, company: Company): Company[] {
  if (!company.investor) {
    return byFrequency(investorsOf(directory.fundingRounds(company, 0, Infinity), company))
  }
  const backed = new Set(directory.portfolio(company).map((row) => row.company))
  return [...backed].filter(({ id }) => id !== company.id)
}

/** The companies that these lead to, those that most lead to first, and by which of them each is reached. */
function* beyond(directory: Directory, self: Company, next: readonly Company[]) {
  const through = new Map<Company, string[]>()
  const reached: Company[] = []
  for (const [position, one] of next.entries()) {
    if (position % STEP_COMPANIES === 0) yield
    for (const company of new Set(neighboursOf(directory, one))) {
      if (company.id === self.id) continue
      reached.push(company)
      through.set(company, [...(through.get(company) ?? []), one.name])
    }
  }
  yield
  return { companies: byFrequency(reached), through }
}

function listed<R>(
  name: ListedLayer['name'],
  title: string,
  query: ConnectionsQuery,
  all: readonly R[],
  nodeOf: (record: R) => ListedNode,
): ListedLayer {
  const totalPages = Math.max(1, Math.ceil(all.length / PAGE_ROWS))
  const page = Math.min(query[name], totalPages)
  const nodes = all.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map(nodeOf)
  return { name, title, count: all.length, page, totalPages, nodes }
}

const personNode = (it: Person): ListedNode => ({
  name: nameOf(personRecord(it)),
  path: personPath(it),
  through: [],
})

function companyNode(it: Company, through: readonly string[] = []): ListedNode {
  const others = through.length - NAMED
  const named = through.slice(0, NAMED)
  return {
    name: it.name,
    path: companyPath(it),
    through: others > 0 ? [...named, `${others} more`] : named,
  }
}
