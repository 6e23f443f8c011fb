/**
 * The demo directory: invented companies, people and rounds, the same on every machine. Only the rounds' dates differ: they
 * end with the month before.
 */
import type { Database } from '../../database/client.ts'
import { importAll } from '../../intake/import/import.ts'
import { inventCompanies, inventRounds } from './companies.ts'
import { inventPeople } from './people.ts'

const SEED = 20_260
const COMPANIES = 340
const PEOPLE = 1_000

/** A company and its head with every private channel, for the first calls in the greeting. */
export const DEMO_COMPANY = { query: 'galaglow', slug: 'galaglow-labs' }
export const DEMO_PERSON = { slug: 'belen-pickleburrow' }

/** Imports the demo directory; doing it again in the same month changes nothing. */
export async function seedDemo(database: Database, now = new Date()): Promise<void> {
  const companies = [...inventCompanies(COMPANIES, SEED)]
  const employers = companies.map(({ companyType }) => companyType)
  const people = inventPeople(PEOPLE, SEED + 1, employers)
  const monthBefore = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0))
  const rounds = inventRounds(companies, SEED + 2, monthBefore)
  await importAll(database, { companies, people, rounds })
}
