/**
 * The import as a pipeline: a row is read (`read.ts`), cleaned (`clean-rows.ts`), identified (`identify.ts`) and
 * written (`write.ts`), in batches that are each stored whole or not at all. Rows without a key wait until the file
 * is read (`keyless.ts`), so that their order doesn't matter.
 */
import { setTimeout } from 'node:timers/promises'
import type { Author } from '../../database/actor.ts'
import type { Database } from '../../database/client.ts'
import type { Change } from './change.ts'
import { rowCleaner } from './clean-rows.ts'
import type { ColumnMap } from './column-meanings.ts'
import { DateEvidence, type DateOrder } from './fields/date-orders.ts'
import { HeldRows, hasKey } from './keyless.ts'
import { SCHEMAS } from './kinds.ts'
import { type ColumnQuestion, OddValues } from './questions.ts'
import type { SourceRow } from './read.ts'
import type { CleanRow } from './schema.ts'
import { RefusedRows, type SourceOptions, type SourceRun } from './source-run.ts'
import {
  addFinding,
  addIgnoredField,
  emptySummary,
  type Finding,
  type KindName,
  type KindSummary,
  type Summary,
} from './summary.ts'
import { type Batch, nameBatch, writeBatch } from './write.ts'

/** How far the import of one kind is. */
export interface Progress {
  kind: KindName
  /** Read of its source so far. */
  bytes: number
  /** Rows that are stored or refused. */
  rows: number
  /** Rows without a key, which are decided when the source is read. */
  waiting: number
}

export interface ImportOptions {
  /** A value that can't be stored refuses its whole row, also where the record could do without it. */
  isStrict?: boolean | undefined
  /** Writes nothing, and says what an import would do: `onCopies`. */
  isDryRun?: boolean | undefined
  /** Told after each batch. */
  onProgress?: ((progress: Progress) => void) | undefined
  /** Told of each row that was refused and each value that was left out; what it returns is awaited. */
  onFinding?: ((kind: KindName, finding: Finding) => unknown) | undefined
  /** Told at the end of a file which of its columns the operator is asked about; what it returns is awaited. */
  onQuestion?: ((kind: KindName, question: ColumnQuestion) => unknown) | undefined
  /** Called once for each field that the import doesn't know. */
  onIgnoredField?: ((kind: KindName, field: string) => void) | undefined
  /**
   * Asked before the first batch and after each. While it says so, batches are small, and after each comes a pause three times as
   * long as it took: callers of a service on the same database hardly notice the import then.
   */
  isGentle?: (() => Promise<boolean>) | undefined
  /** The order of day, month and year in dates that read several ways. */
  dateOrder?: DateOrder | undefined
  /** For each kind, values of fields for rows that have nothing in them. */
  fill?: Partial<Record<KindName, Readonly<Record<string, string>>>> | undefined
  /** Gives each row as it is to be taken: with what was corrected in it. */
  correct?: ((row: SourceRow) => SourceRow) | undefined
  /** Which fields columns mean, where their names don't say it. */
  columnMap?: ColumnMap | undefined
  /** Who imports, for the journal: one change, whatever it brings. */
  who?: Author | undefined
  /** The journal's change, where this is one of several runs that are one change; `who` is in it. */
  change?: Change | undefined
  /** What the rows come from. */
  source?: SourceOptions | undefined
  /** Aborting finishes the batch in hand and stops. */
  signal?: AbortSignal | undefined
}

/** The import ended early; what `summary` counts is stored, whole batches only. */
export class ImportStopped extends Error {
  readonly summary: Summary
  readonly interrupted: boolean

  constructor(reason: string, summary: Summary, interrupted: boolean, options?: ErrorOptions) {
    super(reason, options)
    this.summary = summary
    this.interrupted = interrupted
  }
}

/** Rows in one batch. */
const BATCH_ROWS = 1_000
/** PostgreSQL runs a statement of so many rows for three milliseconds; then a call that needs its core gets it. */
const GENTLE_BATCH_ROWS = 25
/** How many times as long as a gentle batch took the pause after it is: servers take the changes in meanwhile. */
const RESTS = 3
/** The longest pause: a batch that took longer waited for other writers. */
const PAUSE_MS_MAX = 1_000

