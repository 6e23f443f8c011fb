/** What the search benchmark searches: the real companies, and people drawn from a seed. */
import { readFileSync } from 'node:fs'
import type { CompanyRow, PersonRow } from '../../src/directory/records/rows.ts'
import { domain, ticker, xHandle } from '../../src/intake/import/fields/links.ts'
import type { Cleaner } from '../../src/intake/import/fields/values.ts'
import { Chance } from '../../src/server/demo/random.ts'
import { companyRow, personRow } from '../directory/records/fixtures.ts'
import { TRANSCRIBED } from './search-queries.ts'

export const COMPANIES_FILE = new URL('../../../shared/data/companies.jsonl', import.meta.url)

/** What isn't fit for a field counts as nothing there, as in an import. */
function cleaned(cleaner: Cleaner, value: unknown): string | null {
  try {
    const result = cleaner(value)
    return typeof result === 'string' ? result : null
  } catch {
    return null
  }
}

const text = (value: unknown) => (typeof value === 'string' && value.trim() ? value.trim() : null)

/** Ids as a time-ordered UUID would be: their order is the order of the file. */
const uuid = (kind: string, number: number) =>
  `0193${kind}-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

export function realCompanies(): CompanyRow[] {
  const lines = readFileSync(COMPANIES_FILE, 'utf8').trim().split('\n')
  return lines.map((line, number) => {
    const row: Record<string, unknown> = JSON.parse(line)
    return companyRow({
      id: uuid('c000', number),
      slug: `company-${number}`,
      name: (text(row.name) ?? 'Unnamed').replace(/\s+/g, ' '),
      ticker: cleaned(ticker, row.ticker),
      domain: cleaned(domain, row.domain),
      sectors: Array.isArray(row.sectors) ? row.sectors.map(String) : [],
      chains: Array.isArray(row.chains) ? row.chains.map(String) : [],
      logoUrl: text(row.logoUrl),
      twitterHandle: cleaned(xHandle, row.twitterHandle),
      communityLink: text(row.communityLink),
      discordUrl: text(row.discordUrl),
      linkedinUrl: text(row.linkedinUrl),
      tokenLaunched: typeof row.tokenLaunched === 'boolean' ? row.tokenLaunched : null,
      aiSummary: text(row.aiSummary),
      createdAt: Date.UTC(2024, 0, 1) + number * 60_000,
    })
  })
}

const words = (list: string) => list.trim().split(/\s+/)
const FIRST = words(`
  James Mary Wei Olga Ahmed Fatima Juan María Yuki Hiroshi Priya Arjun Lars Ingrid Pierre Chloé Luca
  Giulia João Ana Mohamed Aisha David Sarah Daniel Emma Michael Olivia Alexander Sofia Ivan Natalia Chen
  Ling Minh Linh Kwame Ama Tomasz Zofia José Camila Andrés Lucía Björn Freja Elias Noah Liam Ethan Grace
  Hannah Leo Maya Omar Layla Raj Anika Kenji Sakura Jin Soo Viktor Elena Nikolai Katya Marco Paolo Rosa`)
const LAST = words(`
  Smith Johnson Wang Li Kim Nguyen Garcia Martinez Silva Santos Müller Schmidt Ivanov Petrov Tanaka Sato
  Singh Kumar Patel Ali Khan Hassan Cohen Levy Rossi Ferrari Dubois Lefèvre Jansen Andersson Nowak Kowalski
  O'Brien Murphy Papadopoulos Yılmaz Okafor Mensah Chen Zhang Liu Park Choi Lopez Hernández Gonzalez Brown`)
const SYLLABLES = words(`
  ba be bo bra ca ce cha chi da de dor el en fa fe fin ga gor ha hel hol in ja jo ka kel ki kos la len li lo
  ma mar me mi mon na ne ni no o or pa per pol ra ren ri ro sa sen shi so sta ta te tor tu va vel vi wa wen
  ya yo za zel zi`)
const TITLES = [
  'Founder',
  'Co-Founder & CEO',
  'CTO',
  'Head of Growth',
  'Partner',
  'General Partner',
  'Smart Contract Engineer',
  'Senior Software Engineer',
  'Protocol Researcher',
  'Community Manager',
  'Marketing Lead',
  'Head of Business Development',
  'Product Manager',
  'Chief Operating Officer',
  'Legal Counsel',
  'DevRel Engineer',
  'Investment Analyst',
  'Advisor',
]

function invented(chance: Chance, least: number, most: number): string {
  let name = ''
  for (let left = chance.between(least, most); left > 0; left--) name += chance.pick(SYLLABLES)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** People with common and rare names: a third of the first and a fifth of the last names are shared by many. */
export function inventedPeople(
  count: number,
  companies: readonly CompanyRow[],
  seed = 1,
): PersonRow[] {
  const chance = new Chance(seed)
  const firstNames = Array.from({ length: 2_000 }, () => invented(chance, 2, 3))
  const lastNames = Array.from({ length: 20_000 }, () => invented(chance, 2, 4))
  return Array.from({ length: count }, (_, number) => {
    const firstName = chance.happens(0.33) ? chance.pick(FIRST) : chance.pick(firstNames)
    const lastName = chance.happens(0.2) ? chance.pick(LAST) : chance.pick(lastNames)
    const base = `${firstName}${chance.pick(['', '_', ''])}${lastName}`.replace(/[^A-Za-z_]/g, '')
    const twitterHandle = chance.happens(0.8)
      ? `${base.slice(0, 12)}${chance.pick(['', chance.between(1, 99)])}`
      : null
    return {
      id: uuid('d000', number),
      slug: `person-${number}`,
      firstName,
      lastName,
      jobTitle: chance.pick(TITLES),
      twitterHandle,
      avatarUrl: twitterHandle && `https://images.example/${twitterHandle}.png`,
      isCreator: chance.happens(0.1),
      creatorFollowerCount: chance.happens(0.5) ? Math.floor(10 ** (chance.next() * 6)) : null,
      companyId: chance.happens(0.9) ? chance.pick(companies).id : null,
      contactType: chance.happens(0.2) ? 'analyst' : 'team',
      roles: [chance.pick(['founder', 'executive', 'engineering', 'marketing', 'other'])],
      hasEmail: chance.happens(0.6),
      hasPhone: chance.happens(0.1),
      hasTelegram: chance.happens(0.5),
      hasLinkedin: chance.happens(0.4),
      createdAt: Date.UTC(2024, 0, 1) + number * 1_000,
      updatedAt: Date.UTC(2024, 0, 1) + number * 1_000,
    }
  })
}

/** People by the five words of their legal names: three given ones and two of their families. */
export function peopleByLegalName(count: number, seed = 2): PersonRow[] {
  const chance = new Chance(seed)
  const word = () =>
    chance.happens(0.33) ? chance.pick([...FIRST, ...LAST]) : invented(chance, 2, 4)
  return Array.from({ length: count }, (_, number) => {
    const name = Array.from({ length: 5 }, word).join(' ')
    return personRow(name, { id: uuid('f000', number), jobTitle: 'Director' })
  })
}

/** A person for every second name with a form in another script, by that form; for the others by the name. */
export function transcribedPeople(): PersonRow[] {
  return TRANSCRIBED.map(([name, form], number) =>
    personRow(number % 2 === 0 ? name : form, { id: uuid('e000', number), jobTitle: 'Founder' }),
  )
}
