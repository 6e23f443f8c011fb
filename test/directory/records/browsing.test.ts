/** Lists as pages show them: narrowed and counted by facets, in orders of their own. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { browseCompanies } from '../../../src/directory/records/company-collection.ts'
import type {
  CompanyFacet,
  CompanyOrder,
  PeopleFacet,
} from '../../../src/directory/records/directory.ts'
import { VALUES_MAX } from '../../../src/directory/records/facets.ts'
import { browsePeople } from '../../../src/directory/records/people-collection.ts'
import type { RoundRow } from '../../../src/directory/records/rows.ts'
import { Chance } from '../../../src/server/demo/random.ts'
import { companyRow, personRow, storeOf } from './fixtures.ts'

const chance = new Chance(5)
const uuid = (kind: number, n: number) =>
  `0000000${kind}-0000-7000-8000-${String(n).padStart(12, '0')}`
const companies = Array.from({ length: 80 }, (_, n) =>
  companyRow({
    id: uuid(1, n),
    slug: `c-${n}`,
    name: `${chance.pick(['Ann', 'Bob', 'Zoë'])} ${n}`,
    companyType: chance.pick(['project', 'institution', 'investor']),
    sectors: chance.several(['DeFi', 'NFT', 'nft', 'Gaming'], chance.between(0, 2)),
    chains: chance.several(['eth', 'mainnet', 'Solana', 'base'], chance.between(0, 3)),
    tokenLaunched: chance.pick([true, false, null]),
    fundType: chance.pick(['Venture', 'Hedge', null]),
    followers: chance.pick([null, 5, 50_000]),
    createdAt: Date.UTC(2025, 0, chance.between(1, 9)),
  }),
)
const rounds = Array.from({ length: 90 }, (_, n): RoundRow => {
  const investors = chance.several([...companies.keys()], chance.between(0, 4))
  return {
    id: uuid(3, n),
    companyId: uuid(1, chance.between(0, 49)),
    roundType: chance.pick(['Seed', 'Series A', null]),
    roundEventName: null,
    amountUsd: chance.pick([null, 1_000_000, 25_000_000]),
    announceDate: chance.pick([null, Date.UTC(2023, 3, 1), Date.UTC(2024, 7, 1)]),
    investors: investors.map((investor) => ({
      id: uuid(4, n * 100 + investor),
      investorId: uuid(1, investor),
      isLead: false,
    })),
  }
})
const people = Array.from({ length: 120 }, (_, n) =>
  personRow(`${chance.pick(['Ann', 'Bob', 'Zoë'])} ${n}`, {
    id: uuid(2, n),
    companyId: chance.happens(0.8) ? uuid(1, chance.between(0, 79)) : null,
    roles: chance.several(['founder', 'legal', 'other'], chance.between(0, 2)),
    contactType: chance.pick(['analyst', 'team']),
    creatorFollowerCount: chance.pick([null, 70]),
    hasEmail: chance.happens(0.5),
    hasTelegram: chance.happens(0.4),
  }),
)
const store = storeOf({ companies, rounds, people })

/** What each record has of each facet, worked out from the rows. */
const newestRound = (id: string) =>
  rounds
    .filter(({ companyId }) => companyId === id)
    .toSorted((a, b) => (b.announceDate ?? 0) - (a.announceDate ?? 0) || (a.id < b.id ? -1 : 1))[0]
const yearOf = (id: string) => {
  const at = newestRound(id)?.announceDate
  return at ? [String(new Date(at).getUTCFullYear())] : []
}
const CHAINS: Record<string, string> = { eth: 'Ethereum', mainnet: 'Ethereum', base: 'Base' }
const given = (value: string | null | false | undefined) => (value ? [value] : [])
const companyValues = companies.map((row) => ({
  id: row.id,
  name: row.name,
  directory: row.companyType === 'investor' ? 'investors' : 'projects',
  has: {
    kind: [row.companyType],
    sector: row.sectors,
    chain: row.chains.map((chain) => CHAINS[chain] ?? chain),
    token: given(row.tokenLaunched === null ? null : row.tokenLaunched ? 'launched' : 'pre'),
    stage: given(newestRound(row.id)?.roundType),
    raised: yearOf(row.id),
    fundType: given(row.fundType),
  } as Partial<Record<CompanyFacet, readonly string[]>>,
}))
const companyOf = new Map(companyValues.map((it) => [it.id, it]))
const personValues = people.map((row) => {
  const company = row.companyId === null ? undefined : companyOf.get(row.companyId)
  return {
    id: row.id,
    name: `${row.firstName} ${row.lastName}`,
    has: {
      roles: row.roles,
      channels: [...given(row.hasEmail && 'email'), ...given(row.hasTelegram && 'telegram')],
      contactType: [row.contactType],
      sector: company?.has.sector ?? [],
      raised: company?.has.raised ?? [],
      company: row.companyId === null ? [] : [`c-${Number(row.companyId.slice(-12))}`],
    } as Partial<Record<PeopleFacet, readonly string[]>>,
  }
})

