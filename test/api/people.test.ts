/** contract/GET /v1/people and /v1/people/{id}, contract/Person record, contract/Pagination envelope. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  ADA,
  AURORA,
  BEN,
  CLEO,
  crowd,
  DAN,
  EMILE,
  FANG,
  FAY,
  fixtures,
  JUNO,
  PEOPLE,
} from '../helpers/fixtures.ts'
import { type Caller, type TestService, testService } from '../helpers/service.ts'
import { expectShape, MEMBER, PERSON, PERSON_DETAIL } from '../helpers/shapes.ts'

let service: TestService
let caller: Caller
/** A directory with a company of 130. */
let crowded: TestService
let member: Caller

beforeAll(async () => {
  service = await testService(fixtures)
  caller = await service.account({ tier: 'team', credits: 10_000 })
  crowded = await testService(async (database) => {
    await fixtures(database)
    await crowd(database, 130)
  })
  member = await crowded.account({ tier: 'team', credits: 10_000 })
})
afterAll(() => Promise.all([service.stop(), crowded.stop()]))

const bodyOf = async (path: string) => (await caller.get(path)).body
const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)
const listed = async (query: string) => idsOf((await bodyOf(`/v1/people?${query}`)).data)

/** By createdAt, newest first. */
const RECENT = idsOf([FAY, EMILE, ADA, DAN, CLEO, FANG, BEN])

