/** The order of people on profiles: who leads a company comes first. Lists and the API have theirs. */
import type { Person } from '../../directory/records/person.ts'

const SENIOR_ROLES = ['founder', 'executive']

/** Founders, then executives, then all others; those alike stay in the order that they come in. */
export function bySeniority(a: Person, b: Person): number {
  return seniority(a) - seniority(b)
}

function seniority({ roles }: Person): number {
  const place = SENIOR_ROLES.findIndex((role) => roles.includes(role))
  return place < 0 ? SENIOR_ROLES.length : place
}