type Values = { id: string; name: string; has: Readonly<Record<string, readonly string[]>> }
type Wanted = Readonly<Record<string, readonly string[]>>

/** Every facet's values among the records that all other facets leave, case ignored. */
function countedBy(all: readonly Values[], wanted: Wanted): Record<string, Record<string, number>> {
  const lower = (values: readonly string[] = []) => [
    ...new Set(values.map((it) => it.toLowerCase())),
  ]
  const passes = ({ has }: Values, but?: string) =>
    Object.entries(wanted).every(([name, values]) => {
      if (name === but || values.length === 0) return true
      return lower(has[name]).some((value) => lower(values).includes(value))
    })
  const facets = Object.keys(all[0]?.has ?? {}).map((name) => {
    const counts: Record<string, number> = {}
    for (const it of all.filter((one) => passes(one, name))) {
      for (const value of lower(it.has[name])) counts[value] = (counts[value] ?? 0) + 1
    }
    return [name, counts] as const
  })
  const passing = all.filter((it) => passes(it)).length
  return totalled(Object.fromEntries(facets), passing)
}

const totalled = (counts: Record<string, Record<string, number>>, all: number) => ({
  ...counts,
  total: { all },
})

/** The same of what the directory answered, but for what is wanted and nobody has. */
function counts(
  total: number,
  facets: Readonly<Record<string, readonly { value: string; count: number }[]>>,
  names: readonly string[],
): Record<string, Record<string, number>> {
  const of = (name: string) =>
    Object.fromEntries(
      (facets[name] ?? []).flatMap(({ value, count }) =>
        count > 0 ? [[value.toLowerCase(), count]] : [],
      ),
    )
  return totalled(Object.fromEntries(names.map((name) => [name, of(name)])), total)
}

const q = fc.constantFrom('', 'ann', 'zoe')
const isNamed = (text: string) => (it: { name: string }) =>
  it.name.toLowerCase().normalize('NFD').startsWith(text)

describe('each facet is counted over exactly what the others leave, and the total is of all', () => {
  const wantedCompanies = fc.record({
    kind: fc.subarray(['project', 'institution']),
    sector: fc.subarray(['defi', 'NFT', 'nobody’s']),
    chain: fc.subarray(['ethereum', 'Solana', 'none']),
    token: fc.subarray(['launched', 'pre']),
    stage: fc.subarray(['seed', 'Series A']),
    raised: fc.subarray(['2023', '2024']),
  })
  const wantedPeople = fc.record({
    roles: fc.subarray(['Founder', 'legal']),
    channels: fc.subarray(['email', 'telegram']),
    contactType: fc.subarray(['analyst', 'team']),
    sector: fc.subarray(['defi', 'gaming']),
    raised: fc.subarray(['2023', '2024']),
    company: fc.subarray(['c-1', 'c-20', 'nobody']),
  })

  test('of companies', () => {
    fc.assert(
      fc.property(q, wantedCompanies, (text, wanted) => {
        const all = companyValues.filter((it) => it.directory === 'projects')
        const {
          total,
          facets,
          all: whole,
        } = browseCompanies(store.companies, 'projects', {
          q: text,
          wanted,
          page: 1,
          limit: 5,
        })
        const values = all.filter(isNamed(text)) as Values[]
        const names = Object.keys(companyValues[0]?.has ?? {})
        if (values.length > 0)
          expect(counts(total, facets as never, names)).toEqual(countedBy(values, wanted))
        expect(whole).toBe(all.length)
      }),
    )
  })

  test('of people', () => {
    fc.assert(
      fc.property(q, wantedPeople, (text, wanted) => {
        const { total, facets, all } = browsePeople(store.people, {
          q: text,
          wanted,
          page: 1,
          limit: 5,
        })
        const values = personValues.filter(isNamed(text)) as Values[]
        const names = Object.keys(personValues[0]?.has ?? {})
        const naive = countedBy(values, wanted)
        // Of companies only the most frequent are named.
        const { company: _, ...expected } = naive
        const { company, ...found } = counts(total, facets as never, names)
        expect(found as object).toEqual(expected)
        for (const [slug, count] of Object.entries(company ?? {})) {
          expect([slug, count]).toEqual([slug, naive.company?.[slug] ?? 0])
        }
        expect(all).toBe(people.length)
      }),
    )
  })
})

