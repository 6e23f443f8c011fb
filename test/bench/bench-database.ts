/** What benches over HTTP need: a PostgreSQL with a filled directory, accounts that can pay, requests. */
import postgres from 'postgres'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate } from '../../src/database/migrate.ts'
import { FUNCTION_REVISION } from '../../src/database/migrations.ts'
import { importRows } from '../../src/intake/import/import.ts'
import { generateApiKey } from '../../src/money/accounts/api-key.ts'
import { inventCompanies } from '../../src/server/demo/companies.ts'
import { inventPeople } from '../../src/server/demo/people.ts'
import { type PostgresServer, startPostgres } from '../helpers/postgres.ts'

export interface BenchDatabase {
  server: PostgresServer
  url: string
  sql: postgres.Sql
  /** Copies the database as it is now; nothing may run on it meanwhile. @returns the copy's URL */
  clone(name: string): Promise<string>
  close(): Promise<void>
}

/** Seeds of the invented directory: the same rows in every run. */
export const COMPANIES_SEED = 1
export const PEOPLE_SEED = 2

/**
 * A filled database on a PostgreSQL of its own with default settings, so that every commit reaches the disk.
 * `BENCH_DATABASE_URL` names another server, by a superuser's address: the records stay there, in a database of which
 * each run takes a copy, `bench`, so that the next run need not fill one.
 */
export async function benchDatabase(people: number, companies: number): Promise<BenchDatabase> {
  const named = process.env.BENCH_DATABASE_URL
  const server = named ? await namedServer(named) : await startPostgres([], { durable: true })
  try {
    // Other functions in SQL can't always follow those that an unreleased build left: they get records of their own.
    const revision = FUNCTION_REVISION.hash
    const records = named ? `bench_${people}_${companies}_${revision}` : 'bench'
    if (!(await hasDatabase(server, records))) {
      const database = connect({ url: await createDatabase(server, records), connections: 4 })
      await migrate(database)
      await fillDirectory(database, people, companies)
      await database.close()
    }
    const url = named ? await createDatabase(server, 'bench', records) : server.url(records)
    const sql = postgres(url, { max: 64, onnotice: () => {} })
    await sql`analyze`
    const clone = (name: string) => createDatabase(server, name, 'bench')
    const close = async () => {
      await sql.end({ timeout: 1 })
      await server.stop()
    }
    return { server, url, sql, clone, close }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** A server that runs already, by a superuser's address. It is neither stopped nor crashed. */
export async function namedServer(address: string): Promise<PostgresServer> {
  const url = (name: string) => new URL(`/${name}`, address).href
  const admin = postgres(url('postgres'), { max: 1 })
  const [row] = await admin`select pg_read_file('postmaster.pid') as pid`
  await admin.end()
  const refuse = async () => {
    throw new Error('this bench crashes its PostgreSQL: run it without BENCH_DATABASE_URL')
  }
  return {
    url,
    pid: Number.parseInt(row?.pid, 10),
    crash: refuse,
    restart: refuse,
    stop: async () => {},
  }
}

/** Whether the server has a database of this name. */
export async function hasDatabase(server: PostgresServer, name: string): Promise<boolean> {
  const admin = postgres(server.url('postgres'), { max: 1 })
  const found = await admin`select from pg_database where datname = ${name}`
  await admin.end()
  return found.length > 0
}

/**
 * Makes a database anew.
 * @param template a database that is copied; its connections are ended, and open again when next used.
 * @returns its URL
 */
export async function createDatabase(
  server: PostgresServer,
  name: string,
  template = 'template1',
): Promise<string> {
  const admin = postgres(server.url('postgres'), { max: 1, onnotice: () => {} })
  await admin.unsafe(`drop database if exists ${name} with (force)`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${template}`
  await admin.unsafe(`create database ${name} template ${template}`)
  await admin.end()
  return server.url(name)
}

async function fillDirectory(database: Database, people: number, companies: number) {
  const employers = [...inventCompanies(companies, COMPANIES_SEED)]
  await importRows(database, 'companies', employers)
  const types = employers.map(({ companyType }) => companyType)
  await importRows(database, 'people', inventPeople(people, PEOPLE_SEED, types))
}

/**
 * Accounts of the team tier with more credits than a run can spend, each with one contact unlocked. The number n has the
 * id that ends with n in hexadecimal, so that a script of pgbench can name it.
 */
export async function makeAccounts(
  sql: postgres.Sql,
  count: number,
): Promise<{ keys: string[]; accounts: string[] }> {
  const accounts = await sql<{ id: string }[]>`
    insert into accounts (id, name, email, tier, balance)
    select lpad(to_hex(n), 32, '0')::uuid, 'Bench', 'bench@example.com', 'team', 0
      from generate_series(1, ${count}) as n returning id`
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
