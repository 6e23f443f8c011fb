/** Records as JSON: their ready texts and kept values joined in the contract's order, with a slot for each contact. */
import type { Company, FundingRound, PortfolioRow } from './company.ts'
import type { Person } from './person.ts'
import type { Template } from './template.ts'
import { textAt } from './text-pages.ts'

/** A person on a list: with its company's full project record (contract). */
export function personItem(person: Person): Template {
  const [begin, values, companyId, createdAt] = personParts(person)
  const company = person.company?.project ?? 'null'
  return [begin, values, `${companyId},"company":`, company, createdAt, person, '}']
}

/** A team member or coworker: the list fields without `company`. */
export function personMember(person: Person): Template {
  const [begin, values, companyId, createdAt] = personParts(person)
  return [begin, values, companyId + createdAt, person, '}']
}

/** The person of the detail route: the list fields, then `roles`, `contactType`, `updatedAt`. */
export function personDetail(person: Person): Template {
  const { roles, contactType } = person
  const updatedAt = new Date(person.updatedAt).toISOString()
  const more = JSON.stringify({ roles, contactType, updatedAt })
  return [...personItem(person).slice(0, -1), `,${more.slice(1)}`]
}

/** `companyId` is written here, not kept in the values: it must never name a company that is gone. */
function personParts(person: Person) {
  const { id, company, createdAt } = person
  const { slug, values } = person.shown()
  const companyId = company ? `"${company.id}"` : null
  return [
    `{"id":"${id}","slug":${JSON.stringify(textAt(slug) || null)},`,
    values,
    `,"companyId":${companyId}`,
    `,"createdAt":"${new Date(createdAt).toISOString()}",`,
  ] as const
}

/** A project or service record. */
export function projectItem(company: Company): Template {
  return [company.project]
}

/** The project record and its `fundingRounds`, newest first. */
export function projectDetail(company: Company, rounds: readonly FundingRound[]): string {
  const project = textAt(company.project).slice(0, -1)
  return `${project},"fundingRounds":[${rounds.map(roundJson).join(',')}]}`
}

function roundJson({ fields, investors }: FundingRound): string {
  const parts = investors.map(
    ({ company: { id, name, slug }, isLead }) =>
      `{"id":"${id}","name":${JSON.stringify(name)},"slug":"${slug}","isLead":${isLead}}`,
  )
  return `{${fields},"investors":[${parts.join(',')}]}`
}

/** An investor record. */
export function investorItem({ slug, investor, portfolioCount }: Company): Template {
  if (!investor) throw new Error(`${slug} is not an investor`)
  return [investor.before, `,"portfolioCount":${portfolioCount},`, investor.after]
}

/** A row of an investor's portfolio. */
export function portfolioItem({ id, company, round, isLead }: PortfolioRow): string {
  return `{"investmentId":"${id}","company":${textAt(company.project)},${round.fields},"isLead":${isLead}}`
}
