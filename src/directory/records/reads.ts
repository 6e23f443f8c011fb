/** Answers of the directory from memory. */

import { LRUCache } from 'lru-cache'
import { DIRECTORIES, type DirectoryName } from '../../contract/vocabulary.ts'
import { type Matches, noMatches, only } from '../search/matches.ts'
import { bestInOrder, type Placed, placed } from '../search/rank.ts'
import type { Company } from './company.ts'
import { browseCompanies, listCompanies, prominentCompanies } from './company-collection.ts'
import type {
  BrowsedPage,
  BrowseQuery,
  CompanyFacet,
  DirectoryReads,
  FindQuery,
  FoundPage,
  FoundRecord,
  PageReads,
} from './directory.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { browsePeople, listPeople } from './people-collection.ts'
import { companyProminence, personProminence } from './prominence.ts'
import type { Store } from './store.ts'

// Finds people and companies at once, in one order: exact names first, of equals the most prominent.

/** Records of both kinds compare by these. */
interface Ranked {
  record: FoundRecord
  grade: number
  prominence: number
}

/** The orders of both kinds, by the moment of a store: to walk them took most of a search. */
const kept = new WeakMap<object, { people: Placed; companies: Placed }>()

function ordersOf({ moment, people, companies }: Store) {
  const known = kept.get(moment)
  if (known) return known
  const orders = {
    people: placed(people.order('prominence'), people.slots.records.length),
    companies: placed(companies.order('prominence'), companies.slots.records.length),
  }
  kept.set(moment, orders)
  return orders
}

export function find(store: Store, query: FindQuery): FoundPage {
  const { people, companies } = store
  const { kind, page, limit } = query
  const orders = ordersOf(store)
  const q = query.q.trim()
  const persons = q === '' ? noMatches() : people.matches(q)
  const found = q === '' ? noMatches() : companies.matches(q)
  const isListed = (slot: number) => {
    const directories = companies.slots.records[slot]?.directories ?? []
    return directories.some((name) => name === kind)
  }
  const wanted = {
    people: kind === undefined || kind === 'people' ? persons : noMatches(),
    companies: kind === undefined ? found : only(found, isListed),
  }
  const count = page * limit
  const bestCompanies = best(companies, orders.companies, wanted.companies, count, (company) => ({
    record: { kind: 'company', company },
    prominence: companyProminence(company),
  }))
  const bestPeople = best(people, orders.people, wanted.people, count, (person) => ({
    record: { kind: 'person', person },
    prominence: personProminence(person),
  }))
  const ranked = [...bestCompanies, ...bestPeople].sort(
    (a, b) => a.grade - b.grade || b.prominence - a.prominence,
  )
  return {
    found: ranked.slice(count - limit, count).map(({ record }) => record),
    total: persons.slots.length + found.slots.length,
    totals: { people: persons.slots.length, ...countedBy(companies, found) },
  }
}

/** Query of a collection. */
interface Listing<R> {
  readonly slots: { readonly records: readonly (R | undefined)[] }
}

/** The best of one collection, so that they compare with those of the other. */
function best<R>(
  { slots: { records } }: Listing<R>,
  order: Placed,
  matches: Matches,
  count: number,
  rank: (record: R) => Omit<Ranked, 'grade'>,
): Ranked[] {
  return bestInOrder(matches, order, count).flatMap(({ slot, grade }) => {
    const record = records[slot]
    return record ? [{ grade, ...rank(record) }] : []
  })
}

/** How many of these companies each list has. */
function countedBy(
  companies: Store['companies'],
  { slots }: Matches,
): Record<DirectoryName, number> {
  const counts = Object.fromEntries(DIRECTORIES.map((name) => [name, 0]))
  for (const { value, count } of companies.valuesOf('directory', slots)) counts[value] = count
  return counts as Record<DirectoryName, number>
}

// Investments of the last twelve months per company, by which pages order funds.

/** How many rounds each company was in, by its id; none of those that were in none. */
type Counts = ReadonlyMap<string, number>

interface Recent {
  /** Midnight, in UTC. */
  today: number
  counts: Counts
  /** Lists in this order, for their next page and the next caller. */
  lists: LRUCache<string, Company[]>
}

/** Counted once for each day and moment of a store: a pass over all rounds takes about a millisecond. */
const recentByMoment = new WeakMap<object, Recent>()
/** A list has a place for each of its records. */
const LISTS_KEPT = 8

