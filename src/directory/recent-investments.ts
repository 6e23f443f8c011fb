/** Which companies invested in the last twelve months, and how often: pages order funds by it (D153). */
import type { DirectoryName } from '../contract/vocabulary.ts'
import type { Company } from './company.ts'
import { browseCompanies } from './company-collection.ts'
import type { BrowsedPage, BrowseQuery, CompanyFacet } from './directory.ts'
import type { Store } from './store.ts'

/** How many rounds each company was in, by its id; none of those that were in none. */
type Counts = ReadonlyMap<string, number>

/** Counted once for each day and moment of a store: a pass over all rounds takes about a millisecond. */
const kept = new WeakMap<object, { today: number; counts: Counts }>()

const DAY_MS = 86_400_000

/** Rounds that were announced from this day of the last year on up to the end of today, in UTC. */
export function recentInvestments(store: Store, now = Date.now()): Counts {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  const known = kept.get(store.moment)
  if (known?.today === today) return known.counts
  const since = new Date(today).setUTCFullYear(new Date(today).getUTCFullYear() - 1)
  const counts = new Map<string, number>()
  for (const { announcedAt, investors } of store.rounds.values()) {
    if (announcedAt < since || announcedAt >= today + DAY_MS) continue
    for (const { investorId } of investors) {
      counts.set(investorId, (counts.get(investorId) ?? 0) + 1)
    }
  }
  kept.set(store.moment, { today, counts })
  return counts
}

/** Those who were in most of these rounds first; of as many, and of those who were in none, in the order given. */
export function mostActiveFirst(companies: readonly Company[], counts: Counts): Company[] {
  const active = companies.filter(({ id }) => counts.has(id))
  const others = companies.filter(({ id }) => !counts.has(id))
  active.sort((a, b) => (counts.get(b.id) ?? 0) - (counts.get(a.id) ?? 0))
  return [...active, ...others]
}

/** A page of a list by this order: the most prominent first of as many. It changes with the days, so no order of the store has it. */
export function browseMostActive(
  store: Store,
  directory: DirectoryName,
  query: Omit<BrowseQuery<CompanyFacet, never>, 'sort'>,
): BrowsedPage<Company, CompanyFacet> {
  const { companies } = store
  const { page, limit } = query
  const whole = { ...query, sort: 'prominence', page: 1, limit: companies.size } as const
  const found = browseCompanies(companies, directory, whole)
  const records = mostActiveFirst(found.records, recentInvestments(store))
  return { ...found, records: records.slice((page - 1) * limit, page * limit) }
}
