/** The contract's records: fields in its order, each with the type it may have. */
import { expect } from 'bun:test'

type Check = (value: unknown) => boolean
export type Shape = Readonly<Record<string, Check>>

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const string: Check = (value) => typeof value === 'string'
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const boolean: Check = (value) => typeof value === 'boolean'
const id: Check = (value) => typeof value === 'string' && UUID.test(value)
const slug: Check = (value) => typeof value === 'string' && /^[a-z0-9-]{1,80}$/.test(value)
const time: Check = (value) => typeof value === 'string' && TIME.test(value)
const url: Check = (value) => typeof value === 'string' && URL.canParse(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const oneOf =
  (...allowed: unknown[]): Check =>
  (value) =>
    allowed.includes(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const record =
  (shape: Shape): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).join() === Object.keys(shape).join() &&
    Object.entries(value).every(([name, field]) => shape[name]?.(field))

const handleHistory = listOf(record({ handle: string, seenAt: time }))
const twitterRisk = orNull(
  record({ level: oneOf('low', 'medium', 'high'), reasons: listOf(string) }),
)
const lifecycle = oneOf('defunct', 'deceased', null)
const companyType = oneOf('project', 'investor', 'platform', 'launchpad', 'service', 'institution')

export const PROJECT: Shape = {
  id,
  name: string,
  slug,
  companyType,
  ticker: orNull(string),
  domain: orNull(string),
  sectors: listOf(string),
  chains: listOf(string),
  size: orNull(string),
  logoUrl: orNull(url),
  twitterHandle: orNull(string),
  communityLink: orNull(url),
  discordUrl: orNull(url),
  linkedinUrl: orNull(url),
  tokenLaunched: oneOf(true, false, null),
  tokenLink: orNull(url),
  aiSummary: orNull(string),
  followers: orNull(number),
  handleHistory,
  twitterRisk,
  lifecycle,
  createdAt: time,
}

/** A project's detail adds its rounds. */
export const PROJECT_DETAIL: Shape = {
  ...PROJECT,
  fundingRounds: listOf(
    record({
      roundType: orNull(string),
      roundEventName: orNull(string),
      amountUsd: orNull(number),
      announceDate: orNull(time),
      investors: listOf(record({ id, name: string, slug, isLead: boolean })),
    }),
  ),
}

export const INVESTOR: Shape = {
  id,
  name: string,
  slug,
  companyType: oneOf('investor'),
  logoUrl: orNull(url),
  domain: orNull(string),
  linkedinUrl: orNull(url),
  discordUrl: orNull(url),
  twitterHandle: orNull(string),
  communityLink: orNull(url),
  fundType: orNull(string),
  entityKind: oneOf('organization', 'individual', null),
  fundAllTimeRoiPct: orNull(number),
  trustTier: orNull(string),
  trustTierRank: orNull(number),
  aiSummary: orNull(string),
  followers: orNull(number),
  handleHistory,
  twitterRisk,
  altRoles: listOf(oneOf('projects', 'investors', 'services')),
  portfolioCount: number,
  lifecycle,
  createdAt: time,
}

export const PORTFOLIO_ROW: Shape = {
  investmentId: id,
  company: record(PROJECT),
  roundType: orNull(string),
  roundEventName: orNull(string),
  amountUsd: orNull(number),
  announceDate: orNull(time),
  isLead: boolean,
}

const personHead: Shape = {
  id,
  slug: orNull(slug),
  firstName: orNull(string),
  lastName: orNull(string),
  jobTitle: orNull(string),
  twitterHandle: orNull(string),
  avatarUrl: orNull(url),
  isCreator: boolean,
  creatorFollowerCount: orNull(number),
  companyId: orNull(id),
}

const personFlags: Shape = {
  createdAt: time,
  isLocked: boolean,
  hasEmail: boolean,
  hasPhone: boolean,
  hasTelegram: boolean,
  hasLinkedin: boolean,
}

const NULL = oneOf(null)
const noChannels: Shape = { email: NULL, phone: NULL, telegram: NULL, linkedinUrl: NULL }
const channels: Shape = {
  email: orNull(string),
  phone: orNull(string),
  telegram: orNull(string),
  linkedinUrl: orNull(string),
}
const company = orNull(record(PROJECT))

export const PERSON: Shape = { ...personHead, company, ...personFlags, ...noChannels }

/** A team member or coworker: without `company`, channels where unlocked. */
export const MEMBER: Shape = { ...personHead, ...personFlags, ...channels }

export const PERSON_DETAIL: Shape = {
  ...personHead,
  company,
  ...personFlags,
  ...channels,
  roles: listOf(string),
  contactType: oneOf('analyst', 'team'),
  updatedAt: time,
}

/** Fields in the contract's order, none missing, none more, each of its type. */
export function expectShape(value: object, shape: Shape) {
  expect(Object.keys(value)).toEqual(Object.keys(shape))
  const wrong = Object.entries(value).filter(([name, field]) => !shape[name]?.(field))
  expect(wrong).toEqual([])
}
