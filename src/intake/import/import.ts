/**
 * Imports: of files, for the command, and of rows in memory, for demo, kit and tests. `pipeline.ts` shows how rows
 * become records.
 */
import type { Database } from '../../database/client.ts'
import type { LongLock } from '../../database/long-lock.ts'
import { type Change, newChange } from './change.ts'
import { onCopies } from './dry-run.ts'
import { type ImportOptions, ImportStopped, importKind } from './pipeline.ts'
import { checkMap, openFiles, type Source, type SourceRow } from './read.ts'
import { endRun, expectLocked, lockSource, RemovalRefused, startRun } from './source-run.ts'
import { SourceColumns } from './sources.ts'
import { KINDS, type KindName, type KindSummary, type Rows, type Summary } from './summary.ts'

export { type ImportOptions, ImportStopped, type Progress } from './pipeline.ts'
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
