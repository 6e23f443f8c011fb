/** Filters, orders, facets and pages over invented records. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CHANNELS, DIRECTORIES } from '../../../src/contract/vocabulary.ts'
import { listCompanies } from '../../../src/directory/records/company-collection.ts'
import type { CompaniesQuery, PeopleQuery } from '../../../src/directory/records/directory.ts'
import { KeptAnswers } from '../../../src/directory/records/kept-answers.ts'
import { browsePeople, listPeople } from '../../../src/directory/records/people-collection.ts'
import { readsOf } from '../../../src/directory/records/reads.ts'
import { Chance } from '../../../src/server/demo/random.ts'
import { companyRow, personRow, storeOf } from './fixtures.ts'

const chance = new Chance(1)
const uuid = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const NAMES = ['Ann', 'Anna', 'Bob', 'Émile', 'emile', 'Zoë', 'Vitalik', '王伟', 'O’Neil', 'ann']
const companyRows = Array.from({ length: 60 }, (_, n) =>
  companyRow({
    id: uuid(n),
    name: `${chance.pick(NAMES)} ${chance.pick(['Labs', 'Capital', 'DAO', ''])}`.trim(),
    companyType: chance.pick(['project', 'investor', 'service', 'platform', 'institution']),
    altRoles: chance.happens(0.2) ? ['services'] : [],
    sectors: chance.several(['DeFi', 'NFT', 'Gaming'], chance.between(0, 2)),
    tokenLaunched: chance.pick([true, false, null]),
    fundType: chance.pick(['venture', 'Hedge', null]),
    trustTier: chance.pick(['A', 'B', null]),
    followers: chance.pick([null, 5, 500]),
    fundAllTimeRoiPct: chance.pick([null, 10, 20]),
    createdAt: Date.UTC(2025, 0, chance.between(1, 9)),
  }),
)
const peopleRows = Array.from({ length: 150 }, (_, n) =>
  personRow(`${chance.pick(NAMES)} ${chance.pick(NAMES)}`, {
    id: uuid(1_000 + n),
    companyId: chance.happens(0.5) ? uuid(chance.between(0, 59)) : null,
    contactType: chance.pick(['analyst', 'team']),
    roles: chance.several(['founder', 'legal', 'other'], chance.between(0, 2)),
    jobTitle: chance.pick(['Founder', 'Head of Legal', null]),
    creatorFollowerCount: chance.pick([null, 7, 700]),
    hasEmail: chance.happens(0.5),
    hasTelegram: chance.happens(0.3),
    createdAt: Date.UTC(2025, 0, chance.between(1, 9)),
  }),
)
const { people, companies } = storeOf({ companies: companyRows, people: peopleRows })

const q = fc.oneof(
  fc.constantFrom('', 'ann', 'a', 'emile', 'vitalk', 'labs a', 'founder', '王'),
  fc.string({ maxLength: 6 }),
)
const peopleFilter = fc.record({
  q,
  contactType: fc.constantFrom(undefined, 'analyst' as const, 'team' as const),
  roles: fc.subarray(['Founder', 'legal', 'nobody']),
  channels: fc.subarray([...CHANNELS]),
  sector: fc.subarray(['defi', 'NFT', 'none']),
})
const companyFilter = fc.record({
  q,
  sector: fc.subarray(['defi', 'NFT', 'none']),
  token: fc.constantFrom(undefined, 'launched' as const, 'pre' as const),
  fundType: fc.constantFrom(undefined, 'VENTURE', 'hedge'),
  trustTier: fc.constantFrom(undefined, 'a', 'C'),
})

/** All pages one after the other, read until one is empty. */
function walk<R>(read: (page: number) => { records: R[]; total: number }): {
  all: R[]
  total: number
} {
  const all: R[] = []
  for (let page = 1; ; page++) {
    const { records, total } = read(page)
    all.push(...records)
    if (records.length === 0) return { all, total }
  }
}

