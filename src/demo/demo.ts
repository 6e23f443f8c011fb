/** The demo directory: invented companies, people and rounds, the same on every machine. */
import type { Database } from '../database/client.ts'
import { importRows } from '../import/import.ts'
import { inventCompanies, inventRounds } from './companies.ts'
import { inventPeople } from './people.ts'

const SEED = 20_260
const COMPANIES = 340
const PEOPLE = 1_000

/** A company and its head, who has every private channel: what a first call may ask for. */
export const DEMO_COMPANY = { query: 'galaglow', slug: 'galaglow-labs' }
export const DEMO_PERSON = { slug: 'belen-pickleburrow' }

/** Imports the demo directory; doing it again changes nothing. @returns how many of each there are. */
export async function seedDemo(database: Database) {
  const companies = [...inventCompanies(COMPANIES, SEED)]
  const employers = companies.map(({ companyType }) => companyType)
  const stored = {
    companies: await importRows(database, 'companies', companies),
    people: await importRows(database, 'people', inventPeople(PEOPLE, SEED + 1, employers)),
    rounds: await importRows(database, 'rounds', inventRounds(companies, SEED + 2)),
  }
  for (const [kind, { refused, refusals }] of Object.entries(stored)) {
    const [first] = refusals
    if (refused > 0) throw new Error(`demo ${kind}: ${first?.field}: ${first?.reason}`)
  }
  return {
    companies: stored.companies.read,
    people: stored.people.read,
    rounds: stored.rounds.read,
  }
}
