/** Fields of people. */
import { CONTACT_TYPES, ROLES } from '../../../contract/vocabulary.ts'
import * as links from './links.ts'
import type { Fields, Values } from './types.ts'
import * as types from './types.ts'
import { type Cleaner, cleanText, holdsEmail, InvalidValue } from './values.ts'

/** Suffixes of a name: `Jr.`, `III`, `PhD`; and words without letters, like an emoji. */
const SUFFIX =
  /^(?:jr|sr|[js]nr|ii|iii|iv|ph\.?d|m\.?d|mba|m\.?sc|b\.?sc|llm|ll\.m|j\.?d|esq|cfa|cpa|caia|cissp|[^\p{L}]+)\.?$/iu

/** Name field. Programs show people without a name by their e-mail address, which must not become a public name. */
export const nameOf = (limit: number) => ({
  ...types.TEXT(limit),
  clean: (value: unknown) => {
    const written = cleanText(value, limit)
    if (written !== null && holdsEmail(written))
      throw new InvalidValue('an e-mail address and no name')
    return written
  },
})

/** Last name before a comma. Behind several words a title is more likely. */
const INVERTED = /^([^ ,]+), ([^,]+)$/

/** Refuses a name whose last name is unclear: half of it would become another one. */
export const fullName: Cleaner = (value) => {
  const written = nameOf(200).clean(value)
  if (!written?.includes(',')) return written ?? undefined
  const [, ...behind] = written.split(/, ?/)
  if (INVERTED.test(written) || behind.every((part) => SUFFIX.test(part))) return written
  throw new InvalidValue(
    'a comma may stand behind the last name or before a title: give firstName and lastName',
  )
}

/** Splits `fullName` where the row has neither name. */
export function withNames({ fullName, ...others }: Values): Values {
  if (typeof fullName !== 'string') return others
  // Blank columns of names say nothing beside a full one.
  if (others.firstName || others.lastName) return others
  return { ...others, ...split(fullName) }
}

/** `Ada King Lovelace`, `Lovelace, Ada`, `Martin King Jr.`. */
function split(fullName: string): { firstName: string; lastName: string | null } {
  const inverted = INVERTED.exec(fullName)
  if (inverted && !SUFFIX.test(inverted[2] ?? '')) {
    const [, lastName = '', firstName = ''] = inverted
    return { firstName, lastName }
  }
  const words = fullName.split(' ')
  let last = words.length - 1
  while (last > 0 && SUFFIX.test((words[last] ?? '').replace(/,$/, ''))) last--
  if (last === 0) return { firstName: fullName, lastName: null }
  const lastName = words.slice(last).join(' ')
  return { firstName: words.slice(0, last).join(' '), lastName }
}

/** Private channels: they go to the table `private_channels` and into no reason, log or progress line. */
export const PRIVATE_FIELDS: Fields = {
  email: {
    clean: links.email,
    type: 'e-mail address',
    cleans: '`mailto:` goes, the part behind `@` in lower case and in its ASCII form.',
    meaning: 'E-mail address.',
    example: 'ada@example.com',
    aliases: ['Email Address', 'Mail', 'Work Email', 'Primary Email'],
    isPrivate: true,
  },
  phone: {
    clean: links.phone,
    type: 'telephone number',
    cleans: '5 to 15 digits with `+`, blanks, `( ) . / -`; `tel:` goes.',
    meaning: 'Telephone number.',
    example: '+1 555 010-0123',
    aliases: [
      'Phone Number',
      'Telephone',
      'Mobile',
      'Mobile Phone',
      'Cell',
      'Cell Phone',
      'Work Phone',
    ],
    isPrivate: true,
  },
  telegram: {
    clean: links.telegram,
    type: 'Telegram user name',
    cleans: 'With or without `@`, or its address on t.me.',
    meaning: 'User name on Telegram.',
    example: 'ada_example',
    aliases: ['Telegram Handle', 'Telegram Username', 'Telegram URL', 'TG'],
    isPrivate: true,
  },
  linkedinUrl: {
    clean: links.linkedinProfile,
    type: 'URL on linkedin.com',
    cleans:
      'Without a scheme it gets `https://`. What names no person is refused: pages of companies, searches, posts, `/in/` alone.',
    meaning: 'Profile on LinkedIn.',
    example: 'https://www.linkedin.com/in/ada-example',
    aliases: [
      'LinkedIn',
      'LinkedIn Profile',
      'LinkedIn Profile URL',
      'LinkedIn Link',
      'Person LinkedIn URL',
    ],
    isPrivate: true,
  },
}

