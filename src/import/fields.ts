/**
 * What a row may say: one table a kind, field → cleaner, in the contract's names. The limits in
 * here are the directory's. A field not listed is ignored and named in the summary.
 */
import * as vocabulary from '../contract/vocabulary.ts'
import {
  type Cleaner,
  InvalidValue,
  isNothing,
  orElse,
  orKeep,
  required,
  type Stored,
  text,
} from './clean.ts'
import * as links from './links.ts'
import { asSlug } from './slugs.ts'
import * as values from './values.ts'

export type Fields = Readonly<Record<string, Cleaner>>

/** PostgreSQL's largest `integer`. */
const MOST = 2_147_483_647
const LONGEST_KEY = 200

/** What names a company elsewhere: its id, externalId or slug. */
const reference = text(LONGEST_KEY)
const count = values.integer(0, MOST)

const KEYS = {
  id: orKeep(values.uuid),
  externalId: orKeep(text(LONGEST_KEY)),
} satisfies Fields

/** A malformed slug is as if absent: one is made from the name. Nothing says that there is none (D44). */
const slug: Cleaner = (value) => {
  if (isNothing(value)) return null
  return typeof value === 'string' ? asSlug(value) : undefined
}

export const COMPANY_FIELDS: Fields = {
  ...KEYS,
  name: required(text(200)),
  // A company always has one: its address in the API.
  slug: orKeep(slug),
  companyType: required(values.oneOf(vocabulary.COMPANY_TYPES)),
  ticker: links.ticker,
  domain: links.domain,
  sectors: values.list(text(60), 50),
  chains: values.list(text(80), 200),
  size: text(40),
  logoUrl: links.url,
  twitterHandle: links.xHandle,
  communityLink: links.url,
  discordUrl: links.discordUrl,
  linkedinUrl: links.url,
  tokenLaunched: values.yesOrNo,
  tokenLink: links.url,
  aiSummary: text(10_000),
  followers: count,
  handleHistory: values.handleHistory,
  twitterRisk: values.twitterRisk,
  lifecycle: values.oneOf(vocabulary.LIFECYCLES),
  fundType: text(60),
  entityKind: values.oneOf(vocabulary.ENTITY_KINDS),
  fundAllTimeRoiPct: values.number(-100, 1e9),
  trustTier: text(60),
  trustTierRank: count,
  altRoles: values.list(values.oneOf(vocabulary.DIRECTORIES), vocabulary.DIRECTORIES.length),
  createdAt: orKeep(values.time),
}

/** These go to `private_channels` and nowhere else: not into a reason, a log or a progress line. */
export const PRIVATE_FIELDS: Fields = {
  email: links.email,
  phone: links.phone,
  telegram: links.telegram,
  linkedinUrl: links.linkedinProfile,
}

export const PERSON_FIELDS: Fields = {
  ...KEYS,
  firstName: text(100),
  lastName: text(100),
  slug,
  jobTitle: text(300),
  twitterHandle: links.xHandle,
  avatarUrl: links.url,
  isCreator: orElse(values.yesOrNo, false),
  creatorFollowerCount: count,
  company: reference,
  contactType: orElse(values.oneOf(vocabulary.CONTACT_TYPES), 'team'),
  roles: values.list(values.oneOf(vocabulary.ROLES), vocabulary.ROLES.length),
  createdAt: orKeep(values.time),
  ...PRIVATE_FIELDS,
}

const MOST_INVESTORS = 200

/** `[{"investor", "isLead"}]`; one named twice is one, leading if either says so. */
const investors: Cleaner = (value) =>
  values.objectsIn(value, MOST_INVESTORS).map((fields): Stored => {
    const investor = reference(fields.investor)
    if (investor === null) throw new InvalidValue('investor missing')
    return { investor, isLead: values.yesOrNo(fields.isLead) ?? false }
  })

export const ROUND_FIELDS: Fields = {
  ...KEYS,
  company: required(reference),
  roundType: text(60),
  roundEventName: text(200),
  amountUsd: values.number(0, 1e15),
  announceDate: values.time,
  investors,
}
