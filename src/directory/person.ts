/** People as records, which never change (D41): what lists compare and filter by, and what answers show. */
import type { PersonText } from '../../index-build/documents.ts'
import { CHANNELS, type Channel, CONTACT_TYPES } from '../contract/vocabulary.ts'
import type { Company } from './company.ts'
import { nameKey } from './names.ts'
import type { PersonRow } from './rows.ts'
import { SharedLists } from './shared-lists.ts'

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
  /** The list fields from `firstName` to `creatorFollowerCount` as a JSON array: their names would be two thirds of the text. */
  readonly values: string
}

/** @returns what a person is found by. */
export function personText({ values }: Person): PersonText {
  const [firstName, lastName, jobTitle, twitterHandle] = JSON.parse(values)
  return { firstName, lastName, jobTitle, twitterHandle }
}

/** People with the same channels or roles share one array of them, because there are few. */
const CHANNEL_SETS: readonly (readonly Channel[])[] = Array.from({ length: 16 }, (_, bits) =>
  CHANNELS.filter((_, position) => bits & (1 << position)),
)
const roleSets = new SharedLists()

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
    contactType: CONTACT_TYPES.find((type) => type === row.contactType) ?? row.contactType,
    roles: roleSets.of(row.roles),
    channels: CHANNEL_SETS[bits] ?? [],
    followers: row.creatorFollowerCount ?? 0,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    values: JSON.stringify([
      row.firstName,
      row.lastName,
      row.jobTitle,
      row.twitterHandle,
      row.avatarUrl,
      row.isCreator,
      row.creatorFollowerCount,
    ]),
  }
}
