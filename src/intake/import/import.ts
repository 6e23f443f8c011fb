/**
 * Imports: of files, for the command, and of rows in memory, for demo, kit and tests.
 */

import { setTimeout } from 'node:timers/promises'
import type { Author } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import type { LongLock } from '../../database/long-lock.ts'
import { type Change, newChange } from './change.ts'
import { rowCleaner } from './clean-rows.ts'
import type { ColumnMap } from './column-meanings.ts'
import { onCopies } from './dry-run.ts'
import { DateEvidence, type DateOrder } from './fields/date-orders.ts'
import { jsonOf, type ShownRow, shownOf } from './findings.ts'
import { RowsBefore, rankOf } from './keyless.ts'
import { SCHEMAS } from './kinds.ts'
import { type ColumnQuestion, OddValues } from './questions.ts'
import { checkMap, openFiles, type Source, type SourceRow } from './read.ts'
import type { CleanRow } from './schema.ts'
import {
  endRun,
  expectLocked,
  lockSource,
  RefusedRows,
  RemovalRefused,
  type SourceOptions,
  type SourceRun,
  startRun,
} from './source-run.ts'
import { SourceColumns } from './sources.ts'
import {
  addFinding,
  addIgnoredField,
  emptySummary,
  type Finding,
  KINDS,
  type KindName,
  type KindSummary,
  type Rows,
  type Summary,
} from './summary.ts'
import { writeRows } from './write.ts'

export type { SourceOptions } from './source-run.ts'
export { RemovalRefused } from './source-run.ts'

/**
 * Imports the sources given: companies, then people, then rounds, as the later name the earlier.
 * @throws ImportStopped when a source or the database fails half-way, or on `signal`; RemovalRefused where all rows are in,
 *   but what the source no longer has is not removed.
 */
export async function importFiles(
  database: Database,
  sources: Partial<Record<KindName, Source>>,
  options: ImportOptions = {},
): Promise<Summary> {
  const summary: Summary = {}
  const { columnMap, signal, isDryRun = false, source } = options
  const close = () => {
    for (const source of Object.values(sources)) source.stream.destroy()
  }
  // Without a listener, a stream that breaks before it is read would end the process.
  for (const { stream } of Object.values(sources)) stream.on('error', () => {})
  signal?.addEventListener('abort', close)
  const stop = (error: unknown) => {
    if (error instanceof ImportStopped || error instanceof RemovalRefused) return error
    const reason = error instanceof Error ? error.message : String(error)
    return new ImportStopped(reason, summary, signal?.aborted ?? false, { cause: error })
  }
  let lock: LongLock | undefined
  try {
    lock = source && !isDryRun ? await lockSource(database, source) : undefined
    const watch = source && (await SourceColumns.read(database, source, isDryRun))
    const files = await openFiles(
      sources,
      columnMap,
      (kind) => watch?.mapFor(kind, columnMap) ?? columnMap,
    )
    await watch?.expectHeaders(files)
    const importInto = async (into: Database, change: Change) => {
      const run = source && (await startRun(into, source, change, isDryRun))
      for (const file of files) {
        const rows = watch?.watched(file) ?? file.rows
        await importKind(into, { ...file, rows }, change, summary, options, run)
      }
      checkMap(columnMap)
      if (!source || !run) return
      expectLocked(source, lock)
      await endRun(into, run, change, summary, source, options)
    }
    if (isDryRun) {
      const kinds = files.map(({ kind }) => kind)
      const copied = { kinds, hasSource: source !== undefined, isGentle: options.isGentle }
      await onCopies(database, copied, (copies) => importInto(copies, UNNUMBERED))
    } else {
      await importInto(database, options.change ?? (await importChange(database, options)))
    }
  } catch (error) {
    throw stop(error)
  } finally {
    signal?.removeEventListener('abort', close)
    close()
    await lock?.release()
  }
  return summary
}

/** Imports rows in memory, which are expected to be right: a bad value refuses its row. @throws ImportStopped */
export async function importRows(
  database: Database,
  name: KindName,
  rows: Iterable<object>,
): Promise<KindSummary> {
  function* numbered(): Generator<SourceRow> {
    let number = 0
    for (const row of rows) yield { number: ++number, fields: { ...row } }
  }
  const change = await importChange(database)
  return importKind(database, { kind: name, rows: numbered() }, change, {}, { isStrict: true })
}

/** Author where none is given. */
export const NOBODY_NAMED = 'a program'

const importChange = (database: Database, { who = NOBODY_NAMED }: ImportOptions = {}) =>
  newChange(database, { who, what: 'import' })

/** Change of a dry run, which the journal never sees. */
const UNNUMBERED: Change = { change: 0, who: 'a dry run', what: 'import' }