const DAY_MS = 86_400_000

/** Rounds that were announced from this day of the last year on up to the end of today, in UTC. */
export function recentInvestments(store: Store, now = Date.now()): Counts {
  return recentOf(store, now).counts
}

function recentOf(store: Store, now = Date.now()): Recent {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const known = recentByMoment.get(store.moment)
  if (known?.today === today) return known
  const since = new Date(today).setUTCFullYear(new Date(today).getUTCFullYear() - 1)
  const counts = new Map<string, number>()
  for (const { announcedAt, investors } of store.rounds.values()) {
    if (announcedAt < since || announcedAt >= today + DAY_MS) continue
    for (const { investorId } of investors) {
      counts.set(investorId, (counts.get(investorId) ?? 0) + 1)
    }
  }
  const recent = { today, counts, lists: new LRUCache<string, Company[]>({ max: LISTS_KEPT }) }
  recentByMoment.set(store.moment, recent)
  return recent
}

/** Sorts by number of these rounds, most first; ties and companies without any keep their order. */
export function mostActiveFirst(companies: readonly Company[], counts: Counts): Company[] {
  // One look at each: comparing them would look ten times.
  const groups = Map.groupBy(companies, ({ id }) => counts.get(id) ?? 0)
  const largestFirst = [...groups].sort(([a], [b]) => b - a)
  return largestFirst.flatMap(([, group]) => group)
}

/** A page of a list by this order: the most prominent first of as many. It changes with the days, so no order of the store has it. */
export function browseMostActive(
  store: Store,
  directory: DirectoryName,
  query: Omit<BrowseQuery<CompanyFacet, never>, 'sort'>,
): BrowsedPage<Company, CompanyFacet> {
  const { companies } = store
  const { counts, lists } = recentOf(store)
  const { q, wanted, page, limit } = query
  const first = (rows: number) =>
    browseCompanies(companies, directory, { ...query, sort: 'prominence', page: 1, limit: rows })
  const key = JSON.stringify([directory, q, wanted])
  const records = lists.get(key) ?? mostActiveFirst(first(companies.size).records, counts)
  lists.set(key, records)
  return { ...first(1), records: records.slice((page - 1) * limit, page * limit) }
}

const COWORKERS_MAX = 100

/** @param store asked at each call: a rebuild puts another one in place. */
export function readsOf(store: () => Store, answers: KeptAnswers): DirectoryReads & PageReads {
  return {
    people: (query) => listPeople(store().people, query),
    companies: (directory, query) => listCompanies(store().companies, directory, query),
    values: (list, filter) =>
      list === 'people'
        ? store().people.everyValue(filter, {})
        : store().companies.everyValue(filter, { directory: [list] }),
    browsePeople: (query) => browsePeople(store().people, query),
    browseCompanies: (directory, { sort, ...query }) =>
      sort === 'active'
        ? browseMostActive(store(), directory, query)
        : browseCompanies(store().companies, directory, { ...query, sort }),
    recentInvestments: ({ id }) => recentInvestments(store()).get(id) ?? 0,
    mostActive: (companies) => mostActiveFirst(companies, recentInvestments(store())),
    moment: () => store().moment,
    find: (query) => find(store(), query),
    prominent: (directory, sector, limit) =>
      prominentCompanies(store().companies, directory, sector, limit),
    search: (q, limit) => ({
      projects: listCompanies(store().companies, 'projects', { q, page: 1, limit }).companies,
      people: listPeople(store().people, { q, page: 1, limit }).people,
    }),
    person: (idOrSlug) => store().person(idOrSlug),
    company: (idOrSlug) => store().company(idOrSlug),
    lists: (company, directory) => company.directories.includes(directory),
    team: (company) => store().team(company),
    coworkers: ({ id, company }) => {
      const team = company
        ? store()
            .team(company)
            .slice(0, COWORKERS_MAX + 1)
        : []
      return team.filter((other) => other.id !== id).slice(0, COWORKERS_MAX)
    },
    rounds: (company) => store().roundsOf(company),
    fundingRounds: (company, from, to) => store().fundingRounds(company, from, to),
    portfolio: (company, newest) => store().portfolio(company, newest),
    pictureVersion: ({ id }) => store().pictures.get(id),
    ready: (key, look) => answers.of(store(), key, look),
  }
}
