/** Files read as rows of a kind with the fields name, slug, domain and firstName. */
import { Readable } from 'node:stream'
import { ColumnMap, Columns, type Mapping } from '../../../src/intake/import/column-meanings.ts'
import {
  type Format,
  openSource,
  type Source,
  type SourceRow,
} from '../../../src/intake/import/read.ts'

const NAMES = new Map([
  ['name', ['Company Name', 'Organization']],
  ['slug', []],
  ['domain', ['Website', 'URL']],
  ['firstName', ['Given name']],
])

export const columns = (mappings: readonly Mapping[] = []) =>
  new Columns(NAMES, new ColumnMap(mappings))

export async function* rowsOf(source: Source, known = columns()): AsyncGenerator<SourceRow> {
  const { rows } = await openSource(source, known)
  yield* rows
}

/** All rows of a file that comes in these chunks. */
export function readFile(
  content: string | Buffer | readonly Buffer[],
  { format, known }: { format?: Format | undefined; known?: Columns } = {},
): Promise<SourceRow[]> {
  const chunks = Array.isArray(content) ? content : [Buffer.from(content as string)]
  return Array.fromAsync(rowsOf({ stream: Readable.from(chunks), format }, known))
}

/** What rows say, refused ones by number and reason. */
export const fieldsOf = (rows: readonly SourceRow[]) =>
  rows.map((row) => ('fields' in row ? row.fields : `${row.number}: ${row.refusal.reason}`))
