/**
 * The database of a test directory: its clock, read by `meter_now()`, which every window and expiry is measured
 * by, and the reset of everything but the records.
 */
import type { Database } from '../embed-testing.ts'

/** Installs the clock: the real time, ahead by nothing. */
export async function installClock(database: Database): Promise<void> {
  await database.use(({ sql }) =>
    sql.unsafe(`
      create table kit_clock (
        stands_at timestamptz, ahead interval not null default '0', deleted integer not null default 0);
      insert into kit_clock default values;
      create or replace function meter_now() returns timestamptz language sql volatile
      return (select coalesce(stands_at, clock_timestamp()) + ahead from kit_clock)`),
  )
}

/** Stops the database's clock at a time. */
export async function stopClock(database: Database, now: Date): Promise<void> {
  await database.use(
    ({ sql }) => sql`update kit_clock set stands_at = ${now.toISOString()}::timestamptz`,
  )
}

/** Advances the database's time by milliseconds. */
export async function advanceClock(database: Database, ms: number): Promise<void> {
  await database.use(
    ({ sql }) => sql`
      update kit_clock set ahead = ahead + make_interval(secs => ${ms}::double precision / 1000)`,
  )
}

/** The schema's own tables, which a reset leaves as they are. */
const KEPT = "'{change_log,chainkin_functions,chainkin_migrations,kit_clock}'"

const isOfDirectory =
  "exists (select from pg_trigger where tgrelid = c.oid and tgname = c.relname || '_updated')"

const tables = (condition: string) => `
  select oid, oid::regclass::text as name from pg_class c
   where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and ${condition}`

/** The directory's tables, which are those with the change log's triggers. */
const DIRECTORY = tables(isOfDirectory)

/** The tables that a reset empties: all but the directory's. */
const EMPTIED = tables(`relname <> all (${KEPT}) and not ${isOfDirectory}`)

/** Sequences of their columns. */
const SEQUENCES = `
  select s.oid::regclass::text as name
    from (${EMPTIED}) t
    join pg_depend d on d.refobjid = t.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
    join pg_class s on s.oid = d.objid and s.relkind = 'S'`

async function namesOf(database: Database, query: string): Promise<string[]> {
  const rows = await database.use(({ sql }) => sql.unsafe<{ name: string }[]>(query))
  return rows.map(({ name }) => name)
}

/** From so many deleted rows on the tables' files are made anew: what was deleted stays in them and is read over. */
const MOST_DELETED = 20_000

/**
 * Makes the function of `emptyAccounts`. It deletes what is there: to truncate tables makes their files anew, which takes fifteen times
 * as long. It turns off the triggers that forbid this, as the ledger's does.
 */
export async function installReset(database: Database): Promise<void> {
  const names = await namesOf(database, EMPTIED)
  const sequences = await namesOf(database, SEQUENCES)
  const deletions = names.map(
    (name) => `delete from ${name}; get diagnostics found = row_count; rows := rows + found;`,
  )
  const restarts = sequences.map((name) => `perform setval('${name}', 1, false);`)
  const text = `
    create function kit_reset() returns void language plpgsql as $$
    declare rows integer := (select deleted from kit_clock); found integer;
    begin
      set local session_replication_role = replica;
      if rows > ${MOST_DELETED} then
        truncate ${names.join()} restart identity;
        rows := 0;
      else
        ${[...deletions, ...restarts].join('\n')}
      end if;
      set local session_replication_role = origin;
      update kit_clock set ahead = '0', deleted = rows;
    end $$`
  await database.use(({ sql }) => sql.unsafe(text))
}

/** Empties every table but the directory's, and resets the clock. */
export async function emptyAccounts(database: Database): Promise<void> {
  await database.use(({ sql }) => sql`select kit_reset()`)
}

/** Makes the function of `setRecords`, and copies of the records that are there now for it. */
export async function installRecords(database: Database): Promise<void> {
  const names = await namesOf(database, DIRECTORY)
  const copies = names.map((name) => `create table kit.${name} as table ${name};`)
  const deletions = names.map((name) => `delete from ${name};`)
  const insertions = names.map((name) => `insert into ${name} select * from kit.${name};`)
  const text = `
    create schema kit;
    ${copies.join('\n')}
    create function kit_records(are_fixed boolean) returns void language plpgsql as $$
    begin
      set local session_replication_role = replica;
      ${deletions.join('\n')}
      if are_fixed then ${insertions.join('\n')} end if;
      set local session_replication_role = origin;
      update kit_clock set stands_at = null;
    end $$`
  await database.use(({ sql }) => sql.unsafe(text))
}

/** Makes the records those of `installRecords`, or none, before a directory reads them. The clock flows. */
export async function setRecords(database: Database, areFixed: boolean): Promise<void> {
  await database.use(({ sql }) => sql`select kit_records(${areFixed})`)
}

/** A database with more bytes of records is not used again: what was deleted stays in its files. */
const MOST_BYTES = 8 * 1024 * 1024

/**
 * Ends what a directory's connections have left in the one session of a PGlite: what it listens to, prepared statements,
 * settings, locks, and the timer by which PostgreSQL reports statistics, which would keep the process for ten seconds.
 * @returns whether the database is small enough for another directory.
 */
export async function endSession(database: Database): Promise<boolean> {
  return database.use(async ({ sql }) => {
    await sql.unsafe('unlisten *; deallocate all; reset all; select pg_advisory_unlock_all()')
    const [size] = await sql.unsafe<{ bytes: number }[]>(
      `select sum(pg_total_relation_size(oid))::float as bytes from (${DIRECTORY}) t`,
    )
    // Statistics that are reported need no timer, and a shorter one replaces the one that runs. Where that one ends before they are
    // reported, as on a busy machine, the long one is set again: the second statement finds them reported. Nothing may come
    // after it.
    for (let times = 0; times < 2; times++) {
      await sql.unsafe('set local statement_timeout = 1; select pg_stat_force_next_flush()')
    }
    return size !== undefined && size.bytes < MOST_BYTES
  })
}
