/** Finds people and companies at once, in one order: exact names first, of equals the most prominent. */
import { DIRECTORIES, type DirectoryName } from '../../contract/vocabulary.ts'
import { bestInOrder, type Placed, placed } from '../search/best.ts'
import { type Matches, noMatches, only } from '../search/matches.ts'
import type { FindQuery, FoundPage, FoundRecord } from './directory.ts'
import { companyProminence, personProminence } from './prominence.ts'
import type { Store } from './store.ts'

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

export function* find(store: Store, query: FindQuery): Generator<void, FoundPage> {
  const { people, companies } = store
  const { kind, page, limit } = query
  const orders = ordersOf(store)
  const q = query.q.trim()
  const persons = q === '' ? noMatches() : people.matches(q)
  yield
  const found = q === '' ? noMatches() : companies.matches(q)
  yield
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
  yield
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
