/** Schemas of projects, service providers, investors and rounds (contract, D25, D28, D30). */
import { Type } from '@sinclair/typebox'
import { COMPANY_TYPES, DIRECTORIES, ENTITY_KINDS, LIFECYCLES, RISK_LEVELS } from '../vocabulary.ts'
import {
  count,
  flag,
  nullable,
  nullableCount,
  nullableText,
  nullableTime,
  nullableUrl,
  oneOf,
  record,
  slug,
  text,
  time,
  uuid,
} from './shapes.ts'

const handleSeen = record('HandleSeen', 'A handle that the company used before.', {
  handle: text('The handle, without @.'),
  seenAt: time('When it was seen.'),
})

export const twitterRisk = record('TwitterRisk', 'What speaks against trusting the X account.', {
  level: oneOf(RISK_LEVELS, { description: 'How much speaks against it.' }),
  reasons: Type.Array(Type.String(), { description: 'What was found.' }),
})

const handleHistory = Type.Array(handleSeen, { description: 'Earlier X handles, oldest first.' })
const risk = nullable(twitterRisk, { description: 'null: nothing is known.' })
const id = uuid('Permanent identifier.')
const companySlug = slug('Readable identifier, unique among companies; routes take it like the id.')
const companyType = oneOf(COMPANY_TYPES, {
  description:
    'What the company is; it decides its directory: project and institution live under /projects, investor under /investors, service, platform and launchpad under /services.',
})
const lifecycle = nullable(oneOf(LIFECYCLES), { description: 'null: no liveness signal.' })
const aiSummary = nullableText('A short description, machine-written.')
const followers = nullableCount('Followers on X.')
const twitterHandle = nullableText('X handle, without @.')
const domain = nullableText('Domain name of the website.')
const logoUrl = nullableUrl('Logo.')
const communityLink = nullableUrl('Community, for example a Telegram group.')
const discordUrl = nullableUrl('Discord invitation.')
const linkedinUrl = nullableUrl('LinkedIn page of the company.')
const createdAt = time('When the record was made.')

const projectFields = {
  id,
  name: text('Name.'),
  slug: companySlug,
  companyType,
  ticker: nullableText('Token symbol, without $; null: none is recorded.'),
  domain,
  sectors: Type.Array(Type.String(), { description: 'Sectors it works in.' }),
  chains: Type.Array(Type.String(), { description: 'Chains it ships on.' }),
  size: nullableText('Number of people, as a range.'),
  logoUrl,
  twitterHandle,
  communityLink,
  discordUrl,
  linkedinUrl,
  tokenLaunched: nullable(Type.Boolean(), {
    description: 'Whether a token was launched; null: unchecked, which is not false.',
  }),
  tokenLink: nullableUrl('Where the token is found.'),
  aiSummary,
  followers,
  handleHistory,
  twitterRisk: risk,
  lifecycle,
  createdAt,
}

export const project = record(
  'Project',
  'A company as the projects and services directories list it.',
  projectFields,
)

const roundFields = {
  roundType: nullableText('Kind of round, for example Seed.'),
  roundEventName: nullableText('Name of the round as it was announced.'),
  amountUsd: nullable(Type.Number({ minimum: 0 }), { description: 'Amount in US dollars.' }),
  announceDate: nullableTime('When it was announced.'),
}

const roundInvestor = record('RoundInvestor', 'One investor of a funding round.', {
  id,
  name: text('Name.'),
  slug: companySlug,
  isLead: flag('Whether it led the round.'),
})

const fundingRound = record('FundingRound', 'A round that the company raised.', {
  ...roundFields,
  investors: Type.Array(roundInvestor, { description: 'Leads first, then by name.' }),
})

export const projectDetail = record('ProjectDetail', 'A project record and its funding rounds.', {
  ...projectFields,
  fundingRounds: Type.Array(fundingRound, { description: 'Newest first.' }),
})

export const investor = record('Investor', 'A fund or angel.', {
  id,
  name: text('Name.'),
  slug: companySlug,
  companyType: oneOf(['investor'], { description: 'Always investor.' }),
  logoUrl,
  domain,
  linkedinUrl,
  discordUrl,
  twitterHandle,
  communityLink,
  fundType: nullableText('Kind of fund, for example Venture.'),
  entityKind: nullable(oneOf(ENTITY_KINDS), {
    description: 'organization: a firm; individual: an angel.',
  }),
  fundAllTimeRoiPct: nullable(Type.Number(), {
    description: 'Return on investment of all time, in percent.',
  }),
  trustTier: nullableText('How far the fund is trusted.'),
  trustTierRank: nullableCount('The same as a rank.'),
  aiSummary,
  followers,
  handleHistory,
  twitterRisk: risk,
  altRoles: Type.Array(oneOf(DIRECTORIES), {
    description: 'The other directories in which the same entity appears.',
  }),
  portfolioCount: count('Entries in its portfolio.'),
  lifecycle,
  createdAt,
})

export const portfolioRow = record('PortfolioRow', 'One investment of a fund.', {
  investmentId: uuid('Permanent identifier of the investment.'),
  company: project,
  ...roundFields,
  isLead: flag('Whether the fund led the round.'),
})