/** Rows of one kind of records, and how many bytes of their source were read so far. */
export interface RowsOfKind {
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
export async function importKind(
  database: Database,
  { kind: name, rows, bytes = () => 0 }: RowsOfKind,
  change: Change,
  summary: Summary,
  { isStrict = false, isDryRun = false, isGentle, signal, ...told }: ImportOptions,
  run?: SourceRun,
): Promise<KindSummary> {
  const done = emptySummary()
  summary[name] = done
  if (isDryRun) done.differences = []
  const schema = SCHEMAS[name]
  const dateEvidence = new DateEvidence()
  const oddValues = new OddValues(schema.fields)
  const reading = {
    ...{ dateOrder: told.dateOrder, dateEvidence, oddValues },
    fill: told.fill?.[name],
  }
  const onUnknownField = (field: string) => {
    const shown = addIgnoredField(done, field)
    if (shown !== undefined) told.onIgnoredField?.(name, shown)
  }
  const clean = rowCleaner(schema, isStrict, onUnknownField, reading)
  let batchRows = await nextBatchRows()
  let batchStartedAt = performance.now()
  let batch: CleanRow[] = []
  let findings: Finding[] = []
  let keyless: CleanRow[] = []
  const held = new HeldRows()
  const columns = new ColumnNames()
  const refused = new RefusedRows(schema, run)

  async function flush(rows: Batch) {
    await writeBatch(
      database,
      { schema, isStrict, change, run, differences: done.differences },
      rows,
      (written) => {
        done.created += written.created
        done.updated += written.updated
        done.unchanged += written.unchanged
        done.warned += written.warned
        done.pinned += written.pinned
        refused.addOf(rows, written.findings)
        done.read += written.created + written.updated + written.unchanged
        findings = findings.concat(written.findings)
      },
    )
    await refused.note(database)
    const found = findings.sort((a, b) => a.row - b.row)
    findings = []
    for (const finding of found) {
      addFinding(done, finding)
      await told.onFinding?.(name, { ...finding, column: columns.of(finding.field) })
    }
    tellProgress()
  }

  function tellProgress() {
    told.onProgress?.({ kind: name, bytes: bytes(), rows: done.read, waiting: held.count })
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

  async function flushRead() {
    const rows = batch
    batch = []
    await flush({ rows })
  }

  async function hold() {
    const rows = keyless
    keyless = []
    const { named, nameless } = await nameBatch(database, schema, rows)
    held.add(named)
    if (named.length > 0) tellProgress()
    // Each is refused for what it lacks, like a row that has a key.
    batch.push(...nameless)
  }

  try {
    for await (const read of rows) {
      if (signal?.aborted) break
      const source = told.correct?.(read) ?? read
      columns.read(source)
      const cleaned = clean(source)
      if ('refusal' in cleaned) {
        findings.push(cleaned.refusal)
        refused.addUnclean(source)
      } else (hasKey(cleaned.row.values) ? batch : keyless).push(cleaned.row)
      if (keyless.length >= batchRows) await hold()
      if (batch.length + findings.length < batchRows) continue
      await flushRead()
      await rest()
    }
    if (!signal?.aborted) {
      await hold()
      await flushRead()
    }
    for (const waiting of held.batches(() => batchRows)) {
      if (signal?.aborted) break
      await flush({ keyless: waiting })
      await rest()
    }
  } catch (error) {
    if (!signal?.aborted) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ImportStopped(`${name}: ${reason}`, summary, false, { cause: error })
    }
  }
  if (signal?.aborted) throw new ImportStopped(`${name}: interrupted`, summary, true)
  const unclear = dateEvidence.unclear()
  if (unclear.length > 0) done.unclearDates = unclear
  const questions = oddValues.questions((field) => columns.of(field) ?? field)
  if (questions.length > 0) done.questions = questions
  for (const question of questions) await told.onQuestion?.(name, question)
  return done
}

/** What the file calls its fields: one header for all rows of a CSV, the latest of each field in JSON. */
class ColumnNames {
  #latest: Readonly<Record<string, string>> | undefined
  readonly #names = new Map<string, string>()

  read(row: SourceRow) {
    if (!('columns' in row) || row.columns === this.#latest) return
    this.#latest = row.columns
    for (const [field, column] of Object.entries(row.columns ?? {})) this.#names.set(field, column)
  }

  of(field: string | null): string | undefined {
    return field === null ? undefined : (this.#names.get(field) ?? field)
  }
}
