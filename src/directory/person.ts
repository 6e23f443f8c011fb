/** People as records, which never change (D41): what lists compare and filter by, and their JSON. */
import { CHANNELS, type Channel } from '../contract/vocabulary.ts'
import type { Company } from './company.ts'
import { nameKey } from './names.ts'
import type { PersonRow } from './rows.ts'

export interface Person
  extends Readonly<Pick<PersonRow, 'id' | 'slug' | 'contactType' | 'createdAt' | 'updatedAt'>> {
  /** What the order by name compares: first name, then last name. */
  readonly nameKey: string
  /** The company's record of the same moment: a change of the company makes its people anew. */
  readonly company: Company | null
  readonly roles: readonly string[]
  /** The private channels on file; what they say is not in this memory. */
  readonly channels: readonly Channel[]
  readonly followers: number
  /** The list fields up to `creatorFollowerCount` as JSON text. */
  readonly fields: string
}

/** People with the same channels or roles share one array of them, because there are few. */
const CHANNEL_SETS: readonly (readonly Channel[])[] = Array.from({ length: 16 }, (_, bits) =>
  CHANNELS.filter((_, position) => bits & (1 << position)),
)
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
    followers: row.creatorFollowerCount ?? 0,
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
