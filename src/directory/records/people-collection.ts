/** How people are listed: orders, filters and facets. */
import {
  isSameText,
  PERSON_TEXT,
  type PersonText,
  personDocument,
} from '../../../index-build/documents.ts'
import type { Channel, ContactType } from '../../contract/vocabulary.ts'
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
import type { Population } from './facet-cells.ts'
import { CompanyColumn, TextColumn } from './facet-columns.ts'
import type { FacetValue } from './facets.ts'
import { alphabetical, largestFirst, type Ordering } from './orders.ts'
import { type Person, personText } from './person.ts'
import { personProminence } from './prominence.ts'
import type { RecordSlots } from './record-slots.ts'

/** Values that filters of people look at. */
export interface PersonCell {
  /** Lower case. */
  roles: readonly string[]
  channels: readonly Channel[]
  contactType: ContactType
}

type Order = 'recent' | 'name' | 'prominence'
type Facets = PeoplePage['facets']
type PeopleCollection = Collection<Person, PersonCell, Order, Facets>

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
  return new Collection<Person, PersonCell, Order, Facets>({
    cell: cellOf,
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

interface KeyedCell {
  key: string
  cell: PersonCell
}

/** Cells by roles, channels and contact type. People with the same roles or channels share one list (`person.ts`), so a load makes few. */
type CellsOfRoles = Map<readonly Channel[], Map<ContactType, KeyedCell>>
const cells = new WeakMap<readonly string[], CellsOfRoles>()

function cellOf({ roles, channels, contactType }: Person): KeyedCell {
  const known = cells.get(roles)?.get(channels)?.get(contactType)
  if (known) return known
  const cell = { roles: roles.map((role) => role.toLowerCase()), channels, contactType }
  const made = { key: JSON.stringify([cell.roles, channels, contactType]), cell }
  const ofRoles: CellsOfRoles = cells.get(roles) ?? new Map()
  const ofChannels = ofRoles.get(channels) ?? new Map<ContactType, KeyedCell>()
  cells.set(roles, ofRoles.set(channels, ofChannels.set(contactType, made)))
  return made
}

const orderOf = (sort: PeopleSort | undefined) => (sort === 'followers' ? 'popular' : sort)

/** These people in an order of pages. */
export function sortedPeople(people: readonly Person[], sort: PeopleSort): Person[] {
  return people.toSorted(ORDERS.get(orderOf(sort) ?? '')?.compare)
}

/** A page of the list as the application shows it. */
export function browsePeople(
  people: PeopleCollection,
  query: BrowseQuery<PeopleFacet, PeopleSort>,
): BrowsedPage<Person, PeopleFacet> {
  const { q = '', sort, isCounted = true, ...others } = query
  const text = q.trim()
  const order = orderOf(sort) ?? (text ? null : 'prominence')
  return { ...people.browse({ ...others, q: text, order, isCounted }), all: people.size }
}

export function listPeople(people: PeopleCollection, query: PeopleQuery): PeoplePage {
  const q = query.q?.trim() ?? ''
  const { contactType, roles = [], channels = [], sector = [], page, limit } = query
  const order = query.sort ?? (q ? null : 'recent')
  if (sector.length > 0) {
    // Cells don't know sectors: with them nearly every company's people would have one of their own.
    const wanted = { roles, channels, sector, contactType: contactType ? [contactType] : [] }
    const only = { isCounted: true, counted: ['roles', 'channels'] }
    const found = people.browse({ q, wanted, order, page, limit, ...only })
    const { roles: byRole, channels: byChannel } = found.facets
    const facets = { roles: plainCounts(byRole), channels: plainCounts(byChannel) }
    return { people: found.records, total: found.total, facets }
  }
  const wanted = new Set(roles.map((role) => role.toLowerCase()))
  // AND-ed with each other, the values of each OR-ed, case ignored.
  const accepts: Filters = {
    contactType: (cell) => !contactType || cell.contactType === contactType,
    roles: (cell) => wanted.size === 0 || cell.roles.some((role) => wanted.has(role)),
    channels: (cell) =>
      channels.length === 0 || cell.channels.some((channel) => channels.includes(channel)),
  }
  const filter = {
    key: JSON.stringify([contactType, roles, channels]),
    accepts: (cell: PersonCell) =>
      accepts.contactType(cell) && accepts.roles(cell) && accepts.channels(cell),
  }
  const isFiltered = contactType || roles.length > 0 || channels.length > 0
  const found = people.list(q, isFiltered ? filter : null, order, page, limit)
  const facets = people.facets(q, filter.key, (populations) => facetsOf(populations, accepts))
  return { people: found.records, total: found.total, facets }
}

const plainCounts = (values: readonly FacetValue[] = []): Facet[] =>
  values.map(({ value, count }) => ({ value, count }))

type Filters = Record<'contactType' | 'roles' | 'channels', (cell: PersonCell) => boolean>

/** Counted over everything that the other filters match: a facet ignores its own. */
function facetsOf(populations: readonly Population<PersonCell>[], accepts: Filters): Facets {
  const roles = new Map<string, number>()
  const channels = new Map<string, number>()
  for (const { cell, count } of populations) {
    if (!accepts.contactType(cell)) continue
    if (accepts.channels(cell)) for (const role of new Set(cell.roles)) add(roles, role, count)
    if (accepts.roles(cell)) for (const channel of cell.channels) add(channels, channel, count)
  }
  return { roles: mostFrequentFirst(roles), channels: mostFrequentFirst(channels) }
}

function add(counts: Map<string, number>, value: string, count: number) {
  counts.set(value, (counts.get(value) ?? 0) + count)
}

function mostFrequentFirst(counts: Map<string, number>): Facet[] {
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}
