/** The ledger's tables by month: made ahead, and the long table of an earlier version readied to be the first of them. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, type Database, errorCode } from './client.ts'
import { isTrue } from './scalar.ts'

/** To read a long table once. */
const PREPARE_DEADLINE_MS = 3_600_000
const MAKE_DEADLINE_MS = 10_000
const LOCK_PAUSE_MS = 1_000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Checks the entries of a ledger that is not yet a table of months, so that the migration need not read them while charges wait: adds
 * what its rows have to fulfil without looking at them, for which half a second suffices, and looks at them while charges go on.
 * The bound is at least a month ahead, because charges after it would be refused before the migration is done.
 */
export async function prepareLedger(database: Database): Promise<void> {
  await database.use(
    async ({ sql }) => {
      if (!(await isOneTable(sql))) return
      await patiently(() => sql.unsafe(ADD_CONSTRAINTS))
      await patiently(() => sql.unsafe(VALIDATE_CONSTRAINTS))
    },
    { deadlineMs: PREPARE_DEADLINE_MS },
  )
}

/** True if the ledger is one table, with entries in it. */
async function isOneTable(sql: Connection['sql']): Promise<boolean> {
  const exists = await isTrue(
    sql`select true from pg_class where oid = to_regclass('ledger') and relkind = 'r'`,
  )
  return exists && (await isTrue(sql`select exists (select from ledger)`))
}

const ADD_CONSTRAINTS = `do $$
declare
  v_until timestamptz;
begin
  select (date_trunc('month', greatest(max(at), now()) at time zone 'UTC') + interval '2 months') at time zone 'UTC'
    into v_until from ledger;
  set local lock_timeout = '500ms';
  lock table ledger in access exclusive mode;
  -- Another instance may have done it meanwhile.
  if (select relkind from pg_class where oid = 'ledger'::regclass) <> 'r'
     or exists (select from pg_constraint where conrelid = 'ledger'::regclass and conname = 'ledger_until') then
    return;
  end if;
  execute format('alter table ledger add constraint ledger_until check (at < %L) not valid', v_until);
  alter table ledger add constraint ledger_kinds
    check (kind in ('charge', 'grant', 'expiry', 'reversal', 'carried')) not valid;
end $$`

/** One look at the rows for both. */
const VALIDATE_CONSTRAINTS = `do $$
begin
  set local lock_timeout = '500ms';
  alter table ledger validate constraint ledger_until, validate constraint ledger_kinds;
exception when undefined_object or wrong_object_type then
  -- Another instance migrated it meanwhile.
end $$`

/** Tries again where a table is in use, until the deadline ends the connection. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error
      await pause(LOCK_PAUSE_MS)
    }
  }
}

/**
 * Makes the ledger's tables of this month and the next two where they are missing. Where one can't be made now, entries go to
 * `ledger_default`, and the next time moves them. @returns the names of those that it made.
 */
export async function makeLedgerMonths(database: Database): Promise<string[]> {
  const rows = await database.use(
    ({ sql }) => sql<{ name: string }[]>`select make_ledger_months() as name`,
    { deadlineMs: MAKE_DEADLINE_MS },
  )
  return rows.map(({ name }) => name)
}