/** Imports rows that are expected to be right. @throws Error naming the first that is refused. */
export async function importAll(database: Database, given: Rows): Promise<void> {
  for (const kind of KINDS) {
    const { refusals, refused, ignoredFields } = await importRows(database, kind, given[kind] ?? [])
    const [first] = refusals
    if (first) {
      const field = first.field === null ? '' : `, ${first.field}`
      throw new Error(
        `${kind}: ${refused} refused, the first of them row ${first.row}${field}: ${first.reason}`,
      )
    }
    if (ignoredFields.length > 0) {
      throw new Error(`${kind}: the import does not know ${ignoredFields.join(', ')}`)
    }
  }
}

// The import as a pipeline: a row is read (`read.ts`), cleaned (`clean-rows.ts`), identified (`identify.ts`) and written
// (`write.ts`), in batches. Each statement is stored whole or not at all.

export interface Progress {
  kind: KindName
  /** Bytes of the rows that are stored or refused. */
  bytes: number
  /** Rows that are stored or refused. */
  rows: number
}

export interface ImportOptions {
  /** Refuses the whole row for any bad value. */
  isStrict?: boolean | undefined
  /** Writes nothing; see `onCopies`. */
  isDryRun?: boolean | undefined
  /** Called after each batch. */
  onProgress?: ((progress: Progress) => void) | undefined
  /** Called with each refused row and each value left out, and what may be shown of the row; its result is awaited. */
  onFinding?: ((kind: KindName, finding: Finding, row: ShownRow) => unknown) | undefined
  /** Called at the end of a file with each doubtful column; its result is awaited. */
  onQuestion?: ((kind: KindName, question: ColumnQuestion) => unknown) | undefined
  /** Called once for each unknown field. */
  onIgnoredField?: ((kind: KindName, field: string) => void) | undefined
  /**
   * Asked before the first batch and after each. While true, batches are small, and each is followed by a pause three
   * times as long as it took: callers of a service on the same database hardly notice the import then.
   */
  isGentle?: (() => Promise<boolean>) | undefined
  /** Order of day, month and year in ambiguous dates. */
  dateOrder?: DateOrder | undefined
  /** Values of fields by kind, for rows that have nothing in them. */
  fill?: Partial<Record<KindName, Readonly<Record<string, string>>>> | undefined
  /** Returns a row with its corrections. */
  correct?: ((row: SourceRow) => SourceRow) | undefined
  /** Mappings of columns. */
  columnMap?: ColumnMap | undefined
  /** Author for the journal: one change, whatever it brings. */
  who?: Author | undefined
  /** Change of the journal, where several runs are one; `who` is in it. */
  change?: Change | undefined
  source?: SourceOptions | undefined
  /** Aborting finishes the batch in hand and stops. */
  signal?: AbortSignal | undefined
}

/** An import that ended early; `summary` counts what is stored, whole batches only. */
export class ImportStopped extends Error {
  readonly summary: Summary
  readonly interrupted: boolean

  constructor(reason: string, summary: Summary, interrupted: boolean, options?: ErrorOptions) {
    super(reason, options)
    this.summary = summary
    this.interrupted = interrupted
  }
}

const COUNTS = ['created', 'updated', 'unchanged', 'warned', 'pinned'] as const
const BATCH_ROWS = 1_000
/** Rows that PostgreSQL writes in about three milliseconds; then a call that needs its core gets it. */
const GENTLE_BATCH_ROWS = 25
/** Characters of a batch as the file has it: rows of a megabyte are few together. */
const MOST_LENGTH = 16 * 2 ** 20
/** Rows that are held back together, and their characters. */
const [MOST_HELD, MOST_HELD_LENGTH] = [100_000, 64 * 2 ** 20]
/** Ratio of pause to batch: servers take the changes in meanwhile. */
const RESTS = 3
/** Longest pause: a batch that took longer waited for other writers. */
const PAUSE_MS_MAX = 1_000

/** Rows of one kind, and a count of the bytes read of their source. */
interface RowsOfKind {
  kind: KindName
  rows: AsyncIterable<SourceRow> | Iterable<SourceRow>
  bytes?: () => number
}

/**
 * Cleans, identifies and writes rows, batch by batch.
 * @param change the journal's, to which this belongs
 * @param run of the source that the rows come from
 * @param summary gets the summary of this kind, which counts what is stored at any time.
 * @throws ImportStopped
 */
