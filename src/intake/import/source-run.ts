/**
 * A run of `import --source`: it notes which records the source has, and with `--sync` removes those that its files no
 * longer hold, as one change with the import. The rules are SQL, in `drizzle/functions/intake/sources.sql`.
 */

import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../database/client.ts'
import type { LongLock, TakeLongLock } from '../../database/long-lock.ts'
import { scalar } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'
import type { Change } from './change.ts'
import type { Values } from './fields/types.ts'
import { orWarn } from './fields/values.ts'
import { SCHEMAS } from './kinds.ts'
import type { SourceRow } from './read.ts'
import type { CleanRow, Matching, RecordSchema } from './schema.ts'
import { findNamed, findRecords } from './statements.ts'
import {
  ERASED,
  type Finding,
  KINDS,
  type KindName,
  MOST_DIFFERENCES_KEPT,
  type Summary,
} from './summary.ts'

/** The source of an import's rows, and how complete its files are. */
export interface SourceOptions {
  name: string
  /** File names as the operator gave them. */
  files: Partial<Record<KindName, string>>
  /** Removes records of the given kinds that the files don't hold. */
  isSync: boolean
  /** Accepts columns that are missing or new since its last file. */
  areColumnsConfirmed?: boolean | undefined
  /** Most of a kind's records to remove, in percent; more only where `confirm` agrees. */
  mostRemoved: number
  /** Most refused rows of a file, in percent; beyond, nothing is removed. */
  mostRefused: number
  /** Takes the lock of the source's runs; absent where there can't be any other. */
  takeLongLock?: TakeLongLock | undefined
  /** Asked once, with a description of the removals. */
  confirm?: ((what: string) => Promise<boolean>) | undefined
}

/** A run, with the records that it has met. */
export interface SourceRun {
  run: number
  source: string
  met: Record<Matching['kind'], MetRecords>
}

/** The run as `INPUT` reads it. */
export const runAsJson = ({ run, source }: SourceRun, { matching }: RecordSchema) =>
  JSON.stringify({ run, source, kind: matching.kind })

const DEADLINE = { deadlineMs: 60_000 }

/**
 * Takes the lock of the source's runs.
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

/** Expects the lock before a removal: without it another run may be at work. @throws Error */
export function expectLocked({ name }: SourceOptions, lock: LongLock | undefined) {
  if (!lock || lock.isHeld()) return
  throw new Error(
    `source ${name}: the connection that kept other runs away broke; nothing was removed. Repeat the run`,
  )
}

