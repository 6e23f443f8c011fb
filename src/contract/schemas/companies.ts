/** Schemas of projects, service providers, investors and rounds (contract). */
import { Type } from '@sinclair/typebox'
import { COMPANY_TYPES, DIRECTORIES, ENTITY_KINDS, LIFECYCLES, RISK_LEVELS } from '../vocabulary.ts'
import {
  count,
  enumeration,
  flag,
  list,
  oneOf,
  orNull,
  record,
  slug,
  text,
  time,
  url,
  uuid,
} from './shapes.ts'

const companyType = enumeration(
  'CompanyType',
  COMPANY_TYPES,
  'What the company is; it decides its directory: project and institution live under /projects, investor under /investors, service, platform and launchpad under /services.',
)
const directory = enumeration('Directory', DIRECTORIES, 'A directory, as routes name it.')
const entityKind = enumeration('EntityKind', ENTITY_KINDS, 'A firm or an angel.')
const lifecycleState = enumeration('Lifecycle', LIFECYCLES, 'Why a company is no longer active.')
const riskLevel = enumeration('RiskLevel', RISK_LEVELS, 'How much speaks against the account.')

const handleSeen = record('HandleSeen', 'A handle that the company used before.', {
  handle: text('The handle, without @.'),
  seenAt: time('When it was seen.'),
})

export const twitterRisk = record('TwitterRisk', 'What speaks against trusting the X account.', {
  level: riskLevel,
  reasons: list(Type.String(), 'What was found.'),
})

const projectFields = {
  id: uuid('Permanent identifier.'),
  name: text('Name.'),
  slug: slug('Readable identifier, unique among companies; routes take it like the id.'),
  companyType,
  ticker: orNull(text('Token symbol, without $; null: none is recorded.')),
  domain: orNull(text('Domain name of the website.')),
  sectors: list(Type.String(), 'Sectors it works in.'),
  chains: list(Type.String(), 'Chains it ships on.'),
  size: orNull(text('Number of people, as a range.')),
  logoUrl: orNull(url('Logo.')),
  twitterHandle: orNull(text('X handle, without @.')),
  communityLink: orNull(url('Community, for example a Telegram group.')),
  discordUrl: orNull(url('Discord invitation.')),
  linkedinUrl: orNull(url('LinkedIn page of the company.')),
  tokenLaunched: orNull(flag('Whether a token was launched; null: unchecked, which is not false.')),
  tokenLink: orNull(url('Where the token is found.')),
  aiSummary: orNull(text('A short description, machine-written.')),
  followers: orNull(count('Followers on X.')),
  handleHistory: list(handleSeen, 'Earlier X handles, oldest first.'),
  twitterRisk: orNull(twitterRisk, 'null: nothing is known.'),
  lifecycle: orNull(lifecycleState, 'null: no liveness signal.'),
  createdAt: time('When the record was made.'),
}
/** Fields that investors share. */
const { id, name, slug: companySlug, logoUrl, domain, linkedinUrl, discordUrl } = projectFields
const { twitterHandle, communityLink, aiSummary, followers, handleHistory } = projectFields
const { twitterRisk: risk, lifecycle, createdAt } = projectFields

export const project = record(
  'Project',
  'A company as the projects and services directories list it.',
  projectFields,
)

const roundFields = {
  roundType: orNull(text('Kind of round, for example Seed.')),
  roundEventName: orNull(text('Name of the round as it was announced.')),
  amountUsd: orNull(Type.Number({ minimum: 0, description: 'Amount in US dollars.' })),
  announceDate: orNull(time('When it was announced.')),
}

const roundInvestor = record('RoundInvestor', 'One investor of a funding round.', {
  id,
  name,
  slug: companySlug,
  isLead: flag('Whether it led the round.'),
})

const fundingRound = record('FundingRound', 'A round that the company raised.', {
  ...roundFields,
  investors: list(roundInvestor, 'Leads first, then by name.'),
})

export const projectDetail = record('ProjectDetail', 'A project record and its funding rounds.', {
  ...projectFields,
  fundingRounds: list(fundingRound, 'Newest first.'),
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
  fundType: orNull(text('Kind of fund, for example Venture.')),
  entityKind: orNull(entityKind, 'organization: a firm; individual: an angel.'),
  fundAllTimeRoiPct: orNull(
    Type.Number({ description: 'Return on investment of all time, in percent.' }),
  ),
  trustTier: orNull(text('How far the fund is trusted.')),
  trustTierRank: orNull(count('The same as a rank.')),
  aiSummary,
  followers,
  handleHistory,
  twitterRisk: risk,
  altRoles: list(directory, 'The other directories in which the same entity appears.'),
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