describe('the pages of a list are the whole set once, in order', () => {
  const limits = fc.integer({ min: 1, max: 100 })

  test('of people', () => {
    const sorts = fc.constantFrom(undefined, 'recent' as const, 'name' as const)
    fc.assert(
      fc.property(peopleFilter, sorts, limits, (filter, sort, limit) => {
        const query = (page: number): PeopleQuery => ({ ...filter, sort, page, limit })
        const read = (page: number) => {
          const { people: records, total } = listPeople(people, query(page))
          expect(records.length).toBeLessThanOrEqual(limit)
          return { records, total }
        }
        const { all, total } = walk(read)
        expect(new Set(all).size).toBe(all.length)
        expect(all.length).toBe(total)
        expect(listPeople(people, { ...query(1), limit: 1_000 }).people).toEqual(all)
        if (sort === 'recent') {
          const sorted = all.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
          expect(all).toEqual(sorted)
        }
        for (const { contactType, channels, company } of all) {
          if (filter.sector.length > 0) {
            const sectors = company?.sectors.map((sector) => sector.toLowerCase())
            expect(filter.sector.some((it) => sectors?.includes(it.toLowerCase()))).toBe(true)
          }
          if (filter.contactType) expect(contactType).toBe(filter.contactType)
          if (filter.channels.length > 0) {
            expect(channels.some((channel) => filter.channels.includes(channel))).toBe(true)
          }
        }
      }),
    )
  })

  test('of companies', () => {
    const sorts = fc.constantFrom(undefined, 'recent' as const, 'name' as const, 'roi' as const)
    fc.assert(
      fc.property(
        fc.constantFrom(...DIRECTORIES),
        companyFilter,
        sorts,
        limits,
        (directory, filter, sort, limit) => {
          const query = (page: number): CompaniesQuery => ({ ...filter, sort, page, limit })
          const read = (page: number) => {
            const { companies: records, total } = listCompanies(companies, directory, query(page))
            return { records, total }
          }
          const { all, total } = walk(read)
          expect(new Set(all).size).toBe(all.length)
          expect(all.length).toBe(total)
          for (const company of all) {
            expect(company.directories).toContain(directory)
            if (filter.token) expect(company.tokenLaunched).toBe(filter.token === 'launched')
          }
          if (sort === 'roi') {
            const worth = all.map(({ roi }) => roi ?? Number.NEGATIVE_INFINITY)
            expect(worth).toEqual(worth.toSorted((a, b) => b - a))
          }
        },
      ),
    )
  })

  test('of a list without filters', () => {
    const total = (directory: (typeof DIRECTORIES)[number]) =>
      listCompanies(companies, directory, { page: 1, limit: 1 }).total
    const both = companyRows.filter(
      ({ companyType, altRoles }) =>
        altRoles.length > 0 && companyType !== 'service' && companyType !== 'platform',
    )
    expect(total('projects') + total('investors') + total('services')).toBe(60 + both.length)
  })
})

describe('search is the head of what the list pages through', () => {
  const limits = fc.integer({ min: 1, max: 12 })
  const pages = fc.integer({ min: 1, max: 40 })

  test('of people', () => {
    fc.assert(
      fc.property(q, limits, pages, (text, limit, pageSize) => {
        const query = { q: text, roles: [], channels: [] }
        const head = listPeople(people, { ...query, page: 1, limit })
        const { all, total } = walk((page) => {
          const { people: records, total } = listPeople(people, { ...query, page, limit: pageSize })
          return { records, total }
        })
        expect(head.people).toEqual(all.slice(0, limit))
        expect(head.total).toBe(total)
      }),
    )
  })

  test('of projects', () => {
    fc.assert(
      fc.property(q, limits, pages, (text, limit, pageSize) => {
        const query = { q: text }
        const head = listCompanies(companies, 'projects', { ...query, page: 1, limit })
        const { all, total } = walk((page) => {
          const found = listCompanies(companies, 'projects', { ...query, page, limit: pageSize })
          return { records: found.companies, total: found.total }
        })
        expect(head.companies).toEqual(all.slice(0, limit))
        expect(head.total).toBe(total)
      }),
    )
  })

  test('whatever filters leave of it keeps its order', () => {
    fc.assert(
      fc.property(peopleFilter, (filter) => {
        const page = { page: 1, limit: 1_000 }
        const found = listPeople(people, { q: filter.q, roles: [], channels: [], ...page }).people
        const left = new Set(listPeople(people, { ...filter, ...page }).people)
        if (filter.q.trim() === '') return
        expect([...left]).toEqual(found.filter((person) => left.has(person)))
      }),
    )
  })
})

test('a facet counts what the other filters match and ignores its own', () => {
  fc.assert(
    fc.property(peopleFilter, (filter) => {
      const page = { page: 1, limit: 1_000 }
      const { facets } = listPeople(people, { ...filter, ...page })
      const others = listPeople(people, { ...filter, roles: [], ...page }).people
      for (const { value, count } of facets.roles) {
        expect(others.filter(({ roles }) => roles.includes(value)).length).toBe(count)
      }
      const reachable = listPeople(people, { ...filter, channels: [], ...page }).people
      for (const { value, count } of facets.channels) {
        expect(reachable.filter(({ channels }) => channels.some((c) => c === value)).length).toBe(
          count,
        )
      }
      const counts = facets.roles.map(({ count }) => count)
      expect(counts).toEqual(counts.toSorted((a, b) => b - a))
    }),
  )
})