/**
 * Begins a run.
 * @param isDryRun only reads the next number
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
 * Refused rows of a file, by which the run still meets their records. A key identifies its record; of a row without one
 * every record of its name counts.
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

  /** Adds a row that could not be cleaned: some of its keys may be whole. */
  addUnclean(row: SourceRow) {
    if (!this.#run || !('fields' in row)) return
    const keys: Values = {}
    for (const field of ['id', 'externalId', 'slug']) {
      // A broken key identifies nothing.
      keys[field] = orWarn(
        () => {},
        () => this.#schema.fields[field]?.clean(row.fields[field]),
      )
    }
    this.#keys.push(keys)
  }

  /**
   * Adds the refused rows of a batch; an erased person has no record.
   * @param names of those that have no key
   */
  addOf(rows: readonly CleanRow[], of: readonly Finding[], names: readonly string[]) {
    if (!this.#run) return
    const isOfRecord = ({ severity, reason }: Finding) =>
      severity === 'refused' && reason !== ERASED
    const refused = new Set(of.filter(isOfRecord).map(({ row }) => row))
    if (refused.size === 0) return
    this.#names.push(...names)
    const ofRefused = rows.filter(({ number }) => refused.has(number))
    this.#keys.push(...ofRefused.map((row) => row.values))
  }

  /** Adds the records of all these rows to those that the run has met. */
  async note(database: Database) {
    const [run, keys, names] = [this.#run, this.#keys, this.#names]
    if (!run || keys.length + names.length === 0) return
    this.#keys = []
    this.#names = []
    await database.use(async (connection) => {
      const found = await findNamed(connection, this.#schema, keys)
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

/** A refused removal, after all rows are in; the message says why and how to go on. */
export class RemovalRefused extends Error {
  readonly summary: Summary

  constructor(reason: string, summary: Summary) {
    super(reason)
    this.summary = summary
  }
}

interface RemovalOptions {
  isDryRun?: boolean | undefined
  /** While true, each batch is followed by a rest as long as it took. */
  isGentle?: (() => Promise<boolean>) | undefined
  signal?: AbortSignal | undefined
}

interface Absent {
  kind: string
  id: string
  /** True where a record that stays references it. */
  isHeld: boolean
}

/** Records go before those that they reference. */
const ORDER: readonly KindName[] = ['rounds', 'people', 'companies']
const BATCH = 250

/**
 * Removes the records that the source no longer has, if it is a sync, and ends the run.
 * @param summary gets the number of removed records by kind; in a dry run the number to remove, and the first of them
 * @throws RemovalRefused where a file is empty, too many of its rows were refused, or more would be removed than allowed
 */
export async function endRun(
  database: Database,
  run: SourceRun,
  change: Change,
  summary: Summary,
  source: SourceOptions,
  options: RemovalOptions,
): Promise<void> {
  const given = KINDS.filter((kind) => summary[kind] !== undefined)
  const isRead = (kind: KindName) => (summary[kind]?.read ?? 0) > 0
  const synced = source.isSync ? given.filter(isRead) : []
  const kinds = textArray(synced.map(kindOf))
  for (const kind of synced.map(kindOf)) {
    await database.use(
      ({ sql }) =>
        sql`select note_missing(${run.source}, ${run.run}, ${kind}, ${run.met[kind].asText()}::text::uuid[])`,
      DEADLINE,
    )
  }
  const absent = await database.use(
    ({ sql }) => sql<Absent[]>`
      select kind, record_id as id, is_held as "isHeld"
        from absent_records(${run.source}, ${run.run}, ${kinds}::text::text[], null) order by record_id`,
    DEADLINE,
  )
  const goneOf = (kind: KindName) =>
    absent.flatMap((one) => (one.kind === kindOf(kind) && !one.isHeld ? one.id : []))
  if (source.isSync) await checkAllowed(database, run, given, goneOf, summary, source)
  if (options.isDryRun) {
    for (const kind of synced) await tellRemovals(database, kind, goneOf(kind), summary)
    return
  }
  for (const kind of ORDER) {
    const gone = goneOf(kind)
    for (let at = 0; at < gone.length; at += BATCH) {
      options.signal?.throwIfAborted()
      const startedAt = performance.now()
      const ids = textArray(gone.slice(at, at + BATCH))
      const removed = await database.use(
        ({ sql }) =>
          scalar<number>(sql`
            select remove_absent(${run.source}, ${run.run}, ${kinds}::text::text[], ${kindOf(kind)},
                                 ${ids}::text::uuid[], ${JSON.stringify(change)})`),
        DEADLINE,
      )
      const done = summary[kind]
      if (done) done.removed += removed ?? 0
      const tookMs = performance.now() - startedAt
      if (await options.isGentle?.()) await setTimeout(Math.min(tookMs, 1_000))
    }
  }
  const held = textArray(absent.flatMap(({ id, isHeld }) => (isHeld ? id : [])))
  await database.use(
    ({ sql }) => sql`
      with held as materialized (
        select keep_missing(${run.source}, ${run.run}, ${held}::text::uuid[])
      )
      update import_runs set ended_at = meter_now(), synced = ${kinds}::text::text[]
        from held where run = ${run.run}`,
    DEADLINE,
  )
}

const kindOf = (kind: KindName) => SCHEMAS[kind].matching.kind

const percentOf = (part: number, whole: number) => Number(((part * 100) / whole).toPrecision(3))

/** @throws RemovalRefused */
async function checkAllowed(
  database: Database,
  { run, source }: SourceRun,
  given: readonly KindName[],
  goneOf: (kind: KindName) => readonly string[],
  summary: Summary,
  { mostRemoved, mostRefused, confirm }: SourceOptions,
) {
  const doubtful: string[] = []
  const tooMany: string[] = []
  for (const kind of given) {
    const { read = 0, refused = 0, erased = 0 } = summary[kind] ?? {}
    const had = await database.use(
      ({ sql }) =>
        scalar<number>(sql`select source_records(${source}, ${run}, ${kindOf(kind)})::float8`),
      DEADLINE,
    )
    const gone = goneOf(kind).length
    if (read === 0 && had) doubtful.push(`${kind}: the file has no rows`)
    if (gone === 0) continue
    if ((refused - erased) * 100 > read * mostRefused) {
      doubtful.push(`${kind}: too many rows were refused to tell what is missing`)
    } else if (gone * 100 > (had ?? 0) * mostRemoved) {
      const percent = had ? ` (${percentOf(gone, had)} %)` : ''
      tooMany.push(
        `${kind}: ${gone} of ${had} records of source ${source}${percent} are no longer in the file`,
      )
    }
  }
  if (doubtful.length > 0) {
    throw new RemovalRefused(`${doubtful.join('; ')}: nothing was removed`, summary)
  }
  const what = tooMany.join('; ')
  if (tooMany.length === 0 || (await confirm?.(what))) return
  throw new RemovalRefused(
    `${what}; --max-removed allows ${mostRemoved} %: nothing was removed. If they are to go, repeat it with --yes`,
    summary,
  )
}

/** Adds the removals of a dry run to the summary. */
async function tellRemovals(
  database: Database,
  kind: KindName,
  gone: readonly string[],
  summary: Summary,
) {
  const done = summary[kind]
  if (!done) return
  done.removed = gone.length
  const ids = gone.slice(0, MOST_DIFFERENCES_KEPT)
  const found = await database.use((connection) =>
    findRecords(connection, SCHEMAS[kind], { ids, slugs: [] }),
  )
  done.removals = ids.map((id) => {
    const { slug, externalId } = found.byId.get(id) ?? {}
    return slug ?? externalId ?? id
  })
}

/** Ids of the records that a run has met, 16 bytes each: a source may have millions. */
class MetRecords {
  readonly #parts: Buffer[] = []

  add(ids: readonly string[]) {
    this.#parts.push(Buffer.from(ids.join('').replaceAll('-', ''), 'hex'))
  }

  /** The SQL type `uuid[]` as text. */
  asText(): string {
    const ids = this.#parts.flatMap((part) => part.toString('hex').match(/.{32}/g) ?? [])
    return `{${ids.join()}}`
  }
}
