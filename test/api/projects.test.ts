/** contract/GET /v1/projects and /v1/projects/{id}, contract/Project record. */
import { describe, expect, test } from 'bun:test'
import {
  ADA,
  AURORA,
  AURORA_SEED,
  AURORA_SERIES_A,
  BEN,
  BOREALIS,
  CLEO,
  COMET,
  COMPANIES,
  DORADO,
  EMBER,
  FJORD,
} from '../helpers/fixtures.ts'
import { expectShape, MEMBER, PROJECT, PROJECT_DETAIL } from '../helpers/shapes.ts'
import { ENVELOPE, slugsOf, startApi } from './setup.ts'

const { bodyOf, listed } = await startApi()

describe('contract/Project record', () => {
  test('contract/Project record: fields in the contract’s order, each of its type, values as imported', async () => {
    const { data } = await bodyOf('/v1/projects')
    for (const project of data) expectShape(project, PROJECT)
    expect(data.find(({ id }: { id: string }) => id === AURORA.id)).toEqual(AURORA)
  })

  test('contract/Project record: what is not known is null, and a list is empty', async () => {
    const [comet] = (await bodyOf('/v1/projects?q=comet')).data
    expect([comet.ticker, comet.domain, comet.followers, comet.twitterRisk]).toEqual(
      Array(4).fill(null),
    )
    expect([comet.chains, comet.handleHistory]).toEqual([[], []])
  })

  test('contract/Versioning 4: ticker, chains, discordUrl, linkedinUrl and slug are populated, or null where unknown, never absent', async () => {
    const { project } = await bodyOf(`/v1/projects/${AURORA.id}`)
    for (const field of ['ticker', 'chains', 'discordUrl', 'linkedinUrl', 'slug'] as const) {
      expect(project[field]).toEqual(AURORA[field])
      expect((await bodyOf(`/v1/projects/${COMET.id}`)).project).toHaveProperty(field)
    }
  })

  test('handleHistory is [{handle, seenAt}], oldest first; twitterRisk is null or {level, reasons}', async () => {
    const { project } = await bodyOf(`/v1/projects/${AURORA.id}`)
    expect(project.handleHistory).toEqual([
      { handle: 'aurora_first', seenAt: '2022-01-01T00:00:00.000Z' },
      { handle: 'aurora_second', seenAt: '2023-06-01T12:00:00.000Z' },
    ])
    expect(project.twitterRisk).toEqual({ level: 'medium', reasons: ['handle changed'] })
    expect((await bodyOf(`/v1/projects/${COMET.id}`)).project.twitterRisk).toBeNull()
  })

  test('contract/Project record: lifecycle is defunct, deceased or null', async () => {
    const of = async (slug: string) => (await bodyOf(`/v1/projects/${slug}`)).project.lifecycle
    expect([await of(COMET.slug), await of(FJORD.slug), await of(AURORA.slug)]).toEqual([
      'defunct',
      'deceased',
      null,
    ])
  })

  test('contract/Project record: tokenLaunched has three states, and null is not false', async () => {
    const of = async (slug: string) => (await bodyOf(`/v1/projects/${slug}`)).project.tokenLaunched
    expect([await of(AURORA.slug), await of(BOREALIS.slug), await of(COMET.slug)]).toEqual([
      true,
      false,
      null,
    ])
  })
})

describe('contract/GET projects', () => {
  test('contract/GET projects: the ENVELOPE with project records, of projects and institutions', async () => {
    const body = await bodyOf('/v1/projects')
    expect(Object.keys(body)).toEqual(ENVELOPE)
    expect([body.total, slugsOf(body.data)]).toEqual([
      4,
      slugsOf([COMET, AURORA, DORADO, BOREALIS]),
    ])
  })

  test('contract/GET projects token: launched and pre; unchecked is in neither', async () => {
    expect(await listed('/v1/projects?token=launched')).toEqual([AURORA.slug])
    expect(await listed('/v1/projects?token=pre')).toEqual([BOREALIS.slug])
  })

  test('contract/GET projects sort: recent or name', async () => {
    const recent = slugsOf([COMET, AURORA, DORADO, BOREALIS])
    expect(await listed('/v1/projects?sort=recent')).toEqual(recent)
    expect(await listed('/v1/projects?sort=name')).toEqual(
      slugsOf([AURORA, BOREALIS, COMET, DORADO]),
    )
  })

  test.each([
    ['aurora', AURORA],
    ['AUR', AURORA],
    ['$aur', AURORA],
    ['@auroraprotocol', AURORA],
    ['aurora.example', AURORA],
    ['northern lights', AURORA],
    ['bor', BOREALIS],
  ])(
    'contract/GET projects q: %s matches name, ticker, handle, domain, then summary',
    async (q, found) => {
      expect((await listed(`/v1/projects?q=${encodeURIComponent(q)}`))[0]).toBe(found.slug)
    },
  )

  test('contract/GET projects: page and limit', async () => {
    const body = await bodyOf('/v1/projects?sort=name&limit=3&page=2')
    expect([slugsOf(body.data), body.total, body.page, body.limit, body.totalPages]).toEqual([
      [DORADO.slug],
      4,
      2,
      3,
      2,
    ])
  })
})

describe('contract/GET projects id', () => {
  test('contract/GET projects id: {project, team[], meta}, by id or by slug', async () => {
    const body = await bodyOf(`/v1/projects/${AURORA.id}`)
    expect(Object.keys(body)).toEqual(['project', 'team', 'meta'])
    expect((await bodyOf(`/v1/projects/${AURORA.slug}`)).project).toEqual(body.project)
  })

  test('the team is by name, members have the list fields without company', async () => {
    const { team } = await bodyOf(`/v1/projects/${AURORA.id}`)
    expect(team.map(({ id }: { id: string }) => id)).toEqual([ADA.id, BEN.id, CLEO.id])
    for (const member of team) expectShape(member, MEMBER)
  })

  test.each(COMPANIES)(
    'contract/Versioning 5: any company kind resolves, and companyType says which: $slug',
    async ({ id, slug, companyType }) => {
      for (const key of [id, slug]) {
        const { project } = await bodyOf(`/v1/projects/${key}`)
        expectShape(project, PROJECT_DETAIL)
        expect([project.id, project.companyType]).toEqual([id, companyType])
      }
    },
  )

  test('the funding activity is on the record, newest first, leads first', async () => {
    const { project } = await bodyOf(`/v1/projects/${AURORA.id}`)
    const { roundType, roundEventName, amountUsd, announceDate } = AURORA_SEED
    const investor = ({ id, name, slug }: typeof EMBER | typeof DORADO, isLead: boolean) => ({
      id,
      name,
      slug,
      isLead,
    })
    expect(project.fundingRounds).toEqual([
      {
        roundType: AURORA_SERIES_A.roundType,
        roundEventName: null,
        amountUsd: AURORA_SERIES_A.amountUsd,
        announceDate: AURORA_SERIES_A.announceDate,
        investors: [],
      },
      {
        roundType,
        roundEventName,
        amountUsd,
        announceDate,
        investors: [investor(EMBER, true), investor(DORADO, false)],
      },
    ])
    expect((await bodyOf(`/v1/projects/${COMET.id}`)).project.fundingRounds).toEqual([])
  })
})
