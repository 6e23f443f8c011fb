/** How people are listed: orders, filters and facets. */
import {
  isSameText,
  PERSON_TEXT,
  type PersonText,
  personDocument,
} from '../../../index-build/documents.ts'
import { Collection } from './collection.ts'
import type { Company } from './company.ts'
import { lastRaised } from './company-collection.ts'
import type {
  BrowsedPage,
  BrowseQuery,
  Facet,
  PeopleFacet,
  PeoplePage,
  PeopleQuery,
  PeopleSort,
} from './directory.ts'
import { CompanyColumn, TextColumn } from './facet-columns.ts'
import type { FacetValue } from './facets.ts'
import { alphabetical, largestFirst, type Ordering } from './orders.ts'
import { type Person, personText } from './person.ts'
import { personProminence } from './prominence.ts'
import type { RecordSlots } from './record-slots.ts'

type Order = 'recent' | 'name' | 'prominence'
type PeopleCollection = Collection<Person, Order>

/** Facets of people, beside their company itself. */
const FACETS = {
  roles: ({ roles }: Person) => roles,
  channels: ({ channels }: Person) => channels,
  contactType: ({ contactType }: Person) => contactType,
  sector: ({ company }: Person) => company?.sectors ?? null,
  raised: ({ company }: Person) => company && lastRaised(company),
} as const satisfies Record<Exclude<PeopleFacet, 'company'>, unknown>

const ORDERS = new Map<string, Ordering<Person>>([
  ['recent', largestFirst((person) => person.createdAt)],
  ['name', alphabetical()],
  ['popular', largestFirst((person) => person.followers)],
  ['prominence', largestFirst(personProminence)],
])

/** @param companies those that people work for */
export function newPeople(
  companies: Pick<RecordSlots<Company>, 'records' | 'slotOf' | 'bySlug'>,
): PeopleCollection {
  return new Collection<Person, Order>({
    orders: ORDERS as ReadonlyMap<Order, Ordering<Person>>,
    facets: {
      ...Object.fromEntries(
        Object.entries(FACETS).map(([name, values]) => [name, new TextColumn<Person>(values)]),
      ),
      company: new CompanyColumn((person: Person) => person.company, companies),
    },
    document: (person) => personDocument(personText(person)),
  })
}

/** Searchable text of a changed person; null if it is unchanged. */
export const changedPerson = (row: PersonText, before: Person | undefined) =>
  before && isSameText(personText(before), row, PERSON_TEXT) ? null : personDocument(row)

const orderOf = (sort: PeopleSort | undefined) => (sort === 'followers' ? 'popular' : sort)

/** These people in an order of pages. */
export function sortedPeople(people: readonly Person[], sort: PeopleSort): Person[] {
  return people.toSorted(ORDERS.get(orderOf(sort) ?? '')?.compare)
}

/** A page of the list as the application shows it. */
export function browsePeople(
  people: PeopleCollection,
  { q = '', sort, ...others }: BrowseQuery<PeopleFacet, PeopleSort>,
): BrowsedPage<Person, PeopleFacet> {
  const text = q.trim()
  const order = orderOf(sort) ?? (text ? null : 'prominence')
  return { ...people.browse({ ...others, q: text, order }), all: people.size }
}

export function listPeople(people: PeopleCollection, query: PeopleQuery): PeoplePage {
  const { q = '', contactType, roles = [], channels = [], sector = [], sort, page, limit } = query
  const text = q.trim()
  const { records, total, facets } = people.browse({
    q: text,
    wanted: { contactType: contactType ? [contactType] : [], roles, channels, sector },
    order: sort ?? (text ? null : 'recent'),
    page,
    limit,
    facets: ['roles', 'channels'],
    most: Number.POSITIVE_INFINITY,
  })
  return {
    people: records,
    total,
    facets: { roles: facetOf(facets.roles), channels: facetOf(facets.channels) },
  }
}

/** The most frequent first, in lower case. */
function facetOf(values: readonly FacetValue[] = []): Facet[] {
  return values
    .map(({ value, count }) => ({ value: value.toLowerCase(), count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}
