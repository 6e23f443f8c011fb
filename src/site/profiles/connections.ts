/** Records connected to a record, up to two steps away: the picture on its profile, and all of them in pages. */

import type { Parameters, Values } from '../../contract/query.ts'
import type { Company, FundingRound } from '../../directory/records/company.ts'
import type { Directory } from '../../directory/records/directory.ts'
import type { Person } from '../../directory/records/person.ts'
import { bySeniority, companyPath, nameOf, personPath, personRecord } from './view-models.ts'

export interface ConnectedNode {
  id: string
  name: string
  path: string
  /** True for the profile's own record. */
  isSelf: boolean
}

export interface Layer {
  title: string
  nodes: readonly ConnectedNode[]
  /** Number of all nodes; null if not counted. */
  total: number | null
}

export interface Connections {
  layers: readonly Layer[]
  /** Pairs of ids in neighbouring layers, left to right. */
  links: readonly (readonly [string, string])[]
}

/** Nodes of one layer in the picture. */
const NODES_MAX = 6
/** Newest investments of a fund, and rounds of a company, that the picture considers. */
const INVESTMENTS_MAX = 60
const ROUNDS_MAX = 60

export function connectionsOfCompany(directory: Directory, self: Company): Connections {
  const people = peopleLayer(directory.team(self).toSorted(bySeniority))
  const center = centerOf(self, true)
  const next = nextTo(directory, self)
  const first = next.companies
  const second = self.investor ? beside(directory, self, first) : alsoBacked(directory, self, first)
  return {
    layers: [
      people,
      center,
      next.layer,
      layer(self.investor ? 'Who else is in them' : 'They also backed', second.companies),
    ].filter(({ nodes }) => nodes.length > 0),
    links: [
      ...people.nodes.map(({ id }) => [id, self.id] as const),
      ...first.map(({ id }) => [self.id, id] as const),
      ...second.links,
    ],
  }
}

export function connectionsOfPerson(directory: Directory, self: Person): Connections {
  const { company } = self
  if (!company) return { layers: [], links: [] }
  const coworkers = directory.coworkers(self).sort(bySeniority)
  const people = peopleLayer([self, ...coworkers], self)
  const next = nextTo(directory, company)
  return {
    layers: [people, centerOf(company), next.layer].filter(({ nodes }) => nodes.length > 0),
    links: [
      ...people.nodes.map(({ id }) => [id, company.id] as const),
      ...next.companies.map(({ id }) => [company.id, id] as const),
    ],
  }
}

function peopleLayer(people: readonly Person[], self?: Person): Layer {
  const nodes = people.slice(0, NODES_MAX).map((it) => ({
    id: it.id,
    name: nameOf(personRecord(it)),
    path: personPath(it),
    isSelf: it === self,
  }))
  return { title: 'People', nodes, total: people.length }
}

const layer = (
  title: string,
  companies: readonly Company[],
  total: number | null = null,
): Layer => ({
  title,
  nodes: companies.map((it) => companyNode(it)),
  total,
})

const centerOf = (company: Company, isSelf = false): Layer => ({
  title: company.investor ? 'Fund' : 'Company',
  nodes: [companyNode(company, isSelf)],
  total: null,
})

/** Neighbours of a company and their layer: newest investments of a fund, investors of another company. */
function nextTo(directory: Directory, company: Company) {
  if (company.investor) {
    const companies = backedBy(directory, company)
    return { companies, layer: layer('Newest investments', companies) }
  }
  const newest = directory.fundingRounds(company, 0, ROUNDS_MAX)
  const investors = investorsOf(newest, company)
  const companies = byFrequency(investors).slice(0, NODES_MAX)
  // The total is unknown if there are more rounds than considered.
  const total = newest.length < ROUNDS_MAX ? new Set(investors).size : null
  return { companies, layer: layer('Investors', companies, total) }
}

function companyNode(it: Company, isSelf = false): ConnectedNode {
  return { id: it.id, name: it.name, path: companyPath(it), isSelf }
}

/** Investors of the rounds, with repetitions; leads of each round first. */
export function investorsOf(rounds: readonly FundingRound[], company: Company): Company[] {
  const parts = rounds.flatMap(({ investors }) => investors)
  return parts.map((part) => part.company).filter(({ id }) => id !== company.id)
}

/** Companies of a fund's newest investments, without the fund itself. */
function backedBy(directory: Directory, fund: Company): Company[] {
  const newest = directory.portfolio(fund, INVESTMENTS_MAX)
  const companies = new Set(newest.map(({ company }) => company))
  return [...companies].filter(({ id }) => id !== fund.id).slice(0, NODES_MAX)
}

