/** The records of a list that an account keeps, as the directory has them now. */

import { type DirectoryName, HOME_DIRECTORY, type ListName } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../directory/records/company.ts'
import type { Person } from '../../../directory/records/person.ts'
import { type KeptList, type ListEntry, listOf } from '../../../people/contacts/record-lists.ts'
import { notFound } from '../../http/form-errors.ts'
import type { SignedInContext } from '../../http/page.ts'

export interface KeptRecords {
  id: string
  name: string
  /** In the order of the list, the newest first. */
  people: Person[]
  companies: Readonly<Record<DirectoryName, Company[]>>
  /** Those that are not in the directory any more, and may come back. */
  gone: ListEntry[]
}

/** @throws PageError 404 where the account has no such list. @throws DatabaseUnavailable */
export async function keptList(
  { application, session }: SignedInContext,
  id: string,
): Promise<KeptList> {
  const list = await listOf(application.database, session.account.id, id)
  if (!list) throw notFound('list')
  return list
}

/** Each record of a kept list is a row of one of the directory's lists. @throws as `keptList` does */
export async function keptRecords(context: SignedInContext, id: string): Promise<KeptRecords> {
  const { directory } = context
  const list = await keptList(context, id)
  const companies = { projects: [], investors: [], services: [] } as Record<
    DirectoryName,
    Company[]
  >
  const kept: KeptRecords = { id, name: list.name, people: [], companies, gone: [] }
  for (const entry of list.entries) {
    const person = entry.kind === 'person' ? directory.person(entry.id) : undefined
    const company = entry.kind === 'company' ? directory.company(entry.id) : undefined
    if (person) kept.people.push(person)
    else if (company) companies[HOME_DIRECTORY[company.companyType]].push(company)
    else kept.gone.push(entry)
  }
  return kept
}

/** How many records of a kind are on the list. */
export const countOf = ({ people, companies }: KeptRecords, kind: ListName): number =>
  (kind === 'people' ? people : companies[kind]).length

/** The ids of all that is on the list. */
export const idsOf = ({ people, companies, gone }: KeptRecords): string[] =>
  [people, ...Object.values(companies), gone].flatMap((records) => records.map(({ id }) => id))