test('sectors that nearly everybody’s company has leave what no sector leaves of the same people', () => {
  fc.assert(
    fc.property(peopleFilter, (filter) => {
      const page = { page: 1, limit: 1_000 }
      const every = ['DeFi', 'nft', 'GAMING']
      const left = listPeople(people, { ...filter, sector: every, ...page })
      const whole = listPeople(people, { ...filter, sector: [], ...page }).people
      expect(left.people).toEqual(whole.filter(({ company }) => company?.sectors.length))
      expect(left.total).toBe(left.people.length)
    }),
  )
})

test('pages have all their facets, also of a list that the API was asked for before', () => {
  const wanted = { roles: [], channels: [], sector: ['defi'], contactType: [] }
  const page = { page: 1, limit: 9 }
  listPeople(people, { roles: [], channels: [], sector: ['defi'], ...page })
  const { facets } = browsePeople(people, { wanted, sort: 'recent', ...page })
  expect(facets.company?.length).toBeGreaterThan(0)
})

test('order by name ignores case and accents, then goes by id', () => {
  const rows = ['Zoë', 'emile', 'Émile', 'Ann', 'ann'].map((name, n) =>
    personRow(name, { id: uuid(n) }),
  )
  const listed = listPeople(storeOf({ people: rows }).people, {
    roles: [],
    channels: [],
    sort: 'name',
    page: 1,
    limit: 9,
  })
  expect(listed.people.map(({ nameKey }) => nameKey)).toEqual([
    'Ann',
    'ann',
    'emile',
    'Émile',
    'Zoë',
  ])
})

test('investors are listed by portfolio unless another order is asked for', () => {
  const fund = (n: number) =>
    companyRow({ id: uuid(n), name: `Fund ${n}`, companyType: 'investor' })
  const { companies: listed } = storeOf({
    companies: [fund(1), fund(2), fund(3), companyRow({ id: uuid(4), name: 'Raised' })],
    rounds: [1, 2].map((n) => ({
      id: uuid(10 + n),
      companyId: uuid(4),
      roundType: 'seed',
      roundEventName: null,
      amountUsd: 1,
      announceDate: null,
      investors: [3, n].map((investor) => ({
        id: uuid(100 + 10 * n + investor),
        investorId: uuid(investor),
        isLead: false,
      })),
    })),
  })
  const names = listCompanies(listed, 'investors', { page: 1, limit: 9 }).companies
  expect(names.map(({ name }) => name)).toEqual(['Fund 3', 'Fund 1', 'Fund 2'])
})

test('a page past the end is empty and still says the total', () => {
  const query = { roles: [], channels: [], page: 3_000, limit: 100 }
  expect(listPeople(people, query)).toMatchObject({ people: [], total: 150 })
})

test('every value of a filter is counted, as many as there are, and as they are after a change', () => {
  const count = 300
  const rows = Array.from({ length: count }, (_, n) =>
    companyRow({
      id: uuid(n),
      name: `Company ${n}`,
      companyType: n % 2 === 0 ? 'project' : 'service',
      // In another case they are the same value.
      sectors: [`Sector ${n}`, n % 4 === 0 ? 'DEFI' : 'DeFi'],
    }),
  )
  const store = storeOf({ companies: rows })
  const directory = readsOf(() => store, new KeptAnswers())
  const values = directory.values('projects', 'sector')
  expect(values).toHaveLength(count / 2 + 1)
  expect(values[0]).toMatchObject({ count: count / 2 })
  expect(values[0]?.value.toLowerCase()).toBe('defi')
  expect(values).toContainEqual(expect.objectContaining({ value: 'Sector 2', count: 1 }))
  expect(values.map(({ value }) => value)).not.toContain('Sector 1')
  expect(directory.values('projects', 'sector')).toBe(values)
  expect([directory.values('projects', 'roles'), directory.values('people', 'sector')]).toEqual([
    [],
    [],
  ])
  const [first] = rows
  if (!first) throw new Error('rows are made above')
  const companies = new Map([[first.id, { ...first, sectors: ['Restaking'] }]])
  store.apply({ companies, people: new Map(), rounds: new Map() })
  const after = directory.values('projects', 'sector').map(({ value }) => value)
  expect([after.includes('Restaking'), after.includes('Sector 0')]).toEqual([true, false])
})
