/** What benches over HTTP need: a PostgreSQL with a filled directory, accounts that can pay, requests. */
import postgres from 'postgres'
import { generateApiKey, hashApiKey } from '../../src/accounts/api-key.ts'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { inventCompanies } from '../../src/demo/companies.ts'
import { inventPeople } from '../../src/demo/people.ts'
import { Chance } from '../../src/demo/random.ts'
import { importRows } from '../../src/import/import.ts'
import { type PostgresServer, startPostgres } from '../helpers/postgres.ts'
import type { LoadRequest } from './http-load.ts'

export interface BenchDatabase {
  server: PostgresServer
  url: string
  sql: postgres.Sql
  close(): Promise<void>
}

/** Seeds of the invented directory: the same rows in every run. */
export const COMPANIES_SEED = 1
export const PEOPLE_SEED = 2

/** A PostgreSQL of its own with default settings, so that every commit reaches the disk. */
export async function benchDatabase(people: number, companies: number): Promise<BenchDatabase> {
  const server = await startPostgres([], { durable: true })
  try {
    const url = await createDatabase(server, 'bench')
    const database = connect({ url, connections: 4 })
    await migrate(database)
    await fillDirectory(database, people, companies)
    await database.close()
    const sql = postgres(url, { max: 64, onnotice: () => {} })
    await sql`analyze`
    const close = async () => {
      await sql.end({ timeout: 1 })
      await server.stop()
    }
    return { server, url, sql, close }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** @returns its URL. */
export async function createDatabase(server: PostgresServer, name: string): Promise<string> {
  const admin = postgres(server.url('postgres'), { max: 1 })
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  return server.url(name)
}

async function fillDirectory(database: Database, people: number, companies: number) {
  const employers = [...inventCompanies(companies, COMPANIES_SEED)]
  await importRows(database, 'companies', employers)
  const types = employers.map(({ companyType }) => companyType)
  await importRows(database, 'people', inventPeople(people, PEOPLE_SEED, types))
}

/** Accounts of the team tier with more credits than a run can spend, each with one contact unlocked. */
export async function makeAccounts(
  sql: postgres.Sql,
  count: number,
): Promise<{ keys: string[]; accounts: string[] }> {
  const accounts = await sql<{ id: string }[]>`
    insert into accounts (name, email, tier, balance)
    select 'Bench', 'bench@example.com', 'team', 0 from generate_series(1, ${count}) returning id`
  const made = accounts.map(({ id }) => ({ id, ...generateApiKey() }))
  await sql`
    insert into api_keys (account_id, hash, prefix, label, scopes)
    select r.id, r.hash, r.prefix, 'bench', '{read:metadata,read:contacts}'
      from json_to_recordset(${JSON.stringify(made)}::text::json) as r(id uuid, hash text, prefix text)`
  await sql`select meter_grant(id, 'topup', 1000000, null, null) from accounts`
  await sql`
    insert into unlocks (account_id, person_id, at)
    select a.id, p.id, now()
      from (select id, row_number() over (order by id) as n from accounts) a
      join (select id, row_number() over (order by id) as n from people where has_email limit ${count}) p using (n)`
  await sql`update accounts set unlock_count = 1 where id in (select account_id from unlocks)`
  return { keys: made.map(({ key }) => key), accounts: accounts.map(({ id }) => id) }
}

/**
 * One request of each key: 40 % search, 30 % lists with filters, 20 % single reads and 10 % reads of
 * unlocked contacts, over the directory's first 5,000 people and companies.
 */
export async function makeMix(
  sql: postgres.Sql,
  keys: readonly string[],
  count: number,
): Promise<LoadRequest[]> {
  const people = await sql<{ name: string; id: string }[]>`
    select first_name || ' ' || last_name as name, id from people order by id limit 5000`
  const companies = await sql<{ name: string; slug: string; sector: string | null }[]>`
    select name, slug, sectors[1] as sector from companies order by id limit 5000`
  const unlocked = await sql<{ person: string; hash: string }[]>`
    select u.person_id as person, k.hash from unlocks u join api_keys k on k.account_id = u.account_id`
  const personOf = new Map(unlocked.map(({ hash, person }) => [hash, person]))
  const chance = new Chance(7)
  return Array.from({ length: count }, (_, number) => {
    const key = keys[number % keys.length] ?? ''
    const person = chance.pick(people)
    const company = chance.pick(companies)
    const search = (q: string) => `/v1/search?q=${encodeURIComponent(q)}`
    const sector = encodeURIComponent(company.sector ?? 'DeFi')
    const kinds = [
      () => search(person.name),
      () => search(person.name),
      () => search(company.name),
      () => search(company.name),
      () => `/v1/people?roles=founder&channels=email&page=${chance.between(1, 20)}`,
      () => `/v1/projects?sector=${sector}&sort=name&page=${chance.between(1, 3)}`,
      () => `/v1/projects?sector=${sector}&sort=name&page=${chance.between(1, 3)}`,
      () => `/v1/projects/${company.slug}`,
      () => `/v1/people/${person.id}`,
      () => `/v1/people/${personOf.get(hashApiKey(key)) ?? person.id}`,
    ]
    return {
      method: 'GET',
      path: chance.pick(kinds)(),
      headers: { authorization: `Bearer ${key}` },
    }
  })
}
