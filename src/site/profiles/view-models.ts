/**
 * View models: records parsed from the API's own JSON, which the directory keeps ready. So a page knows no more
 * than the API shows to an account that has unlocked nothing.
 */
import type { Static } from '@sinclair/typebox'
import type { investor, project, projectDetail } from '../../contract/schemas/companies.ts'
import type { person, personDetail, personMember } from '../../contract/schemas/people.ts'
import { type CompanyType, HOME_DIRECTORY } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/records/company.ts'
import type { Person } from '../../directory/records/person.ts'
import * as render from '../../directory/records/render.ts'
import { lockedText, type Template } from '../../directory/records/template.ts'

export type PersonRecord = Static<typeof person>
export type PersonDetail = Static<typeof personDetail>
export type MemberRecord = Static<typeof personMember>
export type ProjectRecord = Static<typeof project>
export type ProjectDetail = Static<typeof projectDetail>
export type InvestorRecord = Static<typeof investor>

const parsed = (body: Template) => JSON.parse(lockedText(body))

export const personRecord = (it: Person): PersonRecord => parsed(render.personItem(it))
export const personDetailOf = (it: Person): PersonDetail => parsed(render.personDetail(it))
export const projectRecord = (it: Company): ProjectRecord => parsed(render.projectItem(it))
export const investorRecord = (it: Company): InvestorRecord => parsed(render.investorItem(it))

/** Team member or coworker. Parse only those shown: a team may have thousands. */
export const memberRecord = (it: Person): MemberRecord => parsed(render.personMember(it))

/** Names for which an equal query is an exact match. */
export const personNames = (it: PersonRecord) => [nameOf(it), it.twitterHandle]
export const companyNames = (it: ProjectRecord) => [it.name, it.ticker, it.twitterHandle, it.domain]

/** Display name. */
export function nameOf(it: Pick<PersonRecord, 'firstName' | 'lastName'>): string {
  return [it.firstName, it.lastName].filter(Boolean).join(' ') || 'Name not on record'
}

export function personPath({ id, slug }: { id: string; slug: string | null }): string {
  return `/people/${slug ?? id}`
}

/** Path of a company's profile, in the directory of its type. */
export function companyPath({ slug, companyType }: { slug: string; companyType: string }): string {
  return `/${HOME_DIRECTORY[companyType as CompanyType]}/${slug}`
}

export const companyConnections = ({ id }: { id: string }) => `/connections/companies/${id}`
export const personConnections = ({ id }: { id: string }) => `/connections/people/${id}`

const SENIOR_ROLES = ['founder', 'executive']

/** Order of people on profiles: founders, executives, others. Stable. */
export function bySeniority(a: Person, b: Person): number {
  return seniority(a) - seniority(b)
}

function seniority({ roles }: Person): number {
  const place = SENIOR_ROLES.findIndex((role) => roles.includes(role))
  return place < 0 ? SENIOR_ROLES.length : place
}
