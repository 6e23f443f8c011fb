/**
 * The database of a test directory: its clock, read by `meter_now()`, which every window and expiry is measured
 * by, and the reset of everything but the records.
 */
import type { Database } from '../database/client.ts'

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

/** The tables that a reset empties: all but the directory's, which are those with the change log's triggers. */
const EMPTIED = `
  select oid, oid::regclass::text as name from pg_class c
   where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
     and relname <> all (${KEPT})
     and not exists (select from pg_trigger where tgrelid = c.oid and tgname = c.relname || '_updated')`

/** Sequences of their columns. */
const SEQUENCES = `
  select s.oid::regclass::text as name
    from (${EMPTIED}) t
    join pg_depend d on d.refobjid = t.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
    join pg_class s on s.oid = d.objid and s.relkind = 'S'`

/** From so many deleted rows on the tables' files are made anew: what was deleted stays in them and is read over. */
const MOST_DELETED = 20_000

/**
 * Finds what a reset has to empty, and makes a function of it. It deletes what is there: to truncate tables makes their files anew,
 * which takes fifteen times as long. It turns off the triggers that forbid this, as the ledger's does.
 */
export async function installReset(database: Database): Promise<void> {
  await database.use(async ({ sql }) => {
    const tables = await sql.unsafe<{ name: string }[]>(EMPTIED)
    const sequences = await sql.unsafe<{ name: string }[]>(SEQUENCES)
    const names = tables.map(({ name }) => name)
    const deletions = names.map(
      (name) => `delete from ${name}; get diagnostics found = row_count; rows := rows + found;`,
    )
    const restarts = sequences.map(({ name }) => `perform setval('${name}', 1, false);`)
    await sql.unsafe(`
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
      end $$`)
  })
}

/** Empties every table but the directory's, and resets the clock. */
export async function emptyAccounts(database: Database): Promise<void> {
  await database.use(({ sql }) => sql`select kit_reset()`)
}
