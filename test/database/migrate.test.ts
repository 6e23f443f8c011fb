/** The schema: how it comes into a database, and that its three descriptions say the same. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { connect, type Database } from '../../src/database/client.ts'
import { migrate, SchemaTooNew } from '../../src/database/migrate.ts'
import { MIGRATIONS } from '../../src/database/migrations.ts'
import { PROJECT_ROOT, run } from '../helpers/command.ts'
import { type TestDatabase, testDatabase } from '../helpers/postgres.ts'

setDefaultTimeout(30_000)

const NAMES = MIGRATIONS.map(({ name }) => name)

let test1: TestDatabase
let admin: postgres.Sql
const made: string[] = []

beforeAll(async () => {
  test1 = await testDatabase()
  admin = postgres(urlOf('postgres'), { max: 1, onnotice: () => {} })
})

afterAll(async () => {
  for (const name of made) await admin.unsafe(`drop database ${name} with (force)`)
  await admin.end()
  await test1.drop()
})

function urlOf(name: string): string {
  const url = new URL(test1.url)
  url.pathname = `/${name}`
  return url.href
}

/** A database with nothing in it. */
async function emptyDatabase(): Promise<string> {
  const name = `empty_${crypto.randomUUID().replaceAll('-', '')}`
  await admin.unsafe(`create database ${name}`)
  made.push(name)
  return urlOf(name)
}

async function withPool<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const pool = connect({ url, connections: 1, deadlineMs: 30_000 })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

/** Everything that the migrations make, as text. */
async function schemaOf(url: string): Promise<unknown> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const parts = await Promise.all([
    sql`select table_name, column_name, data_type, is_nullable, column_default
          from information_schema.columns where table_schema = 'public' order by 1, 2`,
    sql`select conrelid::regclass::text as on, conname, pg_get_constraintdef(oid) as def
          from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`,
    sql`select indexdef from pg_indexes where schemaname = 'public' order by 1`,
    sql`select proname, md5(prosrc || coalesce(pg_get_function_sqlbody(oid), '')) as body
          from pg_proc where pronamespace = 'public'::regnamespace order by 1, 2`,
    sql`select tgname, tgrelid::regclass::text as on from pg_trigger where not tgisinternal order by 1, 2`,
    sql`select name from chainkin_migrations order by 1`,
  ])
  await sql.end()
  return JSON.stringify(parts)
}

describe('bringing a database to the schema', () => {
  test('Database: 20 instances that migrate at once leave one clean schema, each migration applied once', async () => {
    const url = await emptyDatabase()
    const applied = await Promise.all(Array.from({ length: 20 }, () => withPool(url, migrate)))
    expect(await schemaOf(url)).toEqual(await schemaOf(test1.url))
    expect(applied.length).toBe(20)
  })

  test('Database: processes that migrate at once all end well', async () => {
    const url = await emptyDatabase()
    const ended = await Promise.all(
      Array.from({ length: 4 }, () => run(['migrate', '--json'], { env: { DATABASE_URL: url } })),
    )
    for (const { code, stderr } of ended) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await schemaOf(url)).toEqual(await schemaOf(test1.url))
  })

  test('migrating names what it applied, and a second time applies nothing', async () => {
    const url = await emptyDatabase()
    expect(await withPool(url, migrate)).toEqual(NAMES)
    expect(await withPool(url, migrate)).toEqual([])
  })

  test('a database of a newer version is refused and left as it is', async () => {
    const url = await emptyDatabase()
    await withPool(url, async (pool) => {
      await migrate(pool)
      await pool.use(
        ({ sql }) => sql`insert into chainkin_migrations (name) values ('9999_future')`,
      )
      const before = await schemaOf(url)
      const error = await migrate(pool).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(SchemaTooNew)
      expect(String(error)).toContain('9999_future')
      expect(await schemaOf(url)).toEqual(before)
    })
  })

  test('accounts of an earlier version get what newer ones begin with: a referral code, and a credential for the web', async () => {
    const url = await emptyDatabase()
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    const before = MIGRATIONS.slice(0, 3)
    await sql`create table chainkin_migrations (name text primary key, applied_at timestamptz not null default now())`
    for (const { name, sql: statements } of before) {
      await sql.unsafe(statements)
      await sql`insert into chainkin_migrations (name) values (${name})`
    }
    await sql`insert into accounts (name, email) values ('Ada', 'ada@example.com'), ('Bob', 'bob@example.com')`
    await withPool(url, migrate)
    await sql`insert into accounts (name, email) values ('Cleo', 'cleo@example.com')`
    const rows = await sql`
      select a.name, k.environment, r.code ~ '^[0-9a-f]{12}$' as coded
        from accounts a left join api_keys k on k.id = a.id left join referrals r on r.account_id = a.id
       order by a.name`
    await sql.end()
    expect(rows.map(({ name, environment, coded }) => [name, environment, coded])).toEqual(
      ['Ada', 'Bob', 'Cleo'].map((name) => [name, 'web', true]),
    )
  })

  test('a migration that fails leaves nothing of itself', async () => {
    const url = await emptyDatabase()
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    // The last table's name is taken, so the statement fails after most of it was done.
    await sql`create table change_log (other integer)`
    const error = await withPool(url, migrate).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('change_log')
    const tables = await sql`select tablename from pg_tables where schemaname = 'public'`
    await sql.end()
    expect(tables.map(({ tablename }) => tablename)).toEqual(['change_log'])
  })
})

