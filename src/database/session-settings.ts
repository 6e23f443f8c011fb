/**
 * Settings of a session on which the SQL relies. A database or a role may have others as its defaults, so each session is begun with
 * these. Poolers in transaction mode lend sessions that others have begun: PgBouncer keeps some settings for each client, and refuses
 * to begin a session with the rest. There the role's own defaults count, which a start looks at.
 */
import type postgres from 'postgres'
import type { Failure, ServerError } from './failures.ts'

interface Needed {
  value: string
  /** Other values that do as well. */
  accepts?: RegExp
  /** Set by each session, unless by the role alone; `pooled` where PgBouncer keeps it for each client. */
  sets?: 'direct' | 'pooled'
  /** True where another value makes charges fail or answers wrong. */
  isEssential?: boolean
}

const NEEDED: Readonly<Record<string, Needed>> = {
  // Every statement decides by what is committed when it begins; under the other levels concurrent charges fail with 40001.
  default_transaction_isolation: { value: 'read committed', sets: 'direct', isEssential: true },
  search_path: { value: 'public', sets: 'direct', isEssential: true },
  bytea_output: { value: 'hex', sets: 'direct', isEssential: true },
  // Whole numbers come as double precision, of which lower values cut digits off.
  extra_float_digits: { value: '1', accepts: /^[123]$/, sets: 'direct', isEssential: true },
  IntervalStyle: { value: 'postgres', sets: 'direct' },
  // The pool has deadlines of its own, and functions limit how long they wait for a lock.
  statement_timeout: { value: '0', sets: 'direct' },
  lock_timeout: { value: '0', sets: 'direct' },
  idle_in_transaction_session_timeout: { value: '0', sets: 'direct' },
  idle_session_timeout: { value: '0', sets: 'direct' },
  DateStyle: { value: 'ISO', accepts: /^ISO\b/, sets: 'pooled', isEssential: true },
  TimeZone: {
    value: 'UTC',
    accepts: /^((Etc\/)?(UTC|GMT|UCT|Universal|Zulu)|GMT0)$/,
    sets: 'pooled',
  },
  standard_conforming_strings: { value: 'on', sets: 'pooled', isEssential: true },
  // Triggers keep the ledger whole and write the change log.
  session_replication_role: { value: 'origin', accepts: /^local$/, isEssential: true },
  default_transaction_read_only: { value: 'off' },
  // An answered charge is on the disk.
  synchronous_commit: { value: 'on', accepts: /^(local|remote_\w+)$/ },
  // From PostgreSQL 17 on.
  transaction_timeout: { value: '0' },
}

const startup = (...kinds: Needed['sets'][]) =>
  Object.fromEntries(
    Object.entries(NEEDED)
      .filter(([, { sets }]) => kinds.includes(sets))
      .map(([name, { value }]) => [name, value]),
  )

/** Startup parameters of a session: all of them, and those that a pooler takes. */
export const SETTINGS = startup('direct', 'pooled')
export const POOLED_SETTINGS = startup('pooled')

/** Recognizes a connection that was refused for one of our settings, by PgBouncer or by a version that doesn't know it. */
export function isSettingRefused(error: ServerError | undefined): boolean {
  if (error?.code !== '08P01' && error?.code !== '42704') return false
  return Object.keys(SETTINGS).some((name) => error.message.includes(name))
}

/** A setting that isn't as the SQL needs it. */
export interface Deviation {
  name: string
  value: string
  needed: string
  isEssential: boolean
}

export interface SessionFacts {
  user: string
  database: string
  /** The character set of the database. */
  encoding: string
  deviations: Deviation[]
}

/** Refuses a database in which the SQL would fail, or answer wrong. */
export function explainSession({ user, database, encoding, deviations }: SessionFacts) {
  if (encoding !== 'UTF8') {
    const name = JSON.stringify(database)
    return lasting(
      `the database ${name} has the encoding ${encoding}, which can't hold every name, and UTF8 is needed: make another one with "createdb --encoding=UTF8 --locale=C --template=template0 NAME", and name it in DATABASE_URL`,
    )
  }
  const essential = deviations.filter(({ isEssential }) => isEssential)
  if (essential.length === 0) return undefined
  return lasting(
    `sessions of the user ${JSON.stringify(user)} begin with ${differences(essential)}, and a pooler or their rights keep this program from setting it: ${cureOf(essential, { user, database })}; behind a pooler let it connect anew`,
  )
}

const lasting = (reason: string): Failure => ({ reason, mayPass: false })

/** `statement_timeout = 2min instead of 0`, of each. */
export const differences = (deviations: readonly Deviation[]): string =>
  deviations.map(({ name, value, needed }) => `${name} = ${value} instead of ${needed}`).join(', ')

/** The statements that correct them. */
export function cureOf(
  deviations: readonly Deviation[],
  { user, database }: Pick<SessionFacts, 'user' | 'database'>,
): string {
  const [role, place] = [user, database].map((name) => `"${name.replaceAll('"', '""')}"`)
  const statements = deviations.map(
    ({ name, needed }) => `alter role ${role} in database ${place} set ${name} = '${needed}'`,
  )
  return `run ${statements.join('; ')}`
}

/** How a session is set up. Without a prepared statement, so that any pooler can answer. */
export async function sessionFacts(sql: postgres.Sql): Promise<SessionFacts> {
  const names = [...Object.keys(NEEDED), 'server_encoding'].map((name) => `('${name}')`)
  const [row] = await sql.unsafe<
    { user: string; database: string; schema: string | null; settings: Record<string, string> }[]
  >(`select current_user as user, current_database() as database, current_schema() as schema,
      json_object_agg(name, current_setting(name, true)) as settings from (values ${names.join()}) as s (name)`)
  if (!row) throw new Error('the settings have no row')
  const { user, database, schema, settings } = row
  // Whatever the path is, tables are made in its first schema that exists.
  const isInPublic = schema === 'public'
  const deviations = Object.entries(NEEDED).flatMap(([name, needed]): Deviation[] => {
    const { value: right, accepts, isEssential = false } = needed
    const value = settings[name] ?? right
    const isRight =
      value === right || accepts?.test(value) || (name === 'search_path' && isInPublic)
    return isRight ? [] : [{ name, value, needed: right, isEssential }]
  })
  return { user, database, encoding: settings.server_encoding ?? '', deviations }
}
