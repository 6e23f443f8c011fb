// Made by `bun run sdk` from src/contract. Changes go there.
import type { Channel, ContactType, Role } from './people.ts'

/** Parameters of `GET /v1/me`. */
export type GetAccountQuery = Readonly<Record<string, never>>

/** Parameters of `GET /v1/people`. */
export interface ListPeopleQuery {
  /** Search text; case, accents and a leading @ or $ are ignored. Records that have every word match, the last one as a prefix, longer ones also with a typo. Where none has all words as written, those with most of the words and near names match too. Matches name, handle or title. */
  q?: string | undefined
  /** Kind of contact. */
  contactType?: ContactType | undefined
  /** Roles, comma-separated or repeated, OR-ed: founder, executive, investor, engineering, product, marketing, business-development, community, research, operations, legal, other. */
  roles?: string | readonly Role[] | undefined
  /** Channels on file, comma-separated or repeated, OR-ed. */
  channels?: string | readonly Channel[] | undefined
  /** Sectors of the company, OR-ed: repeated, comma-separated or as sector[]; case is ignored. */
  sector?: string | readonly string[] | undefined
  /** Order; by relevance where q is given, else recent. */
  sort?: 'recent' | 'name' | undefined
  /** Page number, from 1. A page past the end is empty. */
  page?: number | undefined
  /** Page size; clamped to 1..100. The response reports the size used. */
  limit?: number | undefined
}

/** Parameters of `GET /v1/people/{id}`. */
export interface GetPersonQuery {
  /** private reveals email, phone, telegram and linkedinUrl: 10 credits the first time, then the contact stays unlocked. Needs the scope read:contacts. */
  include?: 'private' | undefined
}

/** Parameters of `GET /v1/projects`. */
export interface ListProjectsQuery {
  /** Search text; case, accents and a leading @ or $ are ignored. Records that have every word match, the last one as a prefix, longer ones also with a typo. Where none has all words as written, those with most of the words and near names match too. Matches name, ticker, handle, domain, then summary. */
  q?: string | undefined
  /** Sectors, OR-ed: repeated, comma-separated or as sector[]; case is ignored. */
  sector?: string | readonly string[] | undefined
  /** Token launched, or known not to be; unchecked projects match neither. */
  token?: 'launched' | 'pre' | undefined
  /** Order; by relevance where q is given, else recent. */
  sort?: 'recent' | 'name' | undefined
  /** Page number, from 1. A page past the end is empty. */
  page?: number | undefined
  /** Page size; clamped to 1..100. The response reports the size used. */
  limit?: number | undefined
}

/** Parameters of `GET /v1/projects/{id}`. */
export type GetProjectQuery = Readonly<Record<string, never>>

/** Parameters of `GET /v1/investors`. */
export interface ListInvestorsQuery {
  /** Search text; case, accents and a leading @ or $ are ignored. Records that have every word match, the last one as a prefix, longer ones also with a typo. Where none has all words as written, those with most of the words and near names match too. Matches name, ticker, handle, domain, then summary. */
  q?: string | undefined
  /** Kind of fund; case is ignored. */
  fundType?: string | undefined
  /** Trust tier; case is ignored. */
  trustTier?: string | undefined
  /** Order; by relevance where q is given, else portfolio. */
  sort?: 'portfolio' | 'roi' | 'name' | 'recent' | undefined
  /** Page number, from 1. A page past the end is empty. */
  page?: number | undefined
  /** Page size; clamped to 1..100. The response reports the size used. */
  limit?: number | undefined
}

/** Parameters of `GET /v1/investors/{slug}`. */
export type GetInvestorQuery = Readonly<Record<string, never>>

/** Parameters of `GET /v1/services`. */
export interface ListServicesQuery {
  /** Search text; case, accents and a leading @ or $ are ignored. Records that have every word match, the last one as a prefix, longer ones also with a typo. Where none has all words as written, those with most of the words and near names match too. Matches name, ticker, handle, domain, then summary. */
  q?: string | undefined
  /** Sectors, OR-ed: repeated, comma-separated or as sector[]; case is ignored. */
  sector?: string | readonly string[] | undefined
  /** Order; by relevance where q is given, else recent. */
  sort?: 'recent' | 'name' | undefined
  /** Page number, from 1. A page past the end is empty. */
  page?: number | undefined
  /** Page size; clamped to 1..100. The response reports the size used. */
  limit?: number | undefined
}

/** Parameters of `GET /v1/services/{slug}`. */
export type GetServiceQuery = Readonly<Record<string, never>>

/** Parameters of `GET /v1/search`. */
export interface SearchQuery {
  /** Search text; case, accents and a leading @ or $ are ignored. Records that have every word match, the last one as a prefix, longer ones also with a typo. Where none has all words as written, those with most of the words and near names match too. */
  q: string
  /** Records of each group; clamped to 1..12. */
  limit?: number | undefined
}