async function importKind(
  database: Database,
  { kind: name, rows, bytes = () => 0 }: RowsOfKind,
  change: Change,
  summary: Summary,
  { isStrict = false, isDryRun = false, isGentle, signal, ...options }: ImportOptions,
  run?: SourceRun,
): Promise<KindSummary> {
  const done = emptySummary()
  summary[name] = done
  if (isDryRun) done.differences = []
  const schema = SCHEMAS[name]
  const dateEvidence = new DateEvidence()
  const oddValues = new OddValues(schema.fields)
  const reading = {
    dateOrder: options.dateOrder,
    dateEvidence,
    oddValues,
    fill: options.fill?.[name],
  }
  const onUnknownField = (field: string) => {
    const shown = addIgnoredField(done, field)
    if (shown !== undefined) options.onIgnoredField?.(name, shown)
  }
  const clean = rowCleaner(schema, isStrict, onUnknownField, reading)
  let batchRows = await nextBatchRows()
  let batchStartedAt = performance.now()
  let batch: CleanRow[] = []
  let findings: Finding[] = []
  const before = new RowsBefore()
  /** Rows of the batch as the file has them, and their characters. */
  const sources = new Map<number, SourceRow>()
  let length = 0
  /** Rows of a higher rank: they come last, when all their namesakes of the file are known. */
  const held: { source: SourceRow; cleaned: ReturnType<typeof clean>; rank: number }[] = []
  let heldLength = 0
  let rowsRead = 0
  /** Column names by field: one header for all rows of a table, the latest of each field in JSON. */
  const columns = new Map<string, string>()
  let header: Readonly<Record<string, string>> | undefined
  const columnOf = (field: string) => columns.get(field) ?? field
  const refused = new RefusedRows(schema, run)

  async function flush() {
    const rows = batch
    batch = []
    await writeRows(
      database,
      { schema, isStrict, change, run, before, differences: done.differences },
      rows,
      (written) => {
        for (const count of COUNTS) done[count] += written[count]
        refused.addOf(rows, written.findings, written.refusedNames)
        done.read += written.created + written.updated + written.unchanged
        findings = findings.concat(written.findings)
      },
    )
    await refused.note(database)
    const found = findings.sort((a, b) => a.row - b.row)
    findings = []
    for (const finding of found) {
      addFinding(done, finding)
      const column = finding.field === null ? undefined : columnOf(finding.field)
      const found = { ...finding, column }
      await options.onFinding?.(
        name,
        found,
        shownOf(schema.fields, finding, sources.get(finding.row)),
      )
    }
    sources.clear()
    length = 0
    tellProgress()
  }

  async function take(source: SourceRow, cleaned: ReturnType<typeof clean>) {
    if (options.onFinding) {
      sources.set(source.number, source)
      length += lengthOf(source)
    }
    if ('refusal' in cleaned) findings.push(cleaned.refusal)
    else batch.push(cleaned.row)
    if (batch.length + findings.length < batchRows && length < MOST_LENGTH) return
    await flush()
    await rest()
  }

  async function takeHeld() {
    heldLength = 0
    for (const { source, cleaned } of held.splice(0).sort((a, b) => a.rank - b.rank)) {
      if (signal?.aborted) return
      await take(source, cleaned)
    }
  }

  function tellProgress() {
    // Rows that are held back are read, but not done.
    const share = done.read / Math.max(rowsRead, 1)
    options.onProgress?.({ kind: name, bytes: Math.round(bytes() * share), rows: done.read })
  }

  async function nextBatchRows() {
    return (await isGentle?.()) ? GENTLE_BATCH_ROWS : BATCH_ROWS
  }

  async function rest() {
    if (batchRows === GENTLE_BATCH_ROWS)
      await setTimeout(Math.min(RESTS * (performance.now() - batchStartedAt), PAUSE_MS_MAX))
    batchRows = await nextBatchRows()
    batchStartedAt = performance.now()
  }

  try {
    for await (const read of rows) {
      if (signal?.aborted) break
      rowsRead++
      const source = options.correct?.(read) ?? read
      if ('columns' in source && source.columns !== header) {
        header = source.columns
        for (const [field, column] of Object.entries(header ?? {})) columns.set(field, column)
      }
      const cleaned = clean(source)
      if ('refusal' in cleaned) refused.addUnclean(source)
      const rank = 'row' in cleaned ? rankOf(schema, cleaned.row) : 0
      if (rank > 0) {
        held.push({ source, cleaned, rank })
        heldLength += lengthOf(source)
        if (held.length >= MOST_HELD || heldLength > MOST_HELD_LENGTH) await takeHeld()
      } else await take(source, cleaned)
    }
    await takeHeld()
    if (!signal?.aborted) await flush()
  } catch (error) {
    if (!signal?.aborted) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ImportStopped(`${name}: ${reason}`, summary, false, { cause: error })
    }
  }
  if (signal?.aborted) throw new ImportStopped(`${name}: interrupted`, summary, true)
  const unclear = dateEvidence.unclear()
  if (unclear.length > 0) done.unclearDates = unclear
  const questions = oddValues.questions(columnOf)
  if (questions.length > 0) done.questions = questions
  for (const question of questions) await options.onQuestion?.(name, question)
  return done
}

function lengthOf(row: SourceRow): number {
  if (!('fields' in row)) return 0
  return Object.values(row.fields).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value : (jsonOf(value) ?? '')).length,
    0,
  )
}