describe('contract/Person record', () => {
  test('contract/Person record: fields in the contract’s order, each of its type', async () => {
    const { data } = await bodyOf('/v1/people')
    expect(data.length).toBe(PEOPLE.length)
    for (const person of data) expectShape(person, PERSON)
  })

  test('contract/Person record: values are what was imported', async () => {
    const { data } = await bodyOf('/v1/people?q=ada+ashford')
    const { company, ...ada } = data[0]
    const {
      email,
      phone,
      telegram,
      linkedinUrl,
      contactType,
      roles,
      company: _,
      updatedAt,
      ...record
    } = ADA
    expect(ada).toMatchObject({ ...record, companyId: AURORA.id, isLocked: true })
    expect(company.id).toBe(AURORA.id)
  })

  test('contract/Person record: company is the full project record, or null', async () => {
    const { data } = await bodyOf('/v1/people')
    const byId = new Map<string, { company: unknown; companyId: unknown }>(
      data.map((one: { id: string }) => [one.id, one]),
    )
    const { project } = await bodyOf(`/v1/projects/${AURORA.id}`)
    const { fundingRounds: _, ...record } = project
    expect(byId.get(ADA.id)?.company).toEqual(record)
    expect([byId.get(FAY.id)?.company, byId.get(FAY.id)?.companyId]).toEqual([null, null])
  })

  test('contract/Person record: slug is null for records without one, and such a person is read by id', async () => {
    const { person } = (await bodyOf(`/v1/people/${FANG.id}`)).data
    expect([person.slug, person.firstName, person.lastName]).toEqual([null, '芳', '王'])
  })

  test('times are ISO 8601 in UTC with milliseconds', async () => {
    const { person } = (await bodyOf(`/v1/people/${ADA.id}`)).data
    expect(person.createdAt).toBe(ADA.createdAt)
    expect(person.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })
})

describe('contract/GET people: parameters', () => {
  test.each([
    ['ada', [ADA]],
    ['Ashford', [ADA]],
    ['ada_ashford', [ADA]],
    ['@ada_ashford', [ADA]],
    ['engineer', [BEN]],
    ['emile gerard', [EMILE]],
    ['Émile GÉRARD', [EMILE]],
    ['auditor', [EMILE]],
    ['芳', [FANG]],
    ['nobody', []],
  ] as const)('contract/GET people q: %s matches name, handle or title', async (q, found) => {
    expect(await listed(`q=${encodeURIComponent(q)}`)).toEqual(idsOf([...found]))
  })

  test('contract/GET people contactType: analyst or team', async () => {
    expect(await listed('contactType=analyst')).toEqual(idsOf([EMILE, DAN]))
    expect(await listed('contactType=team')).toEqual(idsOf([FAY, ADA, CLEO, FANG, BEN]))
  })

  test('contract/GET people roles: comma-separated, OR-ed, case ignored', async () => {
    expect(await listed('roles=founder')).toEqual([ADA.id])
    expect(await listed('roles=Founder,LEGAL')).toEqual(idsOf([FAY, ADA]))
  })

  test('contract/GET people channels: comma-separated, OR-ed', async () => {
    expect(await listed('channels=email')).toEqual(idsOf([FAY, ADA, BEN]))
    expect(await listed('channels=telegram,phone')).toEqual(idsOf([FAY, ADA, DAN, FANG]))
    expect(await listed('channels=linkedin')).toEqual(idsOf([ADA, DAN]))
  })

  test('people are filtered by the sectors of their company, beside every other filter and order, at the price of any list', async () => {
    const { data } = await bodyOf('/v1/people?sort=name&limit=100')
    const inSector = (...sectors: string[]) =>
      data.filter(({ company }: { company: { sectors: string[] } | null }) =>
        company?.sectors.some((sector) => sectors.includes(sector.toLowerCase())),
      )
    const [first, second] = ['defi', 'security'] as const
    const [one, both] = [inSector(first), inSector(first, second)]
    expect([one.length > 0, both.length > one.length, data.length > both.length]).toEqual([
      ...[true, true, true],
    ])
    expect(await listed(`sort=name&sector=${first.toUpperCase()}`)).toEqual(idsOf(one))
    expect(await listed(`sort=name&sector=${first},${second}`)).toEqual(idsOf(both))
    expect(await listed(`sort=name&sector[]=${first}&sector=${second}`)).toEqual(idsOf(both))
    expect(await listed('sector=nothing-like-it')).toEqual([])
    const founders = await bodyOf(`/v1/people?sector=DeFi&roles=founder&channels=email&limit=1`)
    expect([idsOf(founders.data), founders.total, founders.totalPages]).toEqual([[ADA.id], 1, 1])
    expect(founders.meta.creditsCharged).toBe(5)
    expect(await listed('sector=DeFi&q=ada')).toEqual([ADA.id])
    expect(await listed('sector=DeFi&contactType=analyst')).not.toContain(ADA.id)
    // A facet ignores its own filter and respects the sector.
    const { facets } = await bodyOf('/v1/people?sector=DeFi&roles=founder')
    const defi = inSector('defi')
    const mails = defi.filter((it: { id: string }) => it.id === ADA.id)
    expect(facets.channels).toContainEqual({ value: 'email', count: mails.length })
    const { facets: unfiltered } = await bodyOf('/v1/people?sector=DeFi')
    expect(facets.roles).toEqual(unfiltered.roles)
  })

  test('contract/GET people sort: recent is newest first and the default, name is by collation', async () => {
    expect(await listed('sort=recent')).toEqual(RECENT)
    expect(await listed('')).toEqual(RECENT)
    expect(await listed('sort=name')).toEqual(idsOf([ADA, BEN, CLEO, DAN, EMILE, FAY, FANG]))
  })

  test('facets count over everything that the other filters match, most frequent first', async () => {
    const { facets } = await bodyOf('/v1/people')
    expect(Object.keys(facets)).toEqual(['roles', 'channels'])
    expect(facets.roles[0]).toEqual({ value: 'engineering', count: 2 })
    const counts = Object.fromEntries(
      facets.channels.map(({ value, count }: { value: string; count: number }) => [value, count]),
    )
    expect(counts).toEqual({ email: 3, phone: 3, telegram: 2, linkedin: 2 })
  })

  test('a facet ignores its own filter and respects the others', async () => {
    const all = (await bodyOf('/v1/people')).facets
    const filtered = (await bodyOf('/v1/people?channels=linkedin')).facets
    expect(filtered.channels).toEqual(all.channels)
    const roles = filtered.roles.map(({ value }: { value: string }) => value).sort()
    expect(roles).toEqual(['executive', 'founder', 'investor'])
  })
})

describe('contract/Pagination envelope', () => {
  test('contract/Pagination envelope: data, total, page, limit, totalPages, facets, meta, each a number where it says so', async () => {
    const body = await bodyOf('/v1/people')
    expect(Object.keys(body)).toEqual([
      'data',
      'total',
      'page',
      'limit',
      'totalPages',
      'facets',
      'meta',
    ])
    expect([body.total, body.page, body.limit, body.totalPages]).toEqual([7, 1, 30, 1])
    expect(Object.keys(body.meta)).toEqual(['creditsCharged', 'creditsBalance'])
  })

  test.each([
    ['limit=1', 1],
    ['limit=0', 1],
    ['limit=-5', 1],
    ['limit=100', 100],
    ['limit=101', 100],
    ['limit=9007199254740991', 100],
    ['', 30],
  ])('contract/Limits: page size: %p uses and reports %d', async (query, used) => {
    const { body } = await member.get(`/v1/people?${query}`)
    expect([body.limit, body.data.length, body.total]).toEqual([used, used, 137])
    expect(body.totalPages).toBe(Math.ceil(137 / used))
  })

  test('pages follow each other without gap or overlap, in every order', async () => {
    for (const query of ['sort=recent', 'sort=name', 'q=xu']) {
      const seen: string[] = []
      for (let page = 1; page <= 14; page++) {
        seen.push(
          ...idsOf((await member.get(`/v1/people?${query}&limit=10&page=${page}`)).body.data),
        )
      }
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.length).toBe((await member.get(`/v1/people?${query}`)).body.total)
    }
  })

  test('page below 1 is 1; a page past the end is a 200 with empty data and the true totals', async () => {
    for (const page of [0, -3]) expect((await bodyOf(`/v1/people?page=${page}`)).page).toBe(1)
    for (const page of [2, 9_007_199_254_740_991]) {
      const body = await bodyOf(`/v1/people?page=${page}`)
      expect([body.data, body.total, body.page, body.totalPages]).toEqual([[], 7, page, 1])
      expect(body.meta.creditsCharged).toBe(5)
    }
  })
})

