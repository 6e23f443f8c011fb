/** contract/GET people, GET people id, Person record, Pagination envelope. */
import { expect } from 'bun:test'
import {
  ADA,
  AURORA,
  BEN,
  CLEO,
  DAN,
  EMILE,
  FANG,
  FAY,
  JUNO,
  UNKNOWN_ID,
  UNKNOWN_SLUG,
} from '../helpers/fixtures.ts'
import { MEMBER, PERSON, PERSON_DETAIL } from '../helpers/shapes.ts'
import { group, type Row, type Suite } from './suite.ts'
import { CROWD } from './world.ts'

/** By createdAt, newest first; the crowd is older. */
const RECENT = [FAY, EMILE, ADA, DAN, CLEO, FANG, BEN]
const BY_NAME = [ADA, BEN, CLEO, DAN, EMILE, FAY]
const TOTAL = CROWD + RECENT.length

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id)

/** A list of exactly these people, or whose first are these. */
function lists(query: string, people: readonly { id: string }[], more: Partial<Row> = {}): Row {
  const holds = { 'data[].id': idsOf(people), total: people.length, ...more.holds }
  return { path: `/v1/people?${query}`, ...more, holds }
}

const begins = (query: string, people: readonly { id: string }[]): Row =>
  lists(`${query}&limit=${people.length}`, people, { holds: { total: expect.any(Number) } })

const {
  email,
  phone,
  telegram,
  linkedinUrl,
  contactType,
  roles,
  company,
  updatedAt,
  ...adaRecord
} = ADA

