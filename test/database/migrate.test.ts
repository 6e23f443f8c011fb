/** The schema: how it comes into a database, and that its three descriptions say the same. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { migrate, SchemaTooNew } from '../../src/database/migrate.ts'
import { FUNCTION_REVISION, MIGRATIONS } from '../../src/database/migrations.ts'
import { PROJECT_ROOT, run, serve } from '../helpers/command.ts'
import { applyMigrations, type Databases, databases, schemaOf, withPool } from './schema.ts'

const NAMES = MIGRATIONS.map(({ name }) => name)

let made: Databases
beforeAll(async () => {
  made = await databases()
})
afterAll(() => made.drop())

describe('bringing a database to the schema', () => {
  test('Database: 20 instances that migrate at once leave one clean schema, each migration applied once', async () => {
    const url = await made.empty()
    const applied = await Promise.all(Array.from({ length: 20 }, () => withPool(url, migrate)))
    expect(await schemaOf(url)).toEqual(await schemaOf(made.migratedUrl))
    expect(applied.length).toBe(20)
  })

  test('Database: processes that migrate at once all end well', async () => {
    const url = await made.empty()
    const ended = await Promise.all(
      Array.from({ length: 4 }, () => run(['migrate', '--json'], { env: { DATABASE_URL: url } })),
    )
    for (const { code, stderr } of ended) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await schemaOf(url)).toEqual(await schemaOf(made.migratedUrl))
  })

  test('migrating names what it applied, and a second time applies nothing', async () => {
    const url = await made.empty()
    expect(await withPool(url, migrate)).toEqual(NAMES)
    expect(await withPool(url, migrate)).toEqual([])
  })

  test('what an upgrade applies is told with its time: in the log of a server, on stderr by a command', async () => {
    const last = NAMES.at(-1)
    const [served, commanded] = [await made.empty(), await made.empty()]
    for (const url of [served, commanded]) await applyMigrations(url, MIGRATIONS.slice(0, -1))
    const server = await serve({ DATABASE_URL: served })
    await server.stop()
    const lines = server.output.stderr.split('\n').filter((line) => line.includes('migrated'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 'info',
        message: 'migrated the database',
        migrations: [last],
        functions: FUNCTION_REVISION.number,
        milliseconds: expect.any(Number),
      },
    ])
    const { stderr } = await run(['account', 'list'], { env: { DATABASE_URL: commanded } })
    expect(stderr).toMatch(new RegExp(`^migrated the database in \\d+ ms: ${last}\n$`))
  })

  test('a database of a newer version is refused and left as it is', async () => {
    const url = await made.empty()
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
    const url = await made.empty()
    await applyMigrations(url, MIGRATIONS.slice(0, 3))
    const sql = postgres(url, { max: 1, onnotice: () => {} })
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

  test('Database: a migration that waits for a backup lets charges pass, and is applied when the backup ends', async () => {
    const url = await made.empty()
    const drops = MIGRATIONS.findIndex(({ name }) => name === '0006_to_0029')
    await applyMigrations(url, MIGRATIONS.slice(0, drops))
    const [backup, service] = [1, 2].map(() => postgres(url, { max: 1, onnotice: () => {} }))
    if (!backup || !service) throw new Error('two connections were asked for')
    try {
      await backup.unsafe('begin; select from ledger')
      const migrated = withPool(url, migrate)
      const waits = () =>
        service`select from pg_locks where not granted and relation = 'ledger'::regclass`
      while ((await waits()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      await service`set statement_timeout = 5000`
      await service`
        insert into ledger (account_id, at, kind, credits, balance_after)
        values (gen_random_uuid(), now(), 'grant', 1, 1)`
      await backup`rollback`
      expect(await migrated).toEqual(NAMES.slice(drops))
    } finally {
      await Promise.all([backup.end(), service.end()])
    }
  })

  test('a migration that fails leaves nothing of itself', async () => {
    const url = await made.empty()
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

  test('every file of drizzle/ stands in drizzle-kit’s journal, and the last has its snapshot', async () => {
    const meta = join(PROJECT_ROOT, 'drizzle/meta')
    const journal = JSON.parse(await readFile(join(meta, '_journal.json'), 'utf8'))
    expect(journal.entries.map((entry: { tag: string }) => entry.tag)).toEqual(NAMES)
    const snapshots = (await readdir(meta)).filter((file) => file.endsWith('_snapshot.json'))
    expect(snapshots).toEqual([`${NAMES.at(-1)?.slice(0, 4)}_snapshot.json`])
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
