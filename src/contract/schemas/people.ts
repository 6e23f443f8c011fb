/** Schemas of people (contract). */
import { type TSchema, Type } from '@sinclair/typebox'
import { CHANNELS, CONTACT_TYPES, ROLES } from '../vocabulary.ts'
import { project } from './companies.ts'
import {
  count,
  enumeration,
  flag,
  list,
  orNull,
  record,
  slug,
  text,
  time,
  url,
  uuid,
} from './shapes.ts'

export const role = enumeration('Role', ROLES, 'A role, derived from the job title.')
export const channel = enumeration('Channel', CHANNELS, 'A private channel.')
export const contactType = enumeration('ContactType', CONTACT_TYPES, 'Kind of contact.')

const head = {
  id: uuid('Permanent identifier.'),
  slug: orNull(slug('Handle of the web profile; null for the few records without one.')),
  firstName: orNull(text('First name.')),
  lastName: orNull(text('Last name.')),
  jobTitle: orNull(text('Job title.')),
  twitterHandle: orNull(text('X handle, without @.')),
  avatarUrl: orNull(url('Picture.')),
  isCreator: flag('Whether the person publishes as a creator.'),
  creatorFollowerCount: orNull(count('Followers as a creator.')),
  companyId: orNull(uuid('Identifier of the company.')),
}

const flags = {
  createdAt: time('When the record was made.'),
  isLocked: flag('Whether the calling account has yet to unlock this contact.'),
  hasEmail: flag('Whether an e-mail address is on file.'),
  hasPhone: flag('Whether a phone number is on file.'),
  hasTelegram: flag('Whether a Telegram name is on file.'),
  hasLinkedin: flag('Whether a LinkedIn profile is on file.'),
}

const withCompany = {
  ...head,
  company: orNull(project, 'The full record of the company, or null.'),
  ...flags,
}

const unlocked = 'null unless it is on file and the calling account has unlocked the contact.'

const channels = {
  email: orNull(Type.String({ format: 'email', description: `E-mail address; ${unlocked}` })),
  phone: orNull(text(`Phone number; ${unlocked}`)),
  telegram: orNull(text(`Telegram name; ${unlocked}`)),
  linkedinUrl: orNull(url(`LinkedIn profile; ${unlocked}`)),
}

const hidden = Type.Null({
  description: 'Always null on lists and on search: read the person itself.',
})
const hiddenChannels = { email: hidden, phone: hidden, telegram: hidden, linkedinUrl: hidden }

export const person = record('Person', 'A person as lists and search show it.', {
  ...withCompany,
  ...hiddenChannels,
})

export const personMember = record(
  'TeamMember',
  'A team member or coworker: a person without the company.',
  { ...head, ...flags, ...channels },
)

export const personDetail = record('PersonDetail', 'A person in full.', {
  ...withCompany,
  ...channels,
  roles: list(role, 'Roles, derived from the job title.'),
  contactType,
  updatedAt: time('When the record was last changed.'),
})

const facet = <Value extends TSchema>(name: string, what: string, value: Value) =>
  record(name, `A ${what} and how many of the matches have it.`, {
    value,
    count: count('People who have it.'),
  })

export const facets = record(
  'Facets',
  'What the filters would leave, most frequent first. A facet ignores its own filter.',
  {
    roles: list(facet('RoleFacet', 'role', role), 'Values of the filter roles.'),
    channels: list(facet('ChannelFacet', 'channel', channel), 'Values of the filter channels.'),
  },
)
