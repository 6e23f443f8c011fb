/**
 * View models: records parsed from the API's own JSON, which the directory keeps ready. So a page knows no more
 * than the API shows to an account that has unlocked nothing.
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
import type { Directory } from '../../directory/directory.ts'
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
export const projectRecord = (it: Company): ProjectRecord => JSON.parse(render.projectItem(it))
export const investorRecord = (it: Company): InvestorRecord => JSON.parse(render.investorItem(it))

/** A team member or coworker as JSON text: a page parses only those that it shows. */
export type Member = ReturnType<typeof memberOf>
const memberOf = (it: Person) => ({ id: it.id, record: lockedText(render.personMember(it)) })
export const memberRecord = ({ record }: Member): MemberRecord => JSON.parse(record)

export type PersonProfile = ReturnType<typeof personProfile>
export type CompanyProfile = ReturnType<typeof companyProfile>

/** All that a person's page shows of the directory, read at one moment (D41). */
export function personProfile(directory: Directory, it: Person) {
  return { person: personDetailOf(it), coworkers: directory.coworkers(it).map(memberOf) }
}

/** Investments shown on a page, the newest; the API has them all. */
const PORTFOLIO_SHOWN = 100

/** All that a company's page shows of the directory, read at one moment (D41). */
export function companyProfile(directory: Directory, it: Company) {
  const company: ProjectDetail = JSON.parse(render.projectDetail(it, directory.fundingRounds(it)))
  const investors = company.fundingRounds.flatMap((round) => round.investors)
  const paths = investors.flatMap(({ id }) => {
    const investor = directory.company(id)
    return investor ? [[id, companyPath(investor)] as const] : []
  })
  const rows = it.investor ? directory.portfolio(it).slice(0, PORTFOLIO_SHOWN) : []
  return {
    company,
    /** Null where the company is no fund. */
    fund: it.investor ? investorRecord(it) : null,
    team: directory.team(it).map(memberOf),
    portfolio: rows.map((row): PortfolioRow => JSON.parse(render.portfolioItem(row))),
    /** The profile's path of each investor in the funding rounds, by id. */
    investorPaths: new Map(paths),
  }
}

/** What a person or a company is named by: a query that is one of these means it. */
export const personNames = (it: PersonRecord) => [nameOf(it), it.twitterHandle]
export const companyNames = (it: ProjectRecord) => [it.name, it.ticker, it.twitterHandle, it.domain]

/** The name that pages show; a few records have none. */
export function nameOf(it: Pick<PersonRecord, 'firstName' | 'lastName'>): string {
  return [it.firstName, it.lastName].filter(Boolean).join(' ') || 'Name not on record'
}

/** The path of a person's profile. */
export function personPath({ id, slug }: { id: string; slug: string | null }): string {
  return `/people/${slug ?? id}`
}

/** A profile's path, in the directory that the company's type belongs to (contract). */
export function companyPath({ slug, companyType }: { slug: string; companyType: string }): string {
  return `/${HOME_DIRECTORY[companyType as CompanyType]}/${slug}`
}
