/** Empty databases on a server of tests, and what is in them, as text that can be compared. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import postgres from 'postgres'
import { type Connection, connect, type Database } from '../../src/database/client.ts'
import { testDatabase } from '../helpers/postgres.ts'

export interface Databases {
  /** Of a database that the tests' own server was migrated for. */
  migratedUrl: string
  /** Makes a database with nothing in it. */
  empty(): Promise<string>
  /** Makes a database as version 1.6.0 left it: its functions came with its migrations. */
  ofVersion160(): Promise<string>
  /** Makes a database as the last unreleased build before the migrations became one left it, with rows in 18 tables. */
  of594230a(): Promise<string>
  drop(): Promise<void>
}

export async function databases(): Promise<Databases> {
  const migrated = await testDatabase()
  const urlOf = (name: string) =>
    Object.assign(new URL(migrated.url), { pathname: `/${name}` }).href
  const admin = postgres(urlOf('postgres'), { max: 1, onnotice: () => {} })
  const made: string[] = []
  const empty = async () => {
    const name = `empty_${crypto.randomUUID().replaceAll('-', '')}`
    await admin.unsafe(`create database ${name}`)
    made.push(name)
    return urlOf(name)
  }
  return {
    migratedUrl: migrated.url,
    empty,
    async ofVersion160() {
      const url = await empty()
      await applyMigrations(url, await migrationsOf160())
      return url
    },
    async of594230a() {
      const url = await empty()
      const sql = postgres(url, { max: 1, onnotice: () => {} })
      await fillAs594230a(sql)
      await sql.end()
      return url
    },
    async drop() {
      for (const name of made) await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
      await migrated.drop()
    },
  }
}

interface Migration {
  name: string
  sql: string
}

/** Reads a file of `earlier/`, without its `.br`. */
export async function earlierFile(name: string): Promise<Buffer> {
  return brotliDecompressSync(await readFile(join(import.meta.dirname, `earlier/${name}.br`)))
}

async function migrationsOf160(): Promise<Migration[]> {
  return JSON.parse(String(await earlierFile('migrations-1.6.0.json')))
}

interface EarlierDatabase {
  migrations: Migration[]
  functions: Migration[]
  revision: number
  hash: string
  rows: Record<string, unknown[]>
  sequences: Record<string, string>
}

/** Gives an empty database the tables, functions and rows that commit 594230a left. */
export async function fillAs594230a(sql: Connection['sql']): Promise<void> {
  const database: EarlierDatabase = JSON.parse(String(await earlierFile('database-594230a.json')))
  await recordMigrations(sql, database.migrations)
  for (const { sql: statements } of database.functions) await sql.unsafe(statements)
  await sql`create table chainkin_functions (revision integer primary key, hash text not null)`
  await sql`insert into chainkin_functions values (${database.revision}, ${database.hash})`
  await sql`select make_ledger_months()`
  await sql`set session_replication_role = replica`
  for (const [table, rows] of Object.entries(database.rows)) {
    await sql.unsafe(`delete from ${table}`)
    await sql.unsafe(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1::text::json)`,
      [JSON.stringify(rows)],
    )
  }
  for (const [name, last] of Object.entries(database.sequences)) {
    await sql`select setval(${name}::text::regclass, ${last}::text::bigint)`
  }
  await sql`set session_replication_role = origin`
}

/** Applies migrations as an earlier version did, and nothing else. */
export async function applyMigrations(url: string, migrations: readonly Migration[]) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await recordMigrations(sql, migrations)
  await sql.end()
}

async function recordMigrations(sql: Connection['sql'], migrations: readonly Migration[]) {
  await sql`
    create table chainkin_migrations (name text primary key, applied_at timestamptz not null default now())`
  for (const { name, sql: statements } of migrations) {
    await sql.unsafe(statements)
    await sql`insert into chainkin_migrations (name) values (${name})`
  }
}

export async function withPool<T>(
  url: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const pool = connect({ url, connections: 1, deadlineMs: 30_000 })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

/** Everything that migrations and functions make, as text; `records: false` leaves out which of them were recorded. */
export async function schemaOf(url: string, { records = true } = {}): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const parts = await Promise.all([
    sql`select table_name, column_name, data_type, is_nullable, column_default
          from information_schema.columns where table_schema = 'public' order by 1, 2`,
    // Names of NOT NULL depend on the way in which a partition was made; the columns above tell the same.
    sql`select conrelid::regclass::text as on, conname, pg_get_constraintdef(oid) as def
          from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`,
    sql`select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    sql`select oid::regprocedure::text as signature, pg_get_functiondef(oid) as def
          from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
    sql`select pg_get_triggerdef(oid) as def from pg_trigger where not tgisinternal order by 1`,
    ...(records
      ? [
          sql`select name from chainkin_migrations order by 1`,
          sql`select * from chainkin_functions order by 1`,
        ]
      : []),
  ])
  await sql.end()
  return JSON.stringify(parts)
}
