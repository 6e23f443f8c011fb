/** Schemas of people (contract, D27, D29). */
import { Type } from '@sinclair/typebox'
import { CHANNELS, CONTACT_TYPES, ROLES } from '../vocabulary.ts'
import { project } from './companies.ts'
import {
  count,
  flag,
  nullable,
  nullableCount,
  nullableSlug,
  nullableText,
  nullableUrl,
  oneOf,
  record,
  time,
  uuid,
} from './shapes.ts'

const head = {
  id: uuid('Permanent identifier.'),
  slug: nullableSlug('Handle of the web profile; null for the few records without one.'),
  firstName: nullableText('First name.'),
  lastName: nullableText('Last name.'),
  jobTitle: nullableText('Job title.'),
  twitterHandle: nullableText('X handle, without @.'),
  avatarUrl: nullableUrl('Picture.'),
  isCreator: flag('Whether the person publishes as a creator.'),
  creatorFollowerCount: nullableCount('Followers as a creator.'),
  companyId: nullable(Type.String({ format: 'uuid' }), {
    description: 'Identifier of the company.',
  }),
}

const company = nullable(project, { description: 'The full record of the company, or null.' })

const flags = {
  createdAt: time('When the record was made.'),
  isLocked: flag('Whether the calling account has yet to unlock this contact.'),
  hasEmail: flag('Whether an e-mail address is on file.'),
  hasPhone: flag('Whether a phone number is on file.'),
  hasTelegram: flag('Whether a Telegram name is on file.'),
  hasLinkedin: flag('Whether a LinkedIn profile is on file.'),
}

const unlocked = 'null unless it is on file and the calling account has unlocked the contact.'

const channels = {
  email: nullable(Type.String({ format: 'email' }), { description: `E-mail address; ${unlocked}` }),
  phone: nullableText(`Phone number; ${unlocked}`),
  telegram: nullableText(`Telegram name; ${unlocked}`),
  linkedinUrl: nullableUrl(`LinkedIn profile; ${unlocked}`),
}

const never = 'Always null on lists and on search: read the person itself.'

const hidden = Type.Null({ description: never })
const hiddenChannels = { email: hidden, phone: hidden, telegram: hidden, linkedinUrl: hidden }

export const person = record('Person', 'A person as lists and search show it.', {
  ...head,
  company,
  ...flags,
  ...hiddenChannels,
})

export const personMember = record(
  'TeamMember',
  'A team member or coworker: a person without the company.',
  { ...head, ...flags, ...channels },
)

export const personDetail = record('PersonDetail', 'A person in full.', {
  ...head,
  company,
  ...flags,
  ...channels,
  roles: Type.Array(oneOf(ROLES), { description: 'Roles, derived from the job title.' }),
  contactType: oneOf(CONTACT_TYPES, { description: 'Kind of contact.' }),
  updatedAt: time('When the record was last changed.'),
})

const roleFacet = record('RoleFacet', 'A role and how many of the matches have it.', {
  value: oneOf(ROLES, { description: 'The role, as the filter takes it.' }),
  count: count('People who have it.'),
})

const channelFacet = record('ChannelFacet', 'A channel and how many of the matches have it.', {
  value: oneOf(CHANNELS, { description: 'The channel, as the filter takes it.' }),
  count: count('People who have it.'),
})

export const facets = record(
  'Facets',
  'What the filters would leave, most frequent first. A facet ignores its own filter.',
  {
    roles: Type.Array(roleFacet, { description: 'Values of the filter roles.' }),
    channels: Type.Array(channelFacet, { description: 'Values of the filter channels.' }),
  },
)
