// Made by `bun run sdk` from src/contract. Changes go there.
import type { Project } from './companies.ts'

/** A person as lists and search show it. */
export interface Person {
  /** Permanent identifier. */
  id: string
  /** Handle of the web profile; null for the few records without one. */
  slug: string | null
  /** First name. */
  firstName: string | null
  /** Last name. */
  lastName: string | null
  /** Job title. */
  jobTitle: string | null
  /** X handle, without @. */
  twitterHandle: string | null
  /** Picture. */
  avatarUrl: string | null
  /** Whether the person publishes as a creator. */
  isCreator: boolean
  /** Followers as a creator. */
  creatorFollowerCount: number | null
  /** Identifier of the company. */
  companyId: string | null
  /** The full record of the company, or null. */
  company: Project | null
  /** When the record was made. */
  createdAt: string
  /** Whether the calling account has yet to unlock this contact. */
  isLocked: boolean
  /** Whether an e-mail address is on file. */
  hasEmail: boolean
  /** Whether a phone number is on file. */
  hasPhone: boolean
  /** Whether a Telegram name is on file. */
  hasTelegram: boolean
  /** Whether a LinkedIn profile is on file. */
  hasLinkedin: boolean
  /** Always null on lists and on search: read the person itself. */
  email: null
  /** Always null on lists and on search: read the person itself. */
  phone: null
  /** Always null on lists and on search: read the person itself. */
  telegram: null
  /** Always null on lists and on search: read the person itself. */
  linkedinUrl: null
}

/** A team member or coworker: a person without the company. */
export interface TeamMember {
  /** Permanent identifier. */
  id: string
  /** Handle of the web profile; null for the few records without one. */
  slug: string | null
  /** First name. */
  firstName: string | null
  /** Last name. */
  lastName: string | null
  /** Job title. */
  jobTitle: string | null
  /** X handle, without @. */
  twitterHandle: string | null
  /** Picture. */
  avatarUrl: string | null
  /** Whether the person publishes as a creator. */
  isCreator: boolean
  /** Followers as a creator. */
  creatorFollowerCount: number | null
  /** Identifier of the company. */
  companyId: string | null
  /** When the record was made. */
  createdAt: string
  /** Whether the calling account has yet to unlock this contact. */
  isLocked: boolean
  /** Whether an e-mail address is on file. */
  hasEmail: boolean
  /** Whether a phone number is on file. */
  hasPhone: boolean
  /** Whether a Telegram name is on file. */
  hasTelegram: boolean
  /** Whether a LinkedIn profile is on file. */
  hasLinkedin: boolean
  /** E-mail address; null unless it is on file and the calling account has unlocked the contact. */
  email: string | null
  /** Phone number; null unless it is on file and the calling account has unlocked the contact. */
  phone: string | null
  /** Telegram name; null unless it is on file and the calling account has unlocked the contact. */
  telegram: string | null
  /** LinkedIn profile; null unless it is on file and the calling account has unlocked the contact. */
  linkedinUrl: string | null
}

/** A role, derived from the job title. */
export type Role = 'founder' | 'executive' | 'investor' | 'engineering' | 'product' | 'marketing' | 'business-development' | 'community' | 'research' | 'operations' | 'legal' | 'other'

/** Kind of contact. */
export type ContactType = 'analyst' | 'team'

/** A person in full. */
export interface PersonDetail extends TeamMember {
  /** The full record of the company, or null. */
  company: Project | null
  /** Roles, derived from the job title. */
  roles: Role[]
  /** Kind of contact. */
  contactType: ContactType
  /** When the record was last changed. */
  updatedAt: string
}

/** A role and how many of the matches have it. */
export interface RoleFacet {
  /** A role, derived from the job title. */
  value: Role
  /** People who have it. */
  count: number
}

/** A private channel. */
export type Channel = 'email' | 'phone' | 'telegram' | 'linkedin'

/** A channel and how many of the matches have it. */
export interface ChannelFacet {
  /** A private channel. */
  value: Channel
  /** People who have it. */
  count: number
}

/** What the filters would leave, most frequent first. A facet ignores its own filter. */
export interface Facets {
  /** Values of the filter roles. */
  roles: RoleFacet[]
  /** Values of the filter channels. */
  channels: ChannelFacet[]
}
