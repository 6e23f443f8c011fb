/**
 * Brings a database to this build's schema and functions: in one statement, so that it happens whole or not
 * at all, under an advisory lock, so that any number of instances may start at once. `drizzle/README.md` says
 * how two versions of the service work on one database meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { DataDirError, SchemaTooNew } from '../start-errors.ts'
import { type Connection, type Database, DatabaseUnavailable, errorCode } from './client.ts'
import { HOW_TO_BEGIN } from './data-dir.ts'
import { makeLedgerMonths, prepareLedger } from './ledger-months.ts'
import {
  CHARGED_TABLES,
  currentNames,
  FUNCTION_REVISION,
  FUNCTIONS,
  MIGRATIONS,
  unknownFunctions,
} from './migrations.ts'
import { scalar } from './scalar.ts'

export { SchemaTooNew }

/** Advisory lock: a number that nothing else in the database locks. */
const MIGRATION_LOCK = 0x6368_6b6e

/** The migration before which a long ledger is prepared. */
const LEDGER_MONTHS = '0006_to_0029'

const MIGRATION_DEADLINE_MS = 60_000

/**
 * Longest wait of a migration for a table. Whoever comes later waits behind it, charges of running instances included,
 * so it gives up soon, lets them pass, and tries again.
 */
const LOCK_TIMEOUT_MS = 500
const LOCK_PAUSE_MS = 1_000
const LOCK_NOT_AVAILABLE = '55P03'

const { number: REVISION, hash: REVISION_HASH } = FUNCTION_REVISION

/** Result of migrating a database. */
export interface Migrated {
  /** Names of the migrations that were applied. */
  migrations: readonly string[]
  /** The revision of the functions, where they were applied. */
  functions?: number
  milliseconds: number
  /** True if the database was empty. */
  isNew: boolean
}

/**
 * Applies the migrations that are missing, then the functions where this build's are newer. An instance of an
 * older build leaves newer functions as they are.
 * @param mustExist whether to refuse a database without tables
 * @param onMigrated called where anything was applied
 * @returns the names of the migrations that this call applied. @throws SchemaTooNew, DataDirError
 */
export async function migrate(
  database: Database,
  {
    mustExist = false,
    onMigrated,
  }: { mustExist?: boolean; onMigrated?: ((migrated: Migrated) => void) | undefined } = {},
): Promise<string[]> {
  const startedMs = performance.now()
  const deadline = { deadlineMs: MIGRATION_DEADLINE_MS }
  const { isNew, missing, isOutdated, unknown } = await database.use(
    ({ sql }) => stateOf(sql),
    deadline,
  )
  if (unknown.length > 0) throw new SchemaTooNew(unknown)
  if (isNew && mustExist) {
    throw new DataDirError(`the database of DATABASE_URL is empty: ${HOW_TO_BEGIN}`)
  }
  const names = missing.map(({ name }) => name)
  if (!isNew && names.includes(LEDGER_MONTHS)) await prepareLedger(database)
  await database.use(async ({ sql }) => {
    if (!isNew) await dateImage(sql)
    if (missing.length > 0 || isOutdated) await apply(sql, missing)
  }, deadline)
  if (!isNew && isOutdated) await clearLinkedinPages(database).catch(passing)
  await makeLedgerMonths(database).catch(passing)
  if (names.length > 0 || isOutdated) {
    const milliseconds = Math.round(performance.now() - startedMs)
    const functions = isOutdated ? { functions: REVISION } : {}
    onMigrated?.({ migrations: names, ...functions, milliseconds, isNew })
  }
  return names
}

/** Ignores tables that are in use for long: housekeeping makes the months, the next upgrade or import clears the pages. */
function passing(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) throw error
}

/** Applies all of it or nothing. Tries again where a table is in use, until the deadline ends the connection. */
async function apply(sql: Connection['sql'], missing: typeof MIGRATIONS): Promise<void> {
  for (;;) {
    try {
      await sql.unsafe(migrationStatement(missing))
      return
    } catch (error) {
      if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error
      await pause(LOCK_PAUSE_MS)
    }
  }
}

/** Keeps instances that start from migrating, until the transaction's end. */
export async function lockMigrations(sql: Connection['sql']): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
}

/** Applies these migrations, and the functions where `withFunctions`, in the transaction that the caller has. */
export async function migrateWithin(
  sql: Connection['sql'],
  migrations: typeof MIGRATIONS,
  withFunctions: boolean,
): Promise<void> {
  await sql.unsafe(migrationStatement(migrations, withFunctions))
}

