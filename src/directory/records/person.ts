/** People as records, which never change: what lists compare and filter by, and what answers show. */
import type { PersonText } from '../../../index-build/documents.ts'
import {
  CHANNELS,
  type Channel,
  CONTACT_TYPES,
  type ContactType,
} from '../../contract/vocabulary.ts'
import type { Company } from './company.ts'
import { type NamedValues, namesOf } from './named-values.ts'
import { nameKey } from './names.ts'
import type { PersonRow } from './rows.ts'
import { SharedLists } from './shared-lists.ts'
import { linesAt, ownText, RecordOnPage, type TextPlace, textAt } from './text-pages.ts'

export interface Person
  extends Readonly<Pick<PersonRow, 'id' | 'slug' | 'contactType' | 'createdAt' | 'updatedAt'>> {
  /** Key of the order by name: first name, then last name. */
  readonly nameKey: string
  /** The company's record of the same moment: a change of the company makes its people anew. */
  readonly company: Company | null
  readonly roles: readonly string[]
  /** The private channels on file; what they say is not in this memory. */
  readonly channels: readonly Channel[]
  readonly followers: number
  /** The list fields from `firstName` to `creatorFollowerCount` as a JSON array: their names would be two thirds of the text. */
  readonly values: string
  /** Where the texts stand. */
  readonly place: TextPlace
  /** Places of the texts that answers show: the slug, which may be empty, and the values. */
  shown(): { slug: TextPlace; values: NamedValues }
  /** The same person at another record of the company, or at none. */
  at(company: Company | null): Person
}

/** Fields of a record that are no texts. */
type PersonHead = Omit<Person, 'slug' | 'nameKey' | 'values' | 'place' | 'shown' | 'at'>

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

/** The fields of `values`, in their order. */
const PERSON_FIELDS = [
  'firstName',
  'lastName',
  'jobTitle',
  'twitterHandle',
  'avatarUrl',
  'isCreator',
  'creatorFollowerCount',
] as const

const NAMES = namesOf(PERSON_FIELDS)

/** Texts stand one a line: the slug, the order's name, the values. None of them has a line feed of its own. */
const LINES = 3

class PersonRecord extends RecordOnPage implements Person, PersonHead {
  readonly id: string
  readonly company: Company | null
  readonly contactType: ContactType
  readonly roles: readonly string[]
  readonly channels: readonly Channel[]
  readonly followers: number
  readonly createdAt: number
  readonly updatedAt: number

  constructor(head: PersonHead, company: Company | null, place: TextPlace) {
    super(place)
    this.id = head.id
    this.company = company
    this.contactType = head.contactType
    this.roles = head.roles
    this.channels = head.channels
    this.followers = head.followers
    this.createdAt = head.createdAt
    this.updatedAt = head.updatedAt
  }

  shown(): { slug: TextPlace; values: NamedValues } {
    const [slug = this, , values = this] = linesAt(this, LINES)
    return { slug, values: { names: NAMES, place: values } }
  }

  get slug(): string | null {
    const text = textAt(this)
    return text.slice(0, text.indexOf('\n')) || null
  }

  get nameKey(): string {
    const text = textAt(this)
    const slugEnd = text.indexOf('\n')
    return text.slice(slugEnd + 1, text.indexOf('\n', slugEnd + 1))
  }

  get values(): string {
    const text = textAt(this)
    return text.slice(text.indexOf('\n', text.indexOf('\n') + 1) + 1)
  }

  at(company: Company | null): Person {
    return new PersonRecord(this, company, this.place)
  }
}

/** As one string for all: each row that is read brings strings of its own. */
function contactTypeOf({ contactType }: Pick<PersonRow, 'contactType'>): ContactType {
  return CONTACT_TYPES.find((type) => type === contactType) ?? contactType
}

/** @param keep gives the record's text its place. */
export function personOf(
  row: PersonRow,
  company: Company | null,
  keep: (text: string) => TextPlace = ownText,
): Person {
  const bits =
    (row.hasEmail ? 1 : 0) +
    (row.hasPhone ? 2 : 0) +
    (row.hasTelegram ? 4 : 0) +
    (row.hasLinkedin ? 8 : 0)
  const head = {
    id: row.id,
    company,
    contactType: contactTypeOf(row),
    roles: roleSets.of(row.roles),
    channels: CHANNEL_SETS[bits] ?? [],
    followers: row.creatorFollowerCount ?? 0,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
  const name = nameKey(`${row.firstName ?? ''} ${row.lastName ?? ''}`)
  const values = JSON.stringify(PERSON_FIELDS.map((field) => row[field]))
  const text = `${row.slug ?? ''}\n${name.replaceAll('\n', ' ')}\n${values}`
  return new PersonRecord(head, company, keep(text))
}
