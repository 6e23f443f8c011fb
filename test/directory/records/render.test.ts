/** Records as JSON: the contract's fields in its order, every one always present. */
import { describe, expect, test } from 'bun:test'
import {
  investorItem,
  personDetail,
  personItem,
  personMember,
  portfolioItem,
  projectDetail,
  projectItem,
} from '../../../src/directory/records/render.ts'
import { arrayOf, contactsOf, fill, lockedText } from '../../../src/directory/records/template.ts'
import { companyRow, personRow, storeOf } from './fixtures.ts'

const fields = (list: string) => list.trim().split(/[\s,]+/)
const PROJECT = fields(`id, name, slug, companyType, ticker, domain, sectors, chains, size, logoUrl,
  twitterHandle, communityLink, discordUrl, linkedinUrl, tokenLaunched, tokenLink, aiSummary, followers,
  handleHistory, twitterRisk, lifecycle, createdAt`)
const INVESTOR = fields(`id, name, slug, companyType, logoUrl, domain, linkedinUrl, discordUrl,
  twitterHandle, communityLink, fundType, entityKind, fundAllTimeRoiPct, trustTier, trustTierRank,
  aiSummary, followers, handleHistory, twitterRisk, altRoles, portfolioCount, lifecycle, createdAt`)
const PERSON = fields(`id, slug, firstName, lastName, jobTitle, twitterHandle, avatarUrl, isCreator,
  creatorFollowerCount, companyId, company, createdAt, isLocked, hasEmail, hasPhone, hasTelegram,
  hasLinkedin, email, phone, telegram, linkedinUrl`)

const company = companyRow({ name: 'A "quoted" name\u2028', slug: 'quoted' })
const fund = companyRow({ name: 'Fund', slug: 'fund', companyType: 'investor' })
const employee = personRow('Ann Lee', { companyId: company.id, hasPhone: true, roles: ['founder'] })
const loner = personRow('Bo', { slug: null })
const rounds = [2024, 2025].map((year, n) => ({
  id: `0000000${n}-0000-7000-8000-000000000000`,
  companyId: company.id,
  roundType: `round ${year}`,
  roundEventName: null,
  amountUsd: 1.5e6,
  announceDate: Date.UTC(year, 0, 1),
  investors: [{ id: crypto.randomUUID(), investorId: fund.id, isLead: true }],
}))
const store = storeOf({ companies: [company, fund], people: [employee, loner], rounds })

function found<R>(record: R | undefined): R {
  if (record === undefined) throw new Error('not in the store')
  return record
}
const [quoted, investor] = [found(store.company('quoted')), found(store.company('fund'))]
const [ann, bo] = [found(store.person(employee.id)), found(store.person(loner.id))]

describe('fields and their order', () => {
  test('of a project, and its funding rounds, newest first', () => {
    const item = JSON.parse(lockedText(projectItem(quoted)))
    expect(Object.keys(item)).toEqual(PROJECT)
    expect(item.name).toBe(company.name)
    expect(item.createdAt).toBe('2025-01-01T00:00:00.000Z')
    const { fundingRounds, ...rest } = JSON.parse(
      projectDetail(quoted, store.fundingRounds(quoted)),
    )
    expect(rest).toEqual(item)
    expect(fundingRounds).toEqual(
      [2025, 2024].map((year) => ({
        roundType: `round ${year}`,
        roundEventName: null,
        amountUsd: 1_500_000,
        announceDate: `${year}-01-01T00:00:00.000Z`,
        investors: [{ id: fund.id, name: 'Fund', slug: 'fund', isLead: true }],
      })),
    )
  })

  test('of an investor, and its portfolio, newest first, as many as portfolioCount says', () => {
    const item = JSON.parse(lockedText(investorItem(investor)))
    expect(Object.keys(item)).toEqual(INVESTOR)
    const rows = store.portfolio(investor).map((row) => JSON.parse(portfolioItem(row)))
    expect(item.portfolioCount).toBe(rows.length)
    expect(rows.map((row: { roundType: string }) => row.roundType)).toEqual([
      'round 2025',
      'round 2024',
    ])
    expect(Object.keys(rows[0])).toEqual(
      fields('investmentId, company, roundType, roundEventName, amountUsd, announceDate, isLead'),
    )
    expect(rows[0].company).toEqual(JSON.parse(lockedText(projectItem(quoted))))
    expect(() => investorItem(quoted)).toThrow()
  })

  test('of a person on a list: in a team, and in detail', () => {
    const item = JSON.parse(lockedText(personItem(ann)))
    expect(Object.keys(item)).toEqual(PERSON)
    expect(item.company).toEqual(JSON.parse(lockedText(projectItem(quoted))))
    expect(item).toMatchObject({
      companyId: company.id,
      hasPhone: true,
      hasEmail: false,
      phone: null,
    })
    const member = JSON.parse(lockedText(personMember(ann)))
    expect(Object.keys(member)).toEqual(PERSON.filter((name) => name !== 'company'))
    const detail = JSON.parse(lockedText(personDetail(ann)))
    expect(Object.keys(detail)).toEqual([...PERSON, 'roles', 'contactType', 'updatedAt'])
    expect(JSON.parse(lockedText(personItem(bo)))).toMatchObject({
      slug: null,
      companyId: null,
      company: null,
    })
  })

  test('isLocked is false once unlocked, and channels are there only where given', () => {
    const channels = { email: null, phone: '+41 "1"', telegram: null, linkedinUrl: null }
    const unlocked = new Map([[ann.id, channels]])
    expect(JSON.parse(fill(personItem(ann), unlocked, false))).toMatchObject({
      isLocked: false,
      phone: null,
    })
    for (const record of [personMember(ann), personDetail(ann)]) {
      expect(JSON.parse(fill(record, unlocked, true))).toMatchObject({
        isLocked: false,
        ...channels,
      })
    }
    expect(JSON.parse(lockedText(personDetail(ann))).isLocked).toBe(true)
  })

  test('flags beside channels say what the channels say; elsewhere what was on file', () => {
    const none = { email: null, phone: null, telegram: null, linkedinUrl: null }
    const unlocked = new Map([[ann.id, { ...none, email: 'ann@example.com' }]])
    expect(JSON.parse(fill(personDetail(ann), unlocked, true))).toMatchObject({
      hasEmail: true,
      hasPhone: false,
    })
    expect(JSON.parse(fill(personItem(ann), unlocked, false))).toMatchObject({
      hasEmail: false,
      hasPhone: true,
      email: null,
    })
  })

  test('the contacts of an answer are those that it has slots for', () => {
    expect(contactsOf(arrayOf([personItem(ann), personItem(bo)]))).toEqual([ann.id, bo.id])
    expect(contactsOf(arrayOf(['"no contact"']))).toEqual([])
  })
})
