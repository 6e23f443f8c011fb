/**
 * The import as a pipeline: a row is read (`read.ts`), cleaned (`clean-rows.ts`), identified (`identify.ts`) and
 * written (`write.ts`), in batches that are each stored whole or not at all. Rows without a key wait until the file
 * is read (`keyless.ts`), so that their order doesn't matter.
 */
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../database/client.ts'
import { rowCleaner } from './clean-rows.ts'
import type { ColumnMap } from './column-map.ts'
import { COMPANIES } from './companies.ts'
import { HeldRows, hasKey } from './keyless.ts'
import { checkMap, openFiles } from './open.ts'
import { PEOPLE } from './people.ts'
import type { Source, SourceRow } from './read.ts'
import { ROUNDS } from './rounds.ts'
import type { CleanRow } from './schema.ts'
import {
  addIgnoredField,
  addRefusal,
  emptySummary,
  KINDS,
  type KindName,
  type KindSummary,
  type Refusal,
  type Summary,
} from './summary.ts'
import { type Batch, nameBatch, writeBatch } from './write.ts'

export interface ImportOptions {
  /** Told after each batch how many bytes and rows of the source were read so far. */
  onProgress?: ((progress: { kind: KindName; bytes: number; rows: number }) => void) | undefined
  onRefused?: ((kind: KindName, refusal: Refusal) => void) | undefined
  /** Called once for each field that the import doesn't know. */
  onIgnoredField?: ((kind: KindName, field: string) => void) | undefined
  /**
   * Imports in smaller batches and pauses after each as long as the batch took: for a database that also
   * serves callers, who hardly notice the import then.
   */
  isGentle?: boolean | undefined
  /** Which fields columns mean, where their names don't say it. */
  columnMap?: ColumnMap | undefined
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

const SCHEMAS = { companies: COMPANIES, people: PEOPLE, rounds: ROUNDS }

/** Rows in one batch. */
const BATCH_ROWS = 1_000
const GENTLE_BATCH_ROWS = 250
/** The longest pause: a batch that took longer waited for other writers. */
const PAUSE_MS_MAX = 1_000

/**
 * Imports the sources given: companies, then people, then rounds, as the later name the earlier.
 * @throws ImportStopped when a source or the database fails half-way, or on `signal`.
 */
export async function importFiles(
  database: Database,
  sources: Partial<Record<KindName, Source>>,
  options: ImportOptions = {},
): Promise<Summary> {
  const summary: Summary = {}
  const { columnMap, signal } = options
  const close = () => {
    for (const source of Object.values(sources)) source.stream.destroy()
  }
  signal?.addEventListener('abort', close)
  const stop = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    return new ImportStopped(reason, summary, signal?.aborted ?? false, { cause: error })
  }
  try {
    const files = await openFiles(sources, columnMap).catch((error) => {
      throw stop(error)
    })
    for (const { kind, rows, bytes } of files) {
      await importKind(database, kind, rows, summary, options, bytes)
    }
    try {
      checkMap(columnMap)
    } catch (error) {
      throw stop(error)
    }
  } finally {
    signal?.removeEventListener('abort', close)
    close()
  }
  return summary
}

/** Imports rows in memory by the same rules. @throws ImportStopped */
export async function importRows(
  database: Database,
  name: KindName,
  rows: Iterable<object>,
): Promise<KindSummary> {
  function* numbered(): Generator<SourceRow> {
    let number = 0
    for (const row of rows) yield { number: ++number, fields: { ...row } }
  }
  return importKind(database, name, numbered(), {}, {}, () => 0)
}

/** Rows by kind. */
export type Rows = { readonly [kind in KindName]?: Iterable<object> | undefined }

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

/** The pipeline of one kind of records: clean, identify and write what was read, batch by batch. */
async function importKind(
  database: Database,
  name: KindName,
  rows: AsyncIterable<SourceRow> | Iterable<SourceRow>,
  summary: Summary,
  { onProgress, onRefused, onIgnoredField, isGentle, signal }: ImportOptions,
  bytes: () => number,
): Promise<KindSummary> {
  const done = emptySummary()
  summary[name] = done
  const clean = rowCleaner(SCHEMAS[name], (field) => {
    const shown = addIgnoredField(done, field)
    if (shown !== undefined) onIgnoredField?.(name, shown)
  })
  const schema = SCHEMAS[name]
  const batchRows = isGentle ? GENTLE_BATCH_ROWS : BATCH_ROWS
  let batchStartedAt = performance.now()
  let batch: CleanRow[] = []
  let refusals: Refusal[] = []
  let keyless: CleanRow[] = []
  const held = new HeldRows()

  async function flush(rows: Batch) {
    await writeBatch(database, schema, rows, (written) => {
      done.created += written.created
      done.updated += written.updated
      done.unchanged += written.unchanged
      done.read += written.created + written.updated + written.unchanged
      refusals = refusals.concat(written.refusals)
    })
    refusals.sort((a, b) => a.row - b.row)
    for (const refusal of refusals) {
      addRefusal(done, refusal)
      onRefused?.(name, refusal)
    }
    refusals = []
    onProgress?.({ kind: name, bytes: bytes(), rows: done.read })
  }

  async function rest() {
    if (isGentle) await setTimeout(Math.min(performance.now() - batchStartedAt, PAUSE_MS_MAX))
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
    // Each is refused for what it lacks, like a row that has a key.
    batch.push(...nameless)
  }

  try {
    for await (const source of rows) {
      if (signal?.aborted) break
      const cleaned = clean(source)
      if ('refusal' in cleaned) refusals.push(cleaned.refusal)
      else (hasKey(cleaned.row.values) ? batch : keyless).push(cleaned.row)
      if (keyless.length >= batchRows) await hold()
      if (batch.length + refusals.length < batchRows) continue
      await flushRead()
      await rest()
    }
    if (!signal?.aborted) {
      await hold()
      await flushRead()
    }
    for (const waiting of held.batches(batchRows)) {
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
  return done
}