describe('contract/GET people id', () => {
  test('contract/GET people id: {data: {person, coworkers[]}, meta}', async () => {
    const body = await bodyOf(`/v1/people/${ADA.id}`)
    expect(Object.keys(body)).toEqual(['data', 'meta'])
    expect(Object.keys(body.data)).toEqual(['person', 'coworkers'])
  })

  test('the person has the list fields plus roles, contactType and updatedAt', async () => {
    const { person } = (await bodyOf(`/v1/people/${ADA.id}`)).data
    expectShape(person, PERSON_DETAIL)
    expect([person.roles, person.contactType]).toEqual([ADA.roles, 'team'])
  })

  test('coworkers are the others of the company by name, with the list fields without company', async () => {
    const { coworkers } = (await bodyOf(`/v1/people/${BEN.id}`)).data
    expect(idsOf(coworkers)).toEqual(idsOf([ADA, CLEO]))
    for (const one of coworkers) expectShape(one, MEMBER)
    expect((await bodyOf(`/v1/people/${FAY.id}`)).data.coworkers).toEqual([])
  })

  test('at most 100 coworkers are shown, the first by name', async () => {
    const { team } = (await member.get(`/v1/services/${JUNO.slug}`)).body
    expect(team.length).toBe(130)
    const { coworkers } = (await member.get(`/v1/people/${team[0].id}`)).body.data
    expect(idsOf(coworkers)).toEqual(idsOf(team.slice(1, 101)))
  })

  test('an id and a slug read the same person', async () => {
    const byId = (await bodyOf(`/v1/people/${ADA.id}`)).data
    expect((await bodyOf(`/v1/people/${ADA.slug}`)).data).toEqual(byId)
  })
})