/**
 * Reads which migrations a database lacks, and whether its functions are older than this build's. `unknown` names migrations
 * that this build doesn't know; functions of a higher revision aren't among them.
 */
async function stateOf(sql: Connection['sql']) {
  const [tables] = await sql`
    select to_regclass('chainkin_migrations') is not null as migrations,
           to_regclass('chainkin_functions') is not null as functions`
  const rows = tables?.migrations
    ? await sql<{ name: string }[]>`select name from chainkin_migrations order by name`
    : []
  const [functions] = tables?.functions
    ? await sql<{ revision: number; hash: string }[]>`
        select revision, hash from chainkin_functions order by revision desc limit 1`
    : []
  const recorded = rows.map(({ name }) => name)
  const applied = currentNames(recorded)
  const unknown = applied.filter((name) => !MIGRATIONS.some((known) => known.name === name))
  // Functions had no revision while they came with migrations.
  const revision = functions?.revision ?? 0
  unknown.push(...unknownFunctions(recorded, revision))
  if (revision === REVISION && functions?.hash !== REVISION_HASH) {
    unknown.push(`another text of functions, revision ${revision}`)
  }
  const missing = MIGRATIONS.filter(({ name }) => !applied.includes(name))
  return { isNew: applied.length === 0, missing, isOutdated: revision < REVISION, unknown }
}

/** Dates the migrations of the prepared image, which leaves that open: each database has a beginning of its own. */
async function dateImage(sql: Connection['sql']): Promise<void> {
  await sql`
    update chainkin_migrations set applied_at = clock_timestamp() where not isfinite(applied_at)`
}

/** Tells the work that `migrate` would do; functions by their revision. */
export function migrationState(database: Database) {
  return database.use(({ sql }) => migrationsOf(sql))
}

/** Does the same on the caller's connection. */
export async function migrationsOf(sql: Connection['sql']) {
  const { missing, isOutdated, unknown } = await stateOf(sql)
  const names = missing.map(({ name }) => name)
  if (isOutdated) names.push(`functions, revision ${REVISION}`)
  return { missing: names, unknown }
}

/** A DO block that locks, then applies what another instance has not applied meanwhile. */
function migrationStatement(missing: typeof MIGRATIONS, withFunctions = true): string {
  const altered = new Set(missing.flatMap(({ alters = [] }) => alters))
  const locks = CHARGED_TABLES.filter((table) => altered.has(table)).map(
    (table) => `
  if to_regclass('${table}') is not null then
    lock table ${table} in access exclusive mode;
  end if;`,
  )
  const migrations = missing.map(
    ({ name, sql }) => `
  if not exists (select from chainkin_migrations where name = '${name}') then
    execute $migration$${sql}$migration$;
    insert into chainkin_migrations (name) values ('${name}');
  end if;`,
  )
  const texts = FUNCTIONS.map(({ sql }) => `\n    execute $functions$${sql}$functions$;`)
  const functions = `
  if not exists (select from chainkin_functions where revision >= ${REVISION}) then${texts.join('')}
    insert into chainkin_functions values (${REVISION}, '${REVISION_HASH}');
  end if;`
  return `do $migrations$
begin
  perform pg_advisory_xact_lock(${MIGRATION_LOCK});
  set local lock_timeout = ${LOCK_TIMEOUT_MS};
  ${locks.join('')}
  create table if not exists chainkin_migrations (
    name text primary key,
    applied_at timestamptz not null default now()
  );
  create table if not exists chainkin_functions (revision integer primary key, hash text not null);${migrations.join('')}${withFunctions ? functions : ''}
end
$migrations$`
}

/** Deadline of one step, whose writes may wait for those of others. */
const STEP_DEADLINE_MS = 60_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Clears pages of LinkedIn that are nobody's profile, which earlier releases stored as channels of people, as one change of the
 * journal. Each step is committed by itself, so that charges and imports of running instances don't wait long for it.
 */
export async function clearLinkedinPages(database: Database): Promise<void> {
  const change = await database.use(({ sql }) =>
    scalar<string>(sql`select nextval('journal_change_seq')`),
  )
  let last: string | null = FIRST
  while (last !== null) {
    const after: string = last
    last = await database.use(
      ({ sql }) =>
        scalar<string>(sql`select clear_linkedin_pages(${change}::text::bigint, ${after}::uuid)`),
      { deadlineMs: STEP_DEADLINE_MS },
    )
  }
}
