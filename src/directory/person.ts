/** A person as it stands in memory: what is listed by, and its JSON made ready. */

import type { Channel, ContactType } from '../contract/vocabulary.ts'
import type { Company } from './company.ts'
import { byName, nameKey } from './names.ts'
import type { PersonRow } from './rows.ts'

export interface Person {
  id: string
  slug: string | null
  /** What the order by name compares: first name, then last name. */
  nameKey: string
  company: Company | null
  contactType: ContactType
  roles: string[]
  /** The private channels on file; what they say is not in this memory. */
  channels: Channel[]
  /** Whether any private channel is on file: without one there is nothing to reveal (D19). */
  hasChannels: boolean
  followers: number
  /** Its number in the collection of people. */
  slot: number
  /** Milliseconds since the epoch. */
  createdAt: number
  /** Milliseconds since the epoch. */
  updatedAt: number
  /** The list fields up to `creatorFollowerCount` as JSON text. */
  fields: string
}

/** Sets of channels and of roles are few and shared: a person keeps a reference. */
const CHANNEL_SETS: Channel[][] = Array.from({ length: 16 }, (_, bits) => {
  const channels: Channel[] = ['email', 'phone', 'telegram', 'linkedin']
  return channels.filter((_, position) => bits & (1 << position))
})
const roleSets = new Map<string, string[]>()

export function personOf(row: PersonRow, company: Company | null): Person {
  const bits =
    (row.hasEmail ? 1 : 0) +
    (row.hasPhone ? 2 : 0) +
    (row.hasTelegram ? 4 : 0) +
    (row.hasLinkedin ? 8 : 0)
  return {
    id: row.id,
    slug: row.slug,
    nameKey: nameKey(`${row.firstName ?? ''} ${row.lastName ?? ''}`),
    company,
    contactType: row.contactType,
    roles: sharedRoles(row.roles),
    channels: CHANNEL_SETS[bits] ?? [],
    hasChannels: bits !== 0,
    followers: row.creatorFollowerCount ?? 0,
    slot: -1,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    fields: JSON.stringify({
      id: row.id,
      slug: row.slug,
      firstName: row.firstName,
      lastName: row.lastName,
      jobTitle: row.jobTitle,
      twitterHandle: row.twitterHandle,
      avatarUrl: row.avatarUrl,
      isCreator: row.isCreator,
      creatorFollowerCount: row.creatorFollowerCount,
    }),
  }
}

function sharedRoles(roles: string[]): string[] {
  const key = roles.join('\n')
  const known = roleSets.get(key)
  if (known) return known
  // Roles come from imports: without a limit a careless one could grow this for ever.
  if (roleSets.size < 10_000) roleSets.set(key, roles)
  return roles
}

/** The company's people by name (D29). Put in order when first asked for after a change. */
export function teamOf(company: Company): Person[] {
  if (!company.teamOrdered) {
    company.team.sort(byName)
    company.teamOrdered = true
  }
  return company.team
}

export function joinTeam(person: Person) {
  if (!person.company) return
  person.company.team.push(person)
  person.company.teamOrdered = false
}

export function leaveTeam(person: Person) {
  if (!person.company) return
  const position = person.company.team.indexOf(person)
  if (position >= 0) person.company.team.splice(position, 1)
}