describe('the three descriptions of the schema', () => {
  test('every file of drizzle/ is embedded, as it stands and in order', async () => {
    const files = (await readdir(join(PROJECT_ROOT, 'drizzle'))).filter((f) => f.endsWith('.sql'))
    expect(NAMES).toEqual(files.sort().map((file) => file.replace(/\.sql$/, '')))
    for (const { name, sql } of MIGRATIONS) {
      expect(sql).toBe(await readFile(join(PROJECT_ROOT, 'drizzle', `${name}.sql`), 'utf8'))
    }
  })

  test('every file of drizzle/ stands in drizzle-kit’s journal with a snapshot', async () => {
    const meta = join(PROJECT_ROOT, 'drizzle/meta')
    const journal = JSON.parse(await readFile(join(meta, '_journal.json'), 'utf8'))
    expect(journal.entries.map((entry: { tag: string }) => entry.tag)).toEqual(NAMES)
    const snapshots = (await readdir(meta)).filter((file) => file.endsWith('_snapshot.json'))
    expect(snapshots.length).toBe(NAMES.length)
  })

  test('src/database/tables says what the migrations make: drizzle-kit finds nothing to generate', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'chainkin-drizzle-'))
    try {
      await cp(join(PROJECT_ROOT, 'drizzle'), join(copy, 'drizzle'), { recursive: true })
      const before = await readdir(join(copy, 'drizzle'))
      const output = await drizzleKitGenerate(join(copy, 'drizzle'))
      expect(output).toContain('No schema changes')
      expect(await readdir(join(copy, 'drizzle'))).toEqual(before)
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
  })
})

function drizzleKitGenerate(out: string): Promise<string> {
  const kit = join(PROJECT_ROOT, 'node_modules/drizzle-kit/bin.cjs')
  const schema = 'src/database/tables'
  const args = [kit, 'generate', '--dialect', 'postgresql', '--schema', schema, '--out', out]
  // It wants the folder relative to where it runs.
  const relative = args.map((arg) => (arg === out ? pathFrom(PROJECT_ROOT, out) : arg))
  const child = spawn(process.execPath, relative, { cwd: PROJECT_ROOT })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    output += String(chunk)
  })
  return new Promise((resolve) => child.once('close', () => resolve(output)))
}

function pathFrom(root: string, path: string): string {
  return `${'../'.repeat(root.split('/').length - 1)}${path.slice(1)}`
}
