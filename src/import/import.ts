/**
 * The import: files of companies, people and rounds into the directory, in batches that are each
 * stored whole or not at all. Importing a file again changes nothing but what the file changed.
 */
import { setTimeout } from 'node:timers/promises'
import type { Database } from '../database/client.ts'
import { COMPANIES } from './companies.ts'
import type { Candidate, Kind } from './kind.ts'
import { PEOPLE } from './people.ts'
import { Preparer } from './prepare.ts'
import { ROUNDS } from './rounds.ts'
import { readRows, type Source, type SourceRow } from './rows.ts'
import { storeBatch } from './store.ts'
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

export interface Progress {
  kind: KindName
  /** Of the source, so far. */
  bytes: number
  rows: number
}

export interface ImportOptions {
  onProgress?: ((progress: Progress) => void) | undefined
  onRefused?: ((kind: KindName, refusal: Refusal) => void) | undefined
  /** Told once of each field that the import doesn't know. */
  onIgnoredField?: ((kind: KindName, field: string) => void) | undefined
  /**
   * In smaller batches, after each of which it rests as long as that took: for a service whose callers
   * shall not feel an import, which shares the database and its machine with them.
   */
  isGentle?: boolean | undefined
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

const KIND: Readonly<Record<KindName, Kind>> = {
  companies: COMPANIES,
  people: PEOPLE,
  rounds: ROUNDS,
}

/** Rows in one batch. */
const BATCH_ROWS = 1_000
const GENTLE_BATCH_ROWS = 250
/** A batch that took longer waited for others. */
const REST_MS_MAX = 1_000

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
  for (const name of KINDS) {
    const source = sources[name]
    if (!source) continue
    const { stream } = source
    const interrupt = () => stream.destroy()
    options.signal?.addEventListener('abort', interrupt)
    let bytes = 0
    const rows = readRows(source, Object.keys(KIND[name].fields), (count) => {
      bytes += count
    })
    try {
      await importInto(database, name, rows, summary, options, () => bytes)
    } finally {
      options.signal?.removeEventListener('abort', interrupt)
      stream.destroy()
    }
  }
  return summary
}

/** Imports rows that are at hand, by the same rules. @throws ImportStopped */
export async function importRows(
  database: Database,
  name: KindName,
  rows: Iterable<object>,
): Promise<KindSummary> {
  function* numbered(): Generator<SourceRow> {
    let number = 0
    for (const row of rows) yield { number: ++number, fields: { ...row } }
  }
  return importInto(database, name, numbered(), {}, {}, () => 0)
}

async function importInto(
  database: Database,
  name: KindName,
  rows: AsyncIterable<SourceRow> | Iterable<SourceRow>,
  summary: Summary,
  { onProgress, onRefused, onIgnoredField, isGentle, signal }: ImportOptions,
  bytes: () => number,
): Promise<KindSummary> {
  const done = emptySummary()
  summary[name] = done
  const preparer = new Preparer(KIND[name], (field) => {
    const shown = addIgnoredField(done, field)
    if (shown !== undefined) onIgnoredField?.(name, shown)
  })
  const batchRows = isGentle ? GENTLE_BATCH_ROWS : BATCH_ROWS
  let startedAt = performance.now()
  let batch: Candidate[] = []
  let refusals: Refusal[] = []

  async function flush() {
    await storeBatch(database, KIND[name], batch, (part) => {
      done.created += part.created
      done.updated += part.updated
      done.unchanged += part.unchanged
      done.read += part.created + part.updated + part.unchanged
      refusals.push(...part.refusals)
    })
    refusals.sort((a, b) => a.row - b.row)
    for (const refusal of refusals) {
      addRefusal(done, refusal)
      onRefused?.(name, refusal)
    }
    batch = []
    refusals = []
    onProgress?.({ kind: name, bytes: bytes(), rows: done.read })
  }

  async function rest() {
    await setTimeout(Math.min(performance.now() - startedAt, REST_MS_MAX))
    startedAt = performance.now()
  }

  try {
    for await (const row of rows) {
      if (signal?.aborted) break
      const prepared = preparer.prepare(row)
      if ('candidate' in prepared) batch.push(prepared.candidate)
      else refusals.push(prepared.refusal)
      if (batch.length + refusals.length < batchRows) continue
      await flush()
      if (isGentle) await rest()
    }
    if (!signal?.aborted) await flush()
  } catch (error) {
    if (!signal?.aborted) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ImportStopped(`${name}: ${reason}`, summary, false, { cause: error })
    }
  }
  if (signal?.aborted) throw new ImportStopped(`${name}: interrupted`, summary, true)
  return done
}
