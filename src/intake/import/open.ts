/** Opens the files of an import: the beginning of each is read before anything of any is stored. */
import type { ColumnMap } from './column-map.ts'
import { Columns } from './header.ts'
import { FIELDS } from './kinds.ts'
import { openSource, type Source, type SourceRow } from './read.ts'
import { KINDS, type KindName } from './summary.ts'

export interface OpenedFile {
  kind: KindName
  columns: Columns
  /** Whether all columns are known by a header; else each row brings its own. */
  hasHeader: boolean
  rows: AsyncGenerator<SourceRow>
  /** Bytes of the file that were read so far. */
  bytes(): number
}

/** Words for a record of a kind that files put in front of a column's name: `round_date`, `Company Domain`. */
const RECORD_WORDS: Readonly<Record<KindName, readonly string[]>> = {
  companies: ['company', 'organization', 'organisation', 'account', 'project', 'firm'],
  people: ['person', 'people', 'contact', 'member', 'lead'],
  rounds: ['round', 'deal', 'funding', 'financing', 'raise', 'investment', 'transaction'],
}

/** The columns that files of a kind may have. */
export const columnsOf = (kind: KindName, map?: ColumnMap): Columns =>
  new Columns(
    new Map(Object.entries(FIELDS[kind]).map(([field, { aliases }]) => [field, aliases])),
    map,
    RECORD_WORDS[kind],
  )

/**
 * Opens companies, then people, then rounds.
 * @param mapOf with what is remembered of a source's columns beside what `map` says
 * @throws Error naming the kind whose format, encoding or header can't be read; or naming a mapping whose column is in
 *   no header. Keys of JSON are known when all rows are read: `checkMap` looks then.
 */
export async function openFiles(
  sources: Partial<Record<KindName, Source>>,
  map?: ColumnMap,
  mapOf: (kind: KindName) => ColumnMap | undefined = () => map,
): Promise<OpenedFile[]> {
  const files: OpenedFile[] = []
  let areColumnsKnown = true
  for (const kind of KINDS) {
    const source = sources[kind]
    if (!source) continue
    let bytes = 0
    const columns = columnsOf(kind, mapOf(kind))
    const opened = openSource(source, columns, (count) => {
      bytes += count
    })
    const { rows, hasHeader } = await opened.catch((error) => {
      throw new Error(`${kind}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      })
    })
    areColumnsKnown &&= hasHeader
    files.push({ kind, columns, hasHeader, rows, bytes: () => bytes })
  }
  if (areColumnsKnown) checkMap(map)
  return files
}

/** @throws Error naming a mapping whose column no file has. */
export function checkMap(map: ColumnMap | undefined) {
  const [unused] = map?.unused() ?? []
  if (unused) throw new Error(`${unused.given}: no file has a column "${unused.column}"`)
}
