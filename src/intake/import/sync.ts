/** The end of a run of `import --source`: what the source no longer has is removed, as one change with the import. */
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'
import type { Change } from './change.ts'
import { SCHEMAS } from './kinds.ts'
import { findRecords } from './records.ts'
import type { SourceOptions, SourceRun } from './source-run.ts'
import { KINDS, type KindName, MOST_DIFFERENCES_KEPT, type Summary } from './summary.ts'

/** Nothing was removed, though all rows are in; the message says why and how to go on. */
export class RemovalRefused extends Error {
  readonly summary: Summary

  constructor(reason: string, summary: Summary) {
    super(reason)
    this.summary = summary
  }
}

export interface RemovalOptions {
  isDryRun?: boolean | undefined
  /** While it says so, a rest after each batch is as long as it took. */
  isGentle?: (() => Promise<boolean>) | undefined
  signal?: AbortSignal | undefined
}

interface Absent {
  kind: string
  id: string
  /** What stays hangs on it, so that it stays too. */
  isHeld: boolean
}

/** Before what hangs on it, nothing is removed. */
const ORDER: readonly KindName[] = ['rounds', 'people', 'companies']
const BATCH = 250
const DEADLINE = { deadlineMs: 60_000 }

/**
 * Removes what the source no longer has, if it is a sync, and ends the run.
 * @param summary gets how many of each kind were removed; of a dry run, how many would be, and the first of them.
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

/** What a dry run says of removals. */
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
