/** Rows for tests: what a test says, the rest filled in. */
import { randomUUID } from 'node:crypto'
import type postgres from 'postgres'
import type { CompanyRow, PersonRow, RoundRow } from '../../../src/directory/records/rows.ts'
import { Store } from '../../../src/directory/records/store.ts'

export function companyRow(given: Partial<CompanyRow> & { name: string }): CompanyRow {
  const id = given.id ?? randomUUID()
  return {
    id,
    slug: `c-${id}`,
    companyType: 'project',
    ticker: null,
    domain: null,
    sectors: [],
    chains: [],
    size: null,
    logoUrl: null,
    twitterHandle: null,
    communityLink: null,
    discordUrl: null,
    linkedinUrl: null,
    tokenLaunched: null,
    tokenLink: null,
    aiSummary: null,
    followers: null,
    handleHistory: [],
    twitterRisk: null,
    lifecycle: null,
    fundType: null,
    entityKind: null,
    fundAllTimeRoiPct: null,
    trustTier: null,
    trustTierRank: null,
    altRoles: [],
    createdAt: Date.UTC(2025, 0, 1),
    ...given,
  }
}

/** @param name first name, then the rest as the last name. */
export function personRow(name: string, given: Partial<PersonRow> = {}): PersonRow {
  const id = given.id ?? randomUUID()
  const [firstName = null, ...rest] = name.split(' ')
  return {
    id,
    slug: `p-${id}`,
    firstName,
    lastName: rest.join(' ') || null,
    jobTitle: null,
    twitterHandle: null,
    avatarUrl: null,
    isCreator: false,
    creatorFollowerCount: null,
    companyId: null,
    contactType: 'team',
    roles: [],
    hasEmail: false,
    hasPhone: false,
    hasTelegram: false,
    hasLinkedin: false,
    createdAt: Date.UTC(2025, 0, 1),
    updatedAt: Date.UTC(2025, 0, 1),
    ...given,
  }
}

/** A store that holds these rows, put as a load puts them: their texts stand on pages. */
export function storeOf(rows: {
  companies?: CompanyRow[]
  people?: PersonRow[]
  rounds?: RoundRow[]
}) {
  const store = new Store()
  const byId = <R extends { id: string }>(list: R[] = []) =>
    new Map(list.map((row) => [row.id, row]))
  store.apply({
    companies: byId(rows.companies),
    rounds: byId(rows.rounds),
    people: byId(rows.people),
    isLoaded: true,
  })
  return store
}

/** Inserts a company with a name and, for the rest, the table's defaults. @returns its id. */
export async function insertCompany(
  sql: postgres.Sql,
  name: string,
  companyType = 'project',
): Promise<string> {
  const id = randomUUID()
  await sql`insert into companies (id, slug, name, company_type)
    values (${id}, ${`c-${id}`}, ${name}, ${companyType})`
  return id
}

export async function insertPerson(
  sql: postgres.Sql,
  firstName: string,
  companyId: string | null = null,
): Promise<string> {
  const id = randomUUID()
  await sql`insert into people (id, slug, first_name, last_name, company_id)
    values (${id}, ${`p-${id}`}, ${firstName}, 'Example', ${companyId})`
  return id
}
