/** Query parameters of each endpoint. The application's pages of the same lists take them too. */
import type { IntegerParameter, ListParameter, Parameters, TextParameter } from './query.ts'
import { CHANNELS, CONTACT_TYPES, ROLES } from './vocabulary.ts'

/** Filters, whose values come from the records. */
export const FILTERS = ['roles', 'channels', 'sector', 'fundType', 'trustTier'] as const
export type FilterName = (typeof FILTERS)[number]

const q: TextParameter = {
  kind: 'text',
  maxLength: 200,
  description:
    'Search text; case, accents and a leading @ or $ are ignored. Records that have every word match, the last one as a prefix, longer ones also with a typo. Where none has all words as written, those with most of the words and near names match too.',
  example: 'uniswap',
}

/** The upper bound keeps arithmetic exact; a page past the end is empty and costs the same. */
const page: IntegerParameter = {
  kind: 'integer',
  default: 1,
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
  description: 'Page number, from 1. A page past the end is empty.',
}

const limit: IntegerParameter = {
  kind: 'integer',
  default: 30,
  min: 1,
  max: 100,
  description: 'Page size; clamped to 1..100. The response reports the size used.',
}

const paging = { page, limit }

const sector = {
  kind: 'list',
  explode: true,
  description: 'Sectors, OR-ed: repeated, comma-separated or as sector[]; case is ignored.',
  example: 'DeFi',
} as const satisfies ListParameter

const recentOrName = {
  kind: 'choice',
  choices: ['recent', 'name'],
  description: 'Order; by relevance where q is given, else recent.',
} as const

const anyCase = { kind: 'text', maxLength: 100 } as const

const companyQ = {
  ...q,
  description: `${q.description} Matches name, ticker, handle, domain, then summary.`,
}

export const PEOPLE_PARAMETERS = {
  q: { ...q, description: `${q.description} Matches name, handle or title.`, example: 'ada' },
  contactType: { kind: 'choice', choices: CONTACT_TYPES, description: 'Kind of contact.' },
  roles: {
    kind: 'list',
    known: ROLES,
    description: `Roles, comma-separated or repeated, OR-ed: ${ROLES.join(', ')}.`,
    example: 'founder,executive',
  },
  channels: {
    kind: 'list',
    choices: CHANNELS,
    description: 'Channels on file, comma-separated or repeated, OR-ed.',
    example: 'email,telegram',
  },
  sector: {
    ...sector,
    description:
      'Sectors of the company, OR-ed: repeated, comma-separated or as sector[]; case is ignored.',
  },
  sort: recentOrName,
  ...paging,
} as const satisfies Parameters

/** `GET /v1/people` refuses `include` with a reason (contract, Errors). */
export const PEOPLE_API_PARAMETERS = {
  ...PEOPLE_PARAMETERS,
  include: {
    kind: 'choice',
    choices: [],
    rejected:
      'include=private is not available on a list: read one person with GET /v1/people/{id}?include=private.',
    description:
      'A list answers 400 to it. Reveal one person at a time, with `GET /v1/people/{id}`.',
  },
} as const satisfies Parameters

export const PERSON_PARAMETERS = {
  include: {
    kind: 'choice',
    choices: ['private'],
    description:
      'private reveals email, phone, telegram and linkedinUrl: 10 credits the first time, then the contact stays unlocked. Needs the scope read:contacts.',
  },
} as const satisfies Parameters

export const PROJECTS_PARAMETERS = {
  q: companyQ,
  sector,
  token: {
    kind: 'choice',
    choices: ['launched', 'pre'],
    description: 'Token launched, or known not to be; unchecked projects match neither.',
  },
  sort: recentOrName,
  ...paging,
} as const satisfies Parameters

export const INVESTORS_PARAMETERS = {
  q: companyQ,
  fundType: { ...anyCase, description: 'Kind of fund; case is ignored.', example: 'Venture' },
  trustTier: { ...anyCase, description: 'Trust tier; case is ignored.', example: 'tier-1' },
  sort: {
    kind: 'choice',
    choices: ['portfolio', 'roi', 'name', 'recent'],
    description: 'Order; by relevance where q is given, else portfolio.',
  },
  ...paging,
} as const satisfies Parameters

export const SERVICES_PARAMETERS = {
  q: companyQ,
  sector,
  sort: recentOrName,
  ...paging,
} as const satisfies Parameters

export const SEARCH_PARAMETERS = {
  q: { ...q, required: true },
  limit: {
    ...limit,
    default: 12,
    max: 12,
    description: 'Records of each group; clamped to 1..12.',
  },
} as const satisfies Parameters