test('what is chosen is counted and named, however rare it is', () => {
  const last = VALUES_MAX + 9
  const firms = Array.from({ length: last + 1 }, (_, n) =>
    companyRow({ id: uuid(1, n), slug: `firm-${n}`, name: `Firm ${n}`, sectors: [`Sector ${n}`] }),
  )
  const staff = firms.flatMap(({ id: companyId }, n) => [
    personRow('Ann', { companyId }),
    ...(n === last ? [] : [personRow('Bob', { companyId, roles: ['founder'] })]),
  ])
  const few = storeOf({ companies: firms, people: staff })
  const firm = { value: `firm-${last}`, label: `Firm ${last}` }
  const sector = { value: `Sector ${last}`, label: `Sector ${last}` }
  for (const [roles, count] of [
    [[], 1],
    [['founder'], 0],
  ] as const) {
    const wanted = {
      roles,
      company: [firm.value.toUpperCase()],
      sector: [sector.value.toLowerCase()],
    }
    const { total, facets } = browsePeople(few.people, { wanted, page: 1, limit: 1 })
    expect(total).toBe(count)
    expect(facets.company?.filter(({ value }) => value === firm.value)).toEqual(
      count > 0 ? [{ ...firm, count }] : [],
    )
    expect(facets.sector?.filter(({ value }) => value === sector.value)).toEqual(
      count > 0 ? [{ ...sector, count }] : [],
    )
  }
})

test('as many companies as a facet has are counted, beside people who have none', () => {
  const firms = Array.from({ length: VALUES_MAX + 1 }, (_, n) =>
    companyRow({ id: uuid(1, n), slug: `firm-${n}`, name: `Firm ${n}` }),
  )
  // The rarest of those that are shown has one person fewer than the others, and one more than what is left out.
  const staff = firms.flatMap(({ id: companyId }, n) =>
    Array.from({ length: n < VALUES_MAX - 1 ? 3 : n === VALUES_MAX ? 1 : 2 }, () =>
      personRow('Ann', { companyId }),
    ),
  )
  const alone = Array.from({ length: 9 }, () => personRow('Bob'))
  const { people } = storeOf({ companies: firms, people: [...staff, ...alone] })
  const { facets } = browsePeople(people, { wanted: {}, page: 1, limit: 1 })
  const shown = facets.company?.map(({ value, count }) => `${value}: ${count}`)
  expect(shown).toHaveLength(VALUES_MAX)
  expect(shown?.at(-1)).toBe(`firm-${VALUES_MAX - 1}: 2`)
})

test('each order puts the largest first and what is unknown last, and its pages are the whole list once', () => {
  const unknownLast = Number.NEGATIVE_INFINITY
  const amounts = (id: string) =>
    rounds
      .filter((it) => it.companyId === id && it.amountUsd !== null)
      .map((it) => it.amountUsd ?? 0)
  const investorsOf = (id: string) =>
    new Set(
      rounds
        .filter(({ companyId }) => companyId === id)
        .flatMap(({ investors }) => investors.map(({ investorId }) => investorId)),
    ).size
  const values: Partial<Record<CompanyOrder, (id: string) => number>> = {
    raised: (id) => (amounts(id).length > 0 ? amounts(id).reduce((a, b) => a + b) : unknownLast),
    'last-round': (id) => newestRound(id)?.announceDate ?? unknownLast,
    investors: investorsOf,
    followers: (id) => companies.find((it) => it.id === id)?.followers ?? 0,
  }
  for (const [sort, value] of Object.entries(values)) {
    const ids: string[] = []
    for (let page = 1; page <= 20; page++) {
      const query = { wanted: {}, sort: sort as CompanyOrder, page, limit: 7 }
      ids.push(...browseCompanies(store.companies, 'projects', query).records.map(({ id }) => id))
    }
    const projects = companyValues.filter((it) => it.directory === 'projects')
    expect(new Set(ids)).toEqual(new Set(projects.map(({ id }) => id)))
    expect(ids).toHaveLength(projects.length)
    expect(ids.map(value)).toEqual(ids.map(value).toSorted((a, b) => b - a))
  }
})

test('the most prominent come first: the followed and funded before what is only on record', () => {
  const known = companyRow({ name: 'Zed', followers: 900_000, aiSummary: 'A chain.' })
  const empty = companyRow({ name: 'Aa', createdAt: Date.UTC(2026, 0, 1) })
  const founder = personRow('Zed Founder', { companyId: known.id, roles: ['founder'] })
  const newcomer = personRow('Aa Newcomer', {
    companyId: empty.id,
    createdAt: Date.UTC(2026, 0, 1),
  })
  const few = storeOf({ companies: [empty, known], people: [newcomer, founder] })
  const page = { wanted: {}, page: 1, limit: 10 }
  const names = browseCompanies(few.companies, 'projects', page).records.map(({ name }) => name)
  expect(names).toEqual(['Zed', 'Aa'])
  const first = browsePeople(few.people, page).records[0]
  expect(first?.id).toBe(founder.id)
})

test('a company that changes its name is named by the new one among the facets of people', () => {
  const acme = companyRow({ id: uuid(1, 900), slug: 'acme', name: 'Acme' })
  const few = storeOf({ companies: [acme], people: [personRow('Ann', { companyId: acme.id })] })
  const named = () =>
    browsePeople(few.people, { wanted: {}, page: 1, limit: 1 }).facets.company?.map(
      ({ label }) => label,
    )
  expect(named()).toEqual(['Acme'])
  const companies = new Map([[acme.id, { ...acme, name: 'Acme Labs' }]])
  few.apply({ companies, rounds: new Map(), people: new Map() })
  expect(named()).toEqual(['Acme Labs'])
})
