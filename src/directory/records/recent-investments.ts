/** Investments of the last twelve months per company, by which pages order funds. */
import { LRUCache } from 'lru-cache'
import type { DirectoryName } from '../../contract/vocabulary.ts'
import type { Company } from './company.ts'
import { browseCompanies } from './company-collection.ts'
import type { BrowsedPage, BrowseQuery, CompanyFacet } from './directory.ts'
import type { Store } from './store.ts'

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
const kept = new WeakMap<object, Recent>()
/** A list has a place for each of its records. */
const LISTS_KEPT = 8

const DAY_MS = 86_400_000

/** Rounds that were announced from this day of the last year on up to the end of today, in UTC. */
export function recentInvestments(store: Store, now = Date.now()): Counts {
  return recentOf(store, now).counts
}

function recentOf(store: Store, now = Date.now()): Recent {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const known = kept.get(store.moment)
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
  kept.set(store.moment, recent)
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
