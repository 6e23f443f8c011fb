/**
 * Brings a database to this build's schema: one statement, so that it happens whole or not at all,
 * under an advisory lock, so that any number of instances may start at once.
 */

import type { Database } from './client.ts'
import { MIGRATIONS } from './migrations.ts'

/** Any constant will do, as long as nothing else in the database locks it. */
const MIGRATION_LOCK = 0x6368_6b6e

const MIGRATION_DEADLINE_MS = 60_000

/** The database holds migrations that this build doesn't know. */
export class SchemaTooNew extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `the database was migrated by a newer version of this program (${unknown.join(', ')}): start that version, or an even newer one`,
    )
    this.name = 'SchemaTooNew'
  }
}

/**
 * Applies what is missing.
 * @returns the names of the migrations that this call applied.
 * @throws SchemaTooNew
 */
export async function migrate(database: Database): Promise<string[]> {
  return database.use(
    async ({ sql }) => {
      const before = await appliedMigrations(sql)
      const unknown = unknownOf(before)
      if (unknown.length > 0) throw new SchemaTooNew(unknown)
      const missing = MIGRATIONS.filter(({ name }) => !before.includes(name))
      if (before.length > 0) await dateImage(sql)
      if (missing.length === 0) return []
      await sql.unsafe(migrationStatement(missing))
      return missing.map(({ name }) => name)
    },
    { deadlineMs: MIGRATION_DEADLINE_MS },
  )
}

type Sql = Parameters<Parameters<Database['use']>[0]>[0]['sql']

async function appliedMigrations(sql: Sql): Promise<string[]> {
  const [table] = await sql`select to_regclass('chainkin_migrations') is not null as exists`
  if (!table?.exists) return []
  const rows = await sql<{ name: string }[]>`select name from chainkin_migrations order by name`
  return rows.map(({ name }) => name)
}

/**
 * The prepared image leaves open when its migrations ran: for a database that is made of it, that is now.
 * So each has a beginning of its own, by which they are told apart.
 */
async function dateImage(sql: Sql): Promise<void> {
  await sql`
    update chainkin_migrations set applied_at = clock_timestamp() where not isfinite(applied_at)`
}

/** What `migrate` would have to do, without doing it. */
export async function migrationState(
  database: Database,
): Promise<{ missing: string[]; unknown: string[] }> {
  const applied = await database.use(({ sql }) => appliedMigrations(sql))
  return {
    missing: MIGRATIONS.map(({ name }) => name).filter((name) => !applied.includes(name)),
    unknown: unknownOf(applied),
  }
}

function unknownOf(applied: readonly string[]): string[] {
  return applied.filter((name) => !MIGRATIONS.some((known) => known.name === name))
}

/** A DO block that locks, then applies each migration that another instance has not applied meanwhile. */
function migrationStatement(missing: readonly { name: string; sql: string }[]): string {
  const steps = missing.map(
    ({ name, sql }) => `
  if not exists (select from chainkin_migrations where name = '${name}') then
    execute $migration$${sql}$migration$;
    insert into chainkin_migrations (name) values ('${name}');
  end if;`,
  )
  return `do $migrations$
begin
  perform pg_advisory_xact_lock(${MIGRATION_LOCK});
  create table if not exists chainkin_migrations (
    name text primary key,
    applied_at timestamptz not null default now()
  );${steps.join('')}
end
$migrations$`
}
