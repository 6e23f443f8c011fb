/**
 * Records as JSON text, fields in the contract's order, every one always present. What doesn't
 * depend on the caller was made when the record changed; the rest is concatenation.
 */

import type { Channel, PrivateChannels } from '../contract/vocabulary.ts'
import type { Company, Investment, Round } from './company.ts'
import type { Person } from './person.ts'

/** A person on a list: with its company's full project record; channels stay null (contract). */
export function personItem(person: Person, unlocked: boolean): string {
  return `${personHead(person)}${companyField(person)}${personTail(person, unlocked, null)}}`
}

/** A team member or coworker: the list fields without `company` (D29). */
export function personMember(
  person: Person,
  unlocked: boolean,
  channels: PrivateChannels | null,
): string {
  return `${personHead(person)}${personTail(person, unlocked, channels)}}`
}

/** The person of the detail route: the list fields, then `roles`, `contactType`, `updatedAt` (D29). */
export function personDetail(
  person: Person,
  unlocked: boolean,
  channels: PrivateChannels | null,
): string {
  const updatedAt = new Date(person.updatedAt).toISOString()
  return `${personHead(person)}${companyField(person)}${personTail(person, unlocked, channels)},"roles":${JSON.stringify(person.roles)},"contactType":"${person.contactType}","updatedAt":"${updatedAt}"}`
}

/** `companyId` is written here, not kept in the fields: it must never name a company that is gone. */
function personHead({ fields, company }: Person): string {
  return `${fields.slice(0, -1)},"companyId":${company ? `"${company.id}"` : null}`
}

function companyField({ company }: Person): string {
  return `,"company":${company ? company.project : null}`
}

function personTail(person: Person, unlocked: boolean, revealed: PrivateChannels | null): string {
  const has = (channel: Channel) => person.channels.includes(channel)
  const createdAt = new Date(person.createdAt).toISOString()
  const flags = `"hasEmail":${has('email')},"hasPhone":${has('phone')},"hasTelegram":${has('telegram')},"hasLinkedin":${has('linkedin')}`
  const channels = revealed
    ? `"email":${text(revealed.email)},"phone":${text(revealed.phone)},"telegram":${text(revealed.telegram)},"linkedinUrl":${text(revealed.linkedinUrl)}`
    : '"email":null,"phone":null,"telegram":null,"linkedinUrl":null'
  return `,"createdAt":"${createdAt}","isLocked":${!unlocked},${flags},${channels}`
}

const text = (value: string | null) => (value === null ? 'null' : JSON.stringify(value))

/** A project or service record. */
export function projectItem(company: Company): string {
  return company.project
}

/** The project record and its `fundingRounds`, newest first (D30). */
export function projectDetail(company: Company): string {
  return `${company.project.slice(0, -1)},"fundingRounds":[${company.rounds.map(roundJson).join(',')}]}`
}

function roundJson({ fields, investors }: Round): string {
  const parts = investors.map(
    ({ investor, isLead }) =>
      `{"id":"${investor.id}","name":${JSON.stringify(investor.name)},"slug":"${investor.slug}","isLead":${isLead}}`,
  )
  return `{${fields},"investors":[${parts.join(',')}]}`
}

/** An investor record. `portfolioCount` is the length of its portfolio. */
export function investorItem(company: Company): string {
  if (!company.investor) throw new Error(`${company.slug} is not an investor`)
  const { before, after } = company.investor
  return `${before},"portfolioCount":${company.portfolio.length},${after}`
}

/** An investor's portfolio as a JSON array, newest first (D30). */
export function portfolio(company: Company): string {
  return `[${company.portfolio.map(portfolioRow).join(',')}]`
}

/** One of its rows. */
export function portfolioRow({ id, round, isLead }: Investment): string {
  return `{"investmentId":"${id}","company":${round.company.project},${round.fields},"isLead":${isLead}}`
}