const listOfRoles = types.LIST_OF(ROLES).clean

/** Null, so that roles follow from the title, where none is left; an empty list where the row says `[]`. */
const roles: Cleaner = (value, warn) => {
  const found = listOfRoles(value, warn)
  const isSaid = Array.isArray(value) ? value.length === 0 : /^\s*\[\s*\]\s*$/.test(String(value))
  return Array.isArray(found) && found.length === 0 && !isSaid ? null : found
}

export const PERSON_FIELDS: Fields = {
  ...types.keys('people'),
  firstName: {
    ...nameOf(100),
    meaning: 'First name. A person has a first or a last name.',
    example: 'Ada',
    aliases: ['Given Name', 'Forename', 'First'],
    isEssential: true,
  },
  lastName: {
    ...nameOf(100),
    meaning: 'Last name.',
    example: 'Lovelace',
    aliases: ['Family Name', 'Surname', 'Last'],
    isEssential: true,
  },
  fullName: {
    ...types.TEXT(200),
    clean: fullName,
    meaning: 'Both names in one column; a row that has `firstName` or `lastName` is not split.',
    cleans:
      'The last word is the last name, together with what follows it like `Jr.` and `PhD`, all before it the first name; a single word is the first name. In `Lovelace, Ada` the last name is `Lovelace`; other commas are refused.',
    example: 'Ada King Lovelace',
    aliases: ['Name', 'Person', 'Person Name', 'Contact', 'Contact Name', 'Display Name'],
    isEssential: 'withoutNames',
  },
  slug: {
    ...types.SLUG,
    meaning:
      'Address of the web profile, unique among people; made from the name where it is absent.',
    example: 'ada-lovelace',
    aliases: ['Permalink'],
  },
  jobTitle: {
    ...types.TEXT(300),
    meaning: 'Job title. Roles are derived from it.',
    example: 'Co-Founder & CTO',
    aliases: ['Title', 'Position', 'Job', 'Role', 'Job Position'],
  },
  twitterHandle: {
    ...types.X_HANDLE,
    meaning: 'Handle on X.',
    example: 'ada_example',
    aliases: [
      'Twitter',
      'X',
      'X Handle',
      'Twitter URL',
      'X URL',
      'Twitter Username',
      'Twitter Link',
    ],
  },
  avatarUrl: {
    ...types.URL,
    meaning: 'Picture.',
    example: 'https://people.example/ada.png',
    aliases: ['Avatar', 'Photo', 'Photo URL', 'Picture', 'Image', 'Image URL'],
  },
  isCreator: {
    ...types.defaulting(types.YES_OR_NO, false),
    meaning: 'Whether the person publishes as a creator.',
    example: 'no',
    aliases: ['Creator'],
  },
  creatorFollowerCount: {
    ...types.COUNT,
    meaning: 'Followers as a creator.',
    example: '12500',
    aliases: ['Creator Followers', 'Followers', 'Follower Count'],
  },
  company: {
    ...types.COMPANY,
    meaning: 'Where the person works.',
    example: 'Uniswap Labs',
    aliases: [
      'Company Name',
      'Organization',
      'Organization Name',
      'Employer',
      'Account Name',
      'Current Company',
      'Associated Company',
    ],
  },
  contactType: {
    ...types.defaulting(types.ONE_OF(CONTACT_TYPES), 'team'),
    meaning: 'Whether the person is an analyst or in a team; `team` where it is absent.',
    example: 'team',
    aliases: ['Kind of Contact'],
  },
  roles: {
    ...types.LIST_OF(ROLES),
    clean: roles,
    meaning:
      'What the person does; derived from the job title where it is absent or blank. `[]` says: nothing of these.',
    example: 'founder|engineering',
    aliases: ['Role Names', 'Functions'],
  },
  createdAt: types.CREATED_AT,
  updatedAt: {
    ...types.kept(types.DATE),
    meaning:
      'When the record was last changed. Only a new record takes it; the time of the import where it is absent.',
    example: '2024-06-30',
    aliases: ['Updated', 'Updated Date', 'Last Updated', 'Date Updated', 'Last Modified'],
  },
  ...PRIVATE_FIELDS,
}
