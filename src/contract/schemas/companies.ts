/** Schemas of projects, service providers, investors and rounds (contract, D25, D28, D30). */
import { Type } from '@sinclair/typebox'
import { COMPANY_TYPES, DIRECTORIES, ENTITY_KINDS, LIFECYCLES, RISK_LEVELS } from '../vocabulary.ts'
import {
  count,
  flag,
  listOf,
  nullable,
  oneOf,
  record,
  slug,
  text,
  time,
  url,
  uuid,
} from './shapes.ts'

const handleSeen = record('HandleSeen', 'A handle that the company used before.', {
  handle: text('The handle, without @.'),
  seenAt: time('When it was seen.'),
})

export const twitterRisk = record('TwitterRisk', 'What speaks against trusting the X account.', {
  level: oneOf(RISK_LEVELS, 'How much speaks against it.'),
  reasons: listOf(Type.String(), 'What was found.'),
})

const projectFields = {
  id: uuid('Permanent identifier.'),
  name: text('Name.'),
  slug: slug('Readable identifier, unique among companies; routes take it like the id.'),
  companyType: oneOf(
    COMPANY_TYPES,
    'What the company is; it decides its directory: project and institution live under /projects, investor under /investors, service, platform and launchpad under /services.',
  ),
  ticker: nullable(text('Token symbol, without $; null: none is recorded.')),
  domain: nullable(text('Domain name of the website.')),
  sectors: listOf(Type.String(), 'Sectors it works in.'),
  chains: listOf(Type.String(), 'Chains it ships on.'),
  size: nullable(text('Number of people, as a range.')),
  logoUrl: nullable(url('Logo.')),
  twitterHandle: nullable(text('X handle, without @.')),
  communityLink: nullable(url('Community, for example a Telegram group.')),
  discordUrl: nullable(url('Discord invitation.')),
  linkedinUrl: nullable(url('LinkedIn page of the company.')),
  tokenLaunched: nullable(
    flag('Whether a token was launched; null: unchecked, which is not false.'),
  ),
  tokenLink: nullable(url('Where the token is found.')),
  aiSummary: nullable(text('A short description, machine-written.')),
  followers: nullable(count('Followers on X.')),
  handleHistory: listOf(handleSeen, 'Earlier X handles, oldest first.'),
  twitterRisk: nullable(twitterRisk, 'null: nothing is known.'),
  lifecycle: nullable(oneOf(LIFECYCLES, 'null: no liveness signal.')),
  createdAt: time('When the record was made.'),
}
/** Those that investors have too. */
const { id, name, slug: companySlug, logoUrl, domain, linkedinUrl, discordUrl } = projectFields
const { twitterHandle, communityLink, aiSummary, followers, handleHistory } = projectFields
const { twitterRisk: risk, lifecycle, createdAt } = projectFields

export const project = record(
  'Project',
  'A company as the projects and services directories list it.',
  projectFields,
)

const roundFields = {
  roundType: nullable(text('Kind of round, for example Seed.')),
  roundEventName: nullable(text('Name of the round as it was announced.')),
  amountUsd: nullable(Type.Number({ minimum: 0, description: 'Amount in US dollars.' })),
  announceDate: nullable(time('When it was announced.')),
}

const roundInvestor = record('RoundInvestor', 'One investor of a funding round.', {
  id,
  name,
  slug: companySlug,
  isLead: flag('Whether it led the round.'),
})

const fundingRound = record('FundingRound', 'A round that the company raised.', {
  ...roundFields,
  investors: listOf(roundInvestor, 'Leads first, then by name.'),
})

export const projectDetail = record('ProjectDetail', 'A project record and its funding rounds.', {
  ...projectFields,
  fundingRounds: listOf(fundingRound, 'Newest first.'),
})

export const investor = record('Investor', 'A fund or angel.', {
  id,
  name,
  slug: companySlug,
  companyType: oneOf(['investor'], 'Always investor.'),
  logoUrl,
  domain,
  linkedinUrl,
  discordUrl,
  twitterHandle,
  communityLink,
  fundType: nullable(text('Kind of fund, for example Venture.')),
  entityKind: nullable(oneOf(ENTITY_KINDS, 'organization: a firm; individual: an angel.')),
  fundAllTimeRoiPct: nullable(
    Type.Number({ description: 'Return on investment of all time, in percent.' }),
  ),
  trustTier: nullable(text('How far the fund is trusted.')),
  trustTierRank: nullable(count('The same as a rank.')),
  aiSummary,
  followers,
  handleHistory,
  twitterRisk: risk,
  altRoles: listOf(oneOf(DIRECTORIES), 'The other directories in which the same entity appears.'),
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
