/**
 * A run of `import --source`: it notes which records the source has, and with `--sync` removes those that its files no longer
 * hold. The rules are SQL, in `drizzle/functions/sources.sql`.
 */
import type { Database } from '../../database/client.ts'
import type { LongLock, TakeLongLock } from '../../database/long-lock.ts'
import { scalar } from '../../database/scalar.ts'
import type { Change } from './change.ts'
import type { Values } from './fields/types.ts'
import { MetRecords } from './met-records.ts'
import type { KeylessRow } from './namesakes.ts'
import type { SourceRow } from './read.ts'
import { findRecords } from './records.ts'
import type { CleanRow, Matching, RecordSchema } from './schema.ts'
import { ERASED, type Finding, type KindName } from './summary.ts'

/** What an import's rows come from, and how far its files are all that there is. */
export interface SourceOptions {
  name: string
  /** The files as the operator named them. */
  files: Partial<Record<KindName, string>>
  /** Whether records of the kinds given are removed that the files don't hold. */
  isSync: boolean
  /** Whether columns may be missing or new since its last file. */
  areColumnsConfirmed?: boolean | undefined
  /** Of the source's records of a kind, in percent: more are removed only where `confirm` says so. */
  mostRemoved: number
  /** Where more percent of a file's rows were refused, nothing is removed. */
  mostRefused: number
  /** Keeps other runs of the source away until this one ends; absent where there can't be any. */
  takeLongLock?: TakeLongLock | undefined
  /** Asked once, with what would be removed. */
  confirm?: ((what: string) => Promise<boolean>) | undefined
}

/** A run: its number, whose it is, and what it has met. */
export interface SourceRun {
  run: number
  source: string
  met: Record<Matching['kind'], MetRecords>
}

/** As `INPUT` reads it. */
export const runAsJson = ({ run, source }: SourceRun, { matching }: RecordSchema) =>
  JSON.stringify({ run, source, kind: matching.kind })

const DEADLINE = { deadlineMs: 60_000 }

/**
 * Keeps other runs of the source away, until what it returns is released.
 * @throws Error while another run goes on
 */
export async function lockSource(
  database: Database,
  { name, takeLongLock }: SourceOptions,
): Promise<LongLock | undefined> {
  const lock = await takeLongLock?.(`import of ${name}`)
  if (lock || !takeLongLock) return lock
  const begun = await database.use(({ sql }) =>
    scalar<string>(
      sql`select max(at) from import_runs where source = ${name} and ended_at is null`,
    ),
  )
  const since = begun === null ? '' : `, since ${begun}`
  throw new Error(
    `source ${name}: another run of it goes on${since}. Repeat this one when that has ended`,
  )
}

/** Before something is removed: without the lock, another run may be at work. @throws Error */
export function expectLocked({ name }: SourceOptions, lock: LongLock | undefined) {
  if (!lock || lock.isHeld()) return
  throw new Error(
    `source ${name}: the connection that kept other runs away broke; nothing was removed. Repeat the run`,
  )
}

/**
 * Begins a run.
 * @param isDryRun it gets the next number then, without noting anything
 */
export async function startRun(
  database: Database,
  { name, files }: SourceOptions,
  { change }: Change,
  isDryRun: boolean,
): Promise<SourceRun> {
  const run = await database.use(({ sql }) =>
    isDryRun
      ? scalar<number>(sql`select coalesce(max(run) + 1, 1)::float8 from import_runs`)
      : scalar<number>(sql`
          insert into import_runs (source, at, change, files)
          values (${name}, meter_now(), ${change}, ${JSON.stringify(files)}::text::jsonb)
          returning run::float8`),
  )
  const met = { company: new MetRecords(), person: new MetRecords(), round: new MetRecords() }
  return { run: run ?? 0, source: name, met }
}

/**
 * The refused rows of a file, as far as they tell their records: a row that was refused is there all the same. A key tells
 * its record; without one every record of the row's name may be the one that it means.
 */
export class RefusedRows {
  readonly #schema: RecordSchema
  readonly #run: SourceRun | undefined
  #keys: Values[] = []
  #names: string[] = []

  /** @param run without one, nothing is noted. */
  constructor(schema: RecordSchema, run: SourceRun | undefined) {
    this.#schema = schema
    this.#run = run
  }

  /** A row that could not be cleaned: some of its keys may be whole. */
  addUnclean(row: SourceRow) {
    if (!this.#run || !('fields' in row)) return
    const keys: Values = {}
    for (const field of ['id', 'externalId', 'slug']) {
      try {
        keys[field] = this.#schema.fields[field]?.clean(row.fields[field], () => {})
      } catch {
        // This one can't be read.
      }
    }
    this.#keys.push(keys)
  }

  /** Those of a batch that were refused; an erased person has no record. */
  addOf(batch: { rows: readonly CleanRow[] } | { keyless: readonly KeylessRow[] }, of: Finding[]) {
    if (!this.#run) return
    const isOfRecord = ({ severity, reason }: Finding) =>
      severity === 'refused' && reason !== ERASED
    const refused = new Set(of.filter(isOfRecord).map(({ row }) => row))
    if (refused.size === 0) return
    if ('keyless' in batch) {
      const rows = batch.keyless.filter(({ row }) => refused.has(row.number))
      this.#names.push(...new Set(rows.map(({ name }) => name)))
    } else {
      const rows = batch.rows.filter(({ number }) => refused.has(number))
      this.#keys.push(...rows.map(({ values }) => values))
    }
  }

  /** Notes that the run has met the records of all that were added. */
  async note(database: Database) {
    const [run, keys, names] = [this.#run, this.#keys, this.#names]
    if (!run || keys.length + names.length === 0) return
    this.#keys = []
    this.#names = []
    await database.use(async (connection) => {
      const found = await findRecords(connection, this.#schema, {
        ids: keys.flatMap(({ id }) => id ?? []),
        externalIds: keys.flatMap(({ externalId }) => externalId ?? []),
        slugs: keys.flatMap(({ slug }) => slug ?? []),
      })
      const { sql } = connection
      const named = await sql.unsafe<{ id: string }[]>(this.#schema.matching.sameName, [
        JSON.stringify(names),
      ])
      const records = [found.byId, found.byExternalId, found.bySlug].flatMap((by) => [
        ...by.values(),
      ])
      const ids = [...records, ...named].map(({ id }) => id)
      run.met[this.#schema.matching.kind].add(ids)
    }, DEADLINE)
  }
}
