/** Closed sets of the contract, and shapes of structured fields. */

export const COMPANY_TYPES = [
  'project',
  'investor',
  'platform',
  'launchpad',
  'service',
  'institution',
] as const
export type CompanyType = (typeof COMPANY_TYPES)[number]

/** Directories of companies, as routes and `altRoles` name them. */
export const DIRECTORIES = ['projects', 'investors', 'services'] as const
export type DirectoryName = (typeof DIRECTORIES)[number]

export const LISTS = ['people', ...DIRECTORIES] as const
export type ListName = (typeof LISTS)[number]

/** The directory of each company type (contract). */
export const HOME_DIRECTORY: Readonly<Record<CompanyType, DirectoryName>> = {
  project: 'projects',
  institution: 'projects',
  investor: 'investors',
  service: 'services',
  platform: 'services',
  launchpad: 'services',
}

export const CONTACT_TYPES = ['analyst', 'team'] as const
export type ContactType = (typeof CONTACT_TYPES)[number]

/** The closed set of the `channels` filter, in the order of the person's `has*` flags. */
export const CHANNELS = ['email', 'phone', 'telegram', 'linkedin'] as const
export type Channel = (typeof CHANNELS)[number]

/** Roles derived from a job title at import. */
export const ROLES = [
  'founder',
  'executive',
  'investor',
  'engineering',
  'product',
  'marketing',
  'business-development',
  'community',
  'research',
  'operations',
  'legal',
  'other',
] as const
export type Role = (typeof ROLES)[number]

export const LIFECYCLES = ['defunct', 'deceased'] as const
export const ENTITY_KINDS = ['organization', 'individual'] as const
export const RISK_LEVELS = ['low', 'medium', 'high'] as const

/** One past handle; oldest first in `handleHistory`. `seenAt` is ISO 8601 in UTC. */
export interface HandleSeen {
  handle: string
  seenAt: string
}

/** Reasons to distrust an X account. */
export interface TwitterRisk {
  level: (typeof RISK_LEVELS)[number]
  reasons: string[]
}

/** A person's private channels, for an account that unlocked them. */
export interface PrivateChannels {
  email: string | null
  phone: string | null
  telegram: string | null
  linkedinUrl: string | null
}
