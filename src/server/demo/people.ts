/** Invented people, as rows for the import. Channels are at example.com or marked as examples. */

import type { CompanyType } from '../../contract/vocabulary.ts'
import { companyKey, handleOf, personName } from './companies.ts'
import { Chance } from './random.ts'
import { ANALYST_TITLES, CREATOR_TITLES, LONER_TITLES, OTHER_SCRIPTS, TITLES } from './words.ts'

/** Types of the companies that people work for, by their position in `inventCompanies`. */
type Employers = readonly CompanyType[]

type Occupation = 'employee' | 'loner' | 'analyst' | 'creator'
const OCCUPATIONS: readonly (readonly [Occupation, number])[] = [
  ['employee', 84],
  ['loner', 6],
  ['analyst', 6],
  ['creator', 4],
]

/** `count` people; the same for the same seed, and the first n of them whatever the count. */
export function* inventPeople(count: number, seed: number, employers: Employers = []) {
  const chance = new Chance(seed)
  for (let position = 0; position < count; position++) {
    yield inventPerson(chance, position, employers)
  }
}

function inventPerson(chance: Chance, position: number, employers: Employers) {
  const otherScript = chance.happens(0.02)
  const [firstName = '', lastName = ''] = otherScript
    ? chance.pick(OTHER_SCRIPTS)
    : personName(chance)
  const word = otherScript ? `example${position}` : (firstName + lastName).toLowerCase()
  const created = chance.time('2023-01-09', '2025-06-30')
  const occupation = chance.weighted(OCCUPATIONS)
  const isCreator = occupation === 'creator'
  return {
    id: chance.id(created),
    externalId: `demo:person:${position}`,
    firstName,
    lastName,
    ...work(chance, position, occupation, employers),
    twitterHandle: !otherScript && chance.happens(0.75) ? handleOf(word) : null,
    avatarUrl: chance.happens(0.6) ? `https://avatars.example/${position}.png` : null,
    isCreator,
    creatorFollowerCount: isCreator ? Math.floor(10 ** (3 + 3 * chance.next())) : null,
    contactType: occupation === 'analyst' || isCreator ? 'analyst' : 'team',
    ...channels(chance, position, word),
    createdAt: created.toISOString(),
  }
}

/** Jobs: the first people lead a company each, the rest work anywhere. */
function work(chance: Chance, position: number, occupation: Occupation, employers: Employers) {
  const employer = position < employers.length ? position : chance.between(0, employers.length - 1)
  const titles = TITLES[employers[employer] ?? 'project'] ?? []
  if (position < employers.length) return { jobTitle: titles[0], company: companyKey(employer) }
  if (occupation === 'analyst') return { jobTitle: chance.pick(ANALYST_TITLES), company: null }
  if (occupation === 'creator') return { jobTitle: chance.pick(CREATOR_TITLES), company: null }
  if (occupation === 'loner') return { jobTitle: chance.pick(LONER_TITLES), company: null }
  const company = employers.length > 0 ? companyKey(employer) : null
  return { jobTitle: chance.pick(titles), company }
}

/** Private channels: most people have several, one in eight has none. */
function channels(chance: Chance, position: number, word: string) {
  if (chance.happens(0.125)) return {}
  return {
    email: chance.happens(0.85) ? `${word}.${position}@example.com` : null,
    telegram: chance.happens(0.65) ? `example_${word.slice(0, 14)}_${position}` : null,
    linkedinUrl: chance.happens(0.6)
      ? `https://www.linkedin.com/in/example-${word}-${position}`
      : null,
    // 555-0100 to 555-0199 are kept for fiction.
    phone: chance.happens(0.35)
      ? `+1-555-01${String(chance.between(0, 99)).padStart(2, '0')}`
      : null,
  }
}