/** Other companies that these investors backed. */
function alsoBacked(directory: Directory, self: Company, investors: readonly Company[]) {
  return nextStep(investors, self, (investor) =>
    directory.portfolio(investor, INVESTMENTS_MAX).map(({ company }) => company),
  )
}

/** Other investors of these companies. */
function beside(directory: Directory, fund: Company, companies: readonly Company[]) {
  return nextStep(companies, fund, (company) =>
    directory
      .fundingRounds(company, 0, ROUNDS_MAX)
      .flatMap(({ investors }) => investors.map((investor) => investor.company)),
  )
}

/** Companies that most of `from` lead to, and the links to them. */
function nextStep(
  from: readonly Company[],
  self: Company,
  neighboursOf: (of: Company) => readonly Company[],
) {
  const reached = from.map((one) => ({ one, others: new Set(neighboursOf(one)) }))
  const all = reached.flatMap(({ others }) => [...others])
  const companies = byFrequency(all.filter(({ id }) => id !== self.id)).slice(0, NODES_MAX)
  const links = reached.flatMap(({ one, others }) =>
    companies.filter((it) => others.has(it)).map((it) => [one.id, it.id] as const),
  )
  return { companies, links }
}

/** Each company once, most frequent first; ties keep their order. */
function byFrequency(companies: readonly Company[]): Company[] {
  const counts = new Map<Company, number>()
  for (const company of companies) counts.set(company, (counts.get(company) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([company]) => company)
}

const PAGE_ROWS = 30
/** Connecting companies named for each entry. */
const NAMED = 3

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

interface ListedNode {
  name: string
  path: string
  /** Names of connecting companies; empty for direct neighbours. */
  through: readonly string[]
}

export interface ListedLayer {
  name: keyof ConnectionsQuery
  title: string
  count: number
  page: number
  totalPages: number
  nodes: readonly ListedNode[]
}

/** All connections of a company, without empty layers. @param query pages; past the end means the last */
export function allOfCompany(
  directory: Directory,
  self: Company,
  query: ConnectionsQuery,
): ListedLayer[] {
  const team = directory.team(self).toSorted(bySeniority)
  const next = neighboursOf(directory, self)
  const { companies, through } = beyond(directory, self, next)
  return [
    listed('people', 'People', query, team, listedPerson),
    nextLayer(self, next, query),
    listed(
      'beyond',
      self.investor ? 'Who else is in them' : 'They also backed',
      query,
      companies,
      (it) => listedCompany(it, through.get(it)),
    ),
  ].filter(({ count }) => count > 0)
}

/** All connections of a person; see `allOfCompany`. */
export function allOfPerson(
  directory: Directory,
  self: Person,
  query: ConnectionsQuery,
): ListedLayer[] {
  const { company } = self
  if (!company) return []
  const coworkers = directory.coworkers(self).sort(bySeniority)
  return [
    listed('people', `Others at ${company.name}`, query, coworkers, listedPerson),
    nextLayer(company, neighboursOf(directory, company), query),
  ].filter(({ count }) => count > 0)
}

const nextLayer = (of: Company, next: readonly Company[], query: ConnectionsQuery) =>
  listed('next', of.investor ? 'Investments' : 'Investors', query, next, (it) => listedCompany(it))

/** A fund's investments, newest first; another company's investors, most frequent first. */
function neighboursOf(directory: Directory, company: Company): Company[] {
  if (!company.investor) {
    return byFrequency(investorsOf(directory.fundingRounds(company, 0, Infinity), company))
  }
  const backed = new Set(directory.portfolio(company).map((row) => row.company))
  return [...backed].filter(({ id }) => id !== company.id)
}

/** Companies two steps away, most frequent first, with the companies that connect them. */
function beyond(directory: Directory, self: Company, next: readonly Company[]) {
  const through = new Map<Company, string[]>()
  const reached: Company[] = []
  for (const one of next) {
    for (const company of new Set(neighboursOf(directory, one))) {
      if (company.id === self.id) continue
      reached.push(company)
      through.set(company, [...(through.get(company) ?? []), one.name])
    }
  }
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

const listedPerson = (it: Person): ListedNode => ({
  name: nameOf(personRecord(it)),
  path: personPath(it),
  through: [],
})

function listedCompany(it: Company, through: readonly string[] = []): ListedNode {
  const others = through.length - NAMED
  const named = through.slice(0, NAMED)
  return {
    name: it.name,
    path: companyPath(it),
    through: others > 0 ? [...named, `${others} more`] : named,
  }
}
