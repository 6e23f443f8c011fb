/** contract/GET /v1/investors and /v1/investors/{slug}, contract/Investor record, contract/Portfolio row. */
import { describe, expect, test } from 'bun:test'
import {
  AURORA,
  AURORA_SEED,
  BOREALIS,
  BOREALIS_SERIES_A,
  DAN,
  EMBER,
  FJORD,
  GLACIER,
} from '../helpers/fixtures.ts'
import { expectShape, INVESTOR, PORTFOLIO_ROW } from '../helpers/shapes.ts'
import { ENVELOPE, slugsOf, startApi } from './setup.ts'

const { bodyOf, listed } = await startApi()

describe('contract/GET investors', () => {
  test('contract/Investor record: fields in the contract’s order, each of its type, values as imported', async () => {
    const body = await bodyOf('/v1/investors')
    expect(Object.keys(body)).toEqual(ENVELOPE)
    for (const investor of body.data) expectShape(investor, INVESTOR)
    expect(body.data[0]).toEqual({ ...EMBER, portfolioCount: 2 })
  })

  test('contract/Investor record: entityKind is organization for a firm, individual for an angel', async () => {
    const of = async (slug: string) => (await bodyOf(`/v1/investors/${slug}`)).investor.entityKind
    expect([await of(EMBER.slug), await of(FJORD.slug)]).toEqual(['organization', 'individual'])
  })

  test.each([
    ['', [EMBER, GLACIER, FJORD]],
    ['sort=portfolio', [EMBER, GLACIER, FJORD]],
    ['sort=roi', [GLACIER, EMBER, FJORD]],
    ['sort=name', [EMBER, FJORD, GLACIER]],
    ['sort=recent', [FJORD, EMBER, GLACIER]],
  ])(
    'contract/GET investors sort: %p: largest first, nulls last, portfolio by default',
    async (query, order) => {
      expect(await listed(`/v1/investors?${query}`)).toEqual(slugsOf(order))
    },
  )

  test('contract/GET investors fundType and trustTier: filters, case ignored', async () => {
    expect(await listed('/v1/investors?fundType=Angel')).toEqual([FJORD.slug])
    expect(await listed('/v1/investors?fundType=venture')).toEqual(slugsOf([EMBER, GLACIER]))
    expect(await listed('/v1/investors?trustTier=b')).toEqual(slugsOf([GLACIER, FJORD]))
    expect(await listed('/v1/investors?trustTier=B&fundType=Venture')).toEqual([GLACIER.slug])
  })

  test('contract/GET investors q: search text', async () => {
    expect(await listed('/v1/investors?q=glacier')).toEqual([GLACIER.slug])
    expect(await listed('/v1/investors?q=aurora')).toEqual([])
  })

  test('contract/GET investors slug: {investor, team[], portfolio[], meta}, by slug or by id', async () => {
    const body = await bodyOf(`/v1/investors/${EMBER.slug}`)
    expect(Object.keys(body)).toEqual(['investor', 'team', 'portfolio', 'meta'])
    expectShape(body.investor, INVESTOR)
    expect(body.team.map(({ id }: { id: string }) => id)).toEqual([DAN.id])
    expect((await bodyOf(`/v1/investors/${EMBER.id}`)).investor).toEqual(body.investor)
  })

  test('contract/Portfolio row: fields in order, newest first, company a full project record', async () => {
    const { portfolio, investor } = await bodyOf(`/v1/investors/${EMBER.slug}`)
    for (const row of portfolio) expectShape(row, PORTFOLIO_ROW)
    const lines = portfolio.map((row: Record<string, unknown> & { company: { id: string } }) => [
      row.company.id,
      row.roundType,
      row.amountUsd,
      row.announceDate,
      row.isLead,
    ])
    expect(lines).toEqual([
      [BOREALIS.id, 'Series A', null, BOREALIS_SERIES_A.announceDate, false],
      [AURORA.id, 'Seed', 2_500_000, AURORA_SEED.announceDate, true],
    ])
    expect(investor.portfolioCount).toBe(2)
    expect((await bodyOf(`/v1/investors/${FJORD.slug}`)).portfolio).toEqual([])
  })

  test('contract/Investor record: altRoles lists the other directories: such a fund is listed in both', async () => {
    expect((await bodyOf(`/v1/investors/${EMBER.slug}`)).investor.altRoles).toEqual(['services'])
    expect((await bodyOf(`/v1/services/${EMBER.slug}`)).service.companyType).toBe('investor')
  })
})