export function people(suite: Suite): void {
  group(suite, 'contract/Person record', ({ rows, story }) => {
    rows([
      {
        name: 'fields in order, each of its type; values as they were imported; channels null on lists',
        path: '/v1/people?q=ada+ashford',
        keys: { '': ['data', 'total', 'page', 'limit', 'totalPages', 'facets', 'meta'] },
        shapes: { 'data[]': PERSON },
        holds: {
          data: [expect.objectContaining({ ...adaRecord, companyId: AURORA.id, isLocked: true })],
          'data[].company.id': [AURORA.id],
        },
      },
      {
        name: 'all records have the shape',
        path: '/v1/people?limit=100',
        shapes: { 'data[]': PERSON },
      },
      {
        name: 'slug is null for records without one, which are read by id; times are ISO 8601 in UTC',
        path: `/v1/people/${FANG.id}`,
        holds: {
          'data.person.slug': null,
          'data.person.firstName': '芳',
          'data.person.lastName': '王',
          'data.person.createdAt': FANG.createdAt,
          'data.person.updatedAt': expect.stringMatching(
            /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
          ),
        },
      },
      ...(
        [
          [ADA, [true, true, true, true]],
          [BEN, [true, false, false, false]],
          [CLEO, [false, false, false, false]],
          [DAN, [false, false, true, true]],
          [FANG, [false, true, false, false]],
        ] as const
      ).map(([who, [hasEmail, hasPhone, hasTelegram, hasLinkedin]]) => ({
        name: 'the has flags say before paying which channels there are, all of which are null',
        path: `/v1/people/${who.id}`,
        holds: {
          'data.person': expect.objectContaining({
            isLocked: true,
            hasEmail,
            hasPhone,
            hasTelegram,
            hasLinkedin,
            email: null,
            phone: null,
            telegram: null,
            linkedinUrl: null,
          }),
        },
      })),
    ])

    story('company is the full project record, or null', async (world) => {
      const { data } = await world.bodyOf('/v1/people?limit=7')
      const { fundingRounds: _, ...record } = (await world.bodyOf(`/v1/projects/${AURORA.id}`))
        .project
      const of = (id: string) => data.find((one: { id: string }) => one.id === id)
      expect(of(ADA.id).company).toEqual(record)
      expect([of(FAY.id).company, of(FAY.id).companyId]).toEqual([null, null])
    })
  })

  group(suite, 'contract/GET people', ({ rows, story }) => {
    rows([
      ...(
        [
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
        ] as const
      ).map(([q, found]) =>
        lists(`q=${encodeURIComponent(q)}`, found, { name: 'q matches name, handle or title' }),
      ),
      lists('contactType=analyst', [EMILE, DAN], { name: 'contactType' }),
      begins('contactType=team', [FAY, ADA, CLEO, FANG, BEN]),
      lists('roles=founder', [ADA], { name: 'roles, OR-ed, case ignored' }),
      lists('roles=Founder,LEGAL', [FAY, ADA]),
      ...['roles=legal&roles=founder', 'roles[]=legal&roles[]=founder'].map((query) =>
        lists(query, [FAY, ADA], { name: 'a list as clients send it' }),
      ),
      lists('channels=telegram,phone', [FAY, ADA, DAN, FANG], { name: 'channels, OR-ed' }),
      lists('channels=telegram&channels=phone', [FAY, ADA, DAN, FANG]),
      lists('channels=LinkedIn', [ADA, DAN]),
      begins('channels=email', [FAY, ADA, BEN]),
      lists('roles=founder,engineering&channels=phone', [ADA], { name: 'parameters are AND-ed' }),
      lists('sector=DeFi&roles=founder&channels=email&limit=1', [ADA], {
        name: 'people are filtered by the sectors of their company, at the price of any list',
        holds: { totalPages: 1 },
      }),
      lists('sector=defi&sort=name', [ADA, BEN, CLEO]),
      lists('sector=SECURITY,lending&sort=name', [ADA, BEN, CLEO, EMILE]),
      lists('sector[]=lending&sector=security&sort=name', [ADA, BEN, CLEO, EMILE]),
      begins('sort=recent', RECENT),
      begins('', RECENT),
      begins('sort=name', BY_NAME),
      begins('q=&roles=&roles=,%20&&', RECENT),
      {
        name: 'facets count over what the other filters match, most frequent first',
        path: '/v1/people?q=&limit=1',
        keys: { facets: ['roles', 'channels'] },
        holds: {
          'facets.roles': expect.arrayContaining([{ value: 'engineering', count: 2 }]),
          'facets.channels': [
            { value: 'email', count: CROWD + 3 },
            { value: 'phone', count: 3 },
            { value: 'linkedin', count: 2 },
            { value: 'telegram', count: 2 },
          ],
        },
      },
      {
        name: 'a facet ignores its own filter and respects the others',
        path: '/v1/people?channels=linkedin',
        holds: {
          'facets.channels': expect.arrayContaining([{ value: 'email', count: CROWD + 3 }]),
          'facets.roles': expect.arrayContaining(
            ['executive', 'founder', 'investor'].map((value) => ({ value, count: 1 })),
          ),
        },
      },
      {
        name: 'a facet respects the sector',
        path: '/v1/people?sector=DeFi&roles=founder',
        holds: {
          'facets.channels': expect.arrayContaining([{ value: 'email', count: 1 }]),
          'facets.roles': expect.arrayContaining([{ value: 'engineering', count: 1 }]),
        },
      },
    ])

    story('pages follow each other without gap or overlap, in every order', async (world) => {
      for (const query of ['sort=recent', 'sort=name', 'q=xu']) {
        const seen: string[] = []
        for (let page = 1; page <= 5; page++) {
          const { data } = await world.bodyOf(`/v1/people?${query}&limit=30&page=${page}`)
          seen.push(...idsOf(data))
        }
        const { total } = await world.bodyOf(`/v1/people?${query}`)
        expect([new Set(seen).size, seen.length]).toEqual([total, total])
      }
    })
  })

  group(suite, 'contract/Pagination envelope, Limits: page size', ({ rows }) => {
    const page = (query: string, limit: number, number = 1, count = limit): Row => ({
      path: `/v1/people?${query}`,
      holds: {
        total: TOTAL,
        page: number,
        limit,
        totalPages: Math.ceil(TOTAL / limit),
        'data[].isLocked': Array(count).fill(true),
      },
    })
    rows([
      page('', 30),
      page('limit=1', 1),
      page('limit=0', 1),
      page('limit=-5', 1),
      page('limit=100', 100),
      page('limit=101', 100),
      page('limit=9007199254740991', 100),
      page('page=0', 30),
      page('page=-3', 30),
      page('page=5', 30, 5, TOTAL - 120),
      page('page=6', 30, 6, 0),
      page('page=9007199254740991', 30, Number.MAX_SAFE_INTEGER, 0),
      page(`page=1${'0'.repeat(400)}&limit=99999999999999999999`, 100, Number.MAX_SAFE_INTEGER, 0),
      page(`page=-1${'0'.repeat(400)}&limit=-99999999999999999999`, 1),
    ])
  })

  group(suite, 'contract/GET people id', ({ rows, story }) => {
    rows([
      {
        name: 'the list fields, roles, contactType and updatedAt; coworkers by name, without company',
        path: `/v1/people/${BEN.id}`,
        keys: { '': ['data', 'meta'], data: ['person', 'coworkers'] },
        shapes: { 'data.person': PERSON_DETAIL, 'data.coworkers[]': MEMBER },
        holds: { 'data.coworkers[].id': idsOf([ADA, CLEO]) },
      },
      {
        path: `/v1/people/${ADA.slug}`,
        holds: {
          'data.person.id': ADA.id,
          'data.person.roles': roles,
          'data.person.contactType': contactType,
        },
      },
      { path: `/v1/people/${ADA.id.toUpperCase()}`, holds: { 'data.person.slug': ADA.slug } },
      { path: `/v1/people/${FAY.id}`, holds: { 'data.coworkers': [] } },
    ])

    story('at most 100 coworkers are shown, the first by name; a team is whole', async (world) => {
      const { team } = await world.bodyOf(`/v1/services/${JUNO.slug}`)
      expect(team.length).toBe(CROWD)
      const { coworkers } = (await world.bodyOf(`/v1/people/${team[0].id}`)).data
      expect(idsOf(coworkers)).toEqual(idsOf(team.slice(1, 101)))
    })
  })

  group(suite, 'contract/Errors: 404 of records', ({ rows }) => {
    const unknown = [UNKNOWN_ID, UNKNOWN_SLUG, 'x', '..%2f..', '%20', 'a'.repeat(300), '']
    const directories = ['people', 'projects', 'investors', 'services']
    rows(
      directories.flatMap((directory) =>
        unknown.map((id): Row => ({ path: `/v1/${directory}/${id}`, code: 'not_found' })),
      ),
    )
  })
}
