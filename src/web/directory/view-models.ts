/**
 * Records as pages read them: the API's own JSON, which the directory keeps ready, taken apart again.
 * So a page can't know more than the API shows to a caller who has unlocked nothing.
 */
import type { Static } from '@sinclair/typebox'
import type {
  investor,
  portfolioRow,
  project,
  projectDetail,
} from '../../contract/schemas/companies.ts'
import type { person, personDetail, personMember } from '../../contract/schemas/people.ts'
import { type CompanyType, HOME_DIRECTORY } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/company.ts'
import type { Person } from '../../directory/person.ts'
import * as render from '../../directory/render.ts'
import { lockedText, type Template } from '../../directory/template.ts'

export type PersonRecord = Static<typeof person>
export type PersonDetail = Static<typeof personDetail>
export type MemberRecord = Static<typeof personMember>
export type ProjectRecord = Static<typeof project>
export type ProjectDetail = Static<typeof projectDetail>
export type InvestorRecord = Static<typeof investor>
export type PortfolioRow = Static<typeof portfolioRow>

const parsed = (body: Template) => JSON.parse(lockedText(body))

export const personRecord = (it: Person): PersonRecord => parsed(render.personItem(it))
export const personDetailOf = (it: Person): PersonDetail => parsed(render.personDetail(it))
export const memberRecord = (it: Person): MemberRecord => parsed(render.personMember(it))
export const projectRecord = (it: Company): ProjectRecord => JSON.parse(render.projectItem(it))
export const projectDetailOf = (it: Company): ProjectDetail => JSON.parse(render.projectDetail(it))
export const investorRecord = (it: Company): InvestorRecord => JSON.parse(render.investorItem(it))

/** The newest `limit` rows of an investor's portfolio. */
export function portfolioRows(company: Company, limit: number): PortfolioRow[] {
  return company.portfolio.slice(0, limit).map((it) => JSON.parse(render.portfolioRow(it)))
}

/** The name that a person is shown by; the few without one are known by their title. */
export function nameOf({
  firstName,
  lastName,
}: Pick<PersonRecord, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter(Boolean).join(' ') || 'Name not on record'
}

/** A profile's path. */
export function personPath({ id, slug }: { id: string; slug: string | null }): string {
  return `/people/${slug ?? id}`
}

/** A profile's path: under the one directory that the company's type decides (contract). */
export function companyPath({ slug, companyType }: { slug: string; companyType: string }): string {
  return `/${HOME_DIRECTORY[companyType as CompanyType]}/${slug}`
}
