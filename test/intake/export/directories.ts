/** Generated directories: rows as an import takes them, of every field, with what is hard to write down. */
import fc from 'fast-check'
import * as vocabulary from '../../../src/contract/vocabulary.ts'
import { uuid } from '../../helpers/fixtures.ts'

export interface Rows {
  companies: object[]
  people: object[]
  rounds: object[]
}

/** Text that CSV, JSON, spreadsheets and the import's cleaning each treat in a way of their own. */
const HARD = fc.constantFrom(
  ...[
    'a, b; c|d',
    'say "hi"',
    'two\nlines\r\nand a\ttab',
    "'quoted",
    "'=1+1",
    '=1+1',
    '-5',
    '+1',
    '@x',
    'Boss;=1+1;y',
    "a;'-1\t@x",
    'c;"+1"',
    '="00123"',
  ],
  ...[
    '\u{1f469}\u200d\u{1f680} crew',
    'é\u200c\u200da',
    'ｆｕｌｌ　ｗｉｄｔｈ',
    'Ωmega',
    'مرحبا',
    'e\u0301',
    '\u212a\u200cé',
  ],
  ...[
    '["a","b"]',
    '{"a":1}',
    'null',
    'true',
    '0012',
    '1e5',
    '2024-01-02',
    ' outer ',
    '\\n',
    '\u037e',
  ],
)
const text = (most: number) =>
  fc
    .oneof(HARD, fc.string({ unit: 'grapheme', maxLength: Math.min(most, 30) }))
    .map((it) => it.slice(0, most).toWellFormed().replaceAll('\ufffd', ''))
const name = text(40).map((it) => `N${it}`)

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 })
const moment = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const handle = fc.stringMatching(/^[A-Za-z0-9_]{1,15}$/)
const url = fc.webUrl({ withQueryParameters: true, withFragments: true })
const count = fc.integer({ min: 0, max: 2_147_483_647 })
const list = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 4 })

/** Ids that don't come in the order of their numbers, so that files are sorted by them and not by chance. */
const idOf = (kind: number, number: number) => uuid(kind * 1_000 + ((number * 7) % 100))

const company = {
  externalId: maybe(fc.constant('company')),
  name,
  slug: fc.constant(undefined),
  companyType: fc.constantFrom(...vocabulary.COMPANY_TYPES),
  ticker: maybe(fc.stringMatching(/^[A-Z]{1,6}$/)),
  domain: maybe(fc.domain()),
  sectors: list(text(60)),
  chains: list(text(80)),
  size: maybe(text(40)),
  logoUrl: maybe(url),
  twitterHandle: maybe(handle),
  communityLink: maybe(url),
  discordUrl: maybe(url),
  linkedinUrl: maybe(url),
  tokenLaunched: maybe(fc.boolean()),
  tokenLink: maybe(url),
  aiSummary: maybe(text(10_000)),
  followers: maybe(count),
  handleHistory: fc.array(fc.record({ handle, seenAt: moment }), { maxLength: 3 }),
  twitterRisk: maybe(
    fc.record({ level: fc.constantFrom(...vocabulary.RISK_LEVELS), reasons: list(text(500)) }),
  ),
  lifecycle: maybe(fc.constantFrom(...vocabulary.LIFECYCLES)),
  fundType: maybe(text(60)),
  entityKind: maybe(fc.constantFrom(...vocabulary.ENTITY_KINDS)),
  fundAllTimeRoiPct: maybe(fc.double({ min: -100, max: 1e9, noNaN: true })),
  trustTier: maybe(text(60)),
  trustTierRank: maybe(count),
  altRoles: fc.uniqueArray(fc.constantFrom(...vocabulary.DIRECTORIES)),
  createdAt: moment,
}

const person = {
  externalId: maybe(fc.constant('person')),
  firstName: name,
  lastName: maybe(text(100)),
  slug: fc.constantFrom(undefined, null),
  jobTitle: maybe(fc.oneof(text(300), fc.constantFrom('CEO', 'Co-Founder & CTO'))),
  twitterHandle: maybe(handle),
  avatarUrl: maybe(url),
  isCreator: maybe(fc.boolean()),
  creatorFollowerCount: maybe(count),
  company: maybe(fc.nat()),
  contactType: maybe(fc.constantFrom(...vocabulary.CONTACT_TYPES)),
  roles: fc.uniqueArray(fc.constantFrom(...vocabulary.ROLES)),
  createdAt: moment,
  updatedAt: maybe(moment),
  email: maybe(fc.stringMatching(/^[a-z0-9.+'-]{1,20}$/).map((local) => `${local}@example.com`)),
  phone: maybe(fc.constantFrom('+49 151 0000000', '(555) 010-0123', '0044 20 000 0000')),
  telegram: maybe(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{3,31}$/)),
  linkedinUrl: maybe(
    fc.stringMatching(/^[a-z0-9-]{3,20}$/).map((it) => `https://linkedin.com/in/${it}`),
  ),
}

const round = {
  externalId: maybe(fc.constant('round')),
  company: fc.nat(),
  roundType: maybe(text(60)),
  roundEventName: maybe(text(200)),
  amountUsd: maybe(fc.double({ min: 0, max: 1e15, noNaN: true })),
  announceDate: maybe(moment),
  investors: fc.array(fc.record({ investor: fc.nat(), isLead: fc.boolean() }), { maxLength: 4 }),
}

/** Rows with ids, keys of their own, and companies that are among them. */
export const directories: fc.Arbitrary<Rows> = fc
  .record({
    companies: fc.array(fc.record(company), { minLength: 1, maxLength: 5 }),
    people: fc.array(fc.record(person), { maxLength: 5 }),
    rounds: fc.array(fc.record(round), { maxLength: 4 }),
  })
  .map(({ companies, people, rounds }) => {
    const companyId = (number: number) => idOf(1, number % companies.length)
    const keyed =
      (kind: number) =>
      <T extends { externalId: string | null }>(row: T, number: number) => ({
        ...row,
        id: idOf(kind, number),
        externalId: row.externalId && `${row.externalId}:${number}, "${kind}"`,
      })
    return {
      companies: companies.map(keyed(1)),
      people: people.map(keyed(2)).map((row) => ({
        ...row,
        company: row.company === null ? null : companyId(row.company),
      })),
      rounds: rounds.map(keyed(3)).map((row) => ({
        ...row,
        company: companyId(row.company),
        investors: row.investors.map((it) => ({ ...it, investor: companyId(it.investor) })),
      })),
    }
  })
