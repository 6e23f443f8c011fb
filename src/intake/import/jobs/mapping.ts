/**
 * Columns of a job's file, with some values, never of private channels; and the operator's settings for them, checked
 * before they are stored.
 */
import type { Database } from '../../../database/client.ts'
import { ColumnMap, type Columns, mappingsOf, targetOf } from '../column-meanings.ts'
import { DATE_ORDERS } from '../fields/date-orders.ts'
import { holdsEmail } from '../fields/values.ts'
import { beginningOf, jsonOf, shownValue } from '../findings.ts'
import type { RawRow } from '../formats/bytes.ts'
import { FIELDS, SCHEMAS } from '../kinds.ts'
import { fillProblem, targetProblem } from '../option-problems.ts'
import { columnsOf, headerOf, openRaw } from '../read.ts'
import { type KindName, NOT_SHOWN } from '../summary.ts'
import { callImports, sourceOf } from './store.ts'
import {
  HIDDEN,
  type ImportJob,
  type JobColumn,
  type JobColumns,
  JobRefused,
  type JobSettings,
} from './types.ts'

/** Rows read for values; of JSON, whose rows may differ in keys, more for keys. */
const ROWS = 100
const ROWS_OF_JSON = 1_000
const VALUES = 3
/** More than anybody maps by hand. */
const MOST_COLUMNS = 500
const MOST_SHEETS = 200
/**
 * Most characters of a column's name. Questions of web forms have hundreds; a first row that is no header has thousands.
 */
const LONGEST_NAME = 500
const LONGEST_VALUE = 80
/** Characters of a value that are checked. */
const LONGEST_LOOKED_AT = 1_000

export type JobFile = Pick<ImportJob, 'id' | 'kind' | 'file'> &
  Partial<Pick<ImportJob, 'settings' | 'preview'>>

export const columnMapOf = ({ map }: JobSettings): ColumnMap => new ColumnMap(mappingsOf(map))

/**
 * Reads the beginning of a job's file.
 * @param settings current or proposed ones
 * @throws JobRefused where the file is no table: an empty one, a workbook, a picture, a web page, a damaged archive
 */
export async function readColumns(
  database: Database,
  job: JobFile,
  settings: JobSettings,
): Promise<JobColumns> {
  const { kind } = job
  const byName = columnsOf(kind)
  const bySettings = columnsOf(kind, columnMapOf(settings))
  const source = sourceOf(database, job)
  let sheet: JobColumns['sheet']
  const choice = {
    isBeginning: true,
    sheet: settings.sheet,
    onSheet(name: string, all: readonly string[]) {
      sheet = { name, names: all.slice(0, MOST_SHEETS) }
    },
  }
  try {
    const { isTable, raw } = await openRaw({ ...source, ...choice }, bySettings)
    const { names, values, rows } = isTable
      ? await readTable(raw)
      : await readObjects(raw, laterKeys(job))
    const problem = problemOf(kind, names)
    if (problem !== undefined) {
      if (!sheet || sheet.names.length < 2) throw new JobRefused(problem)
      // The table may stand on another sheet.
      return { sheet, columns: [], missing: [], clashes: [], rows }
    }
    const columns = names.map((name, i) =>
      columnOf(name, values[i] ?? [], { kind, byName, bySettings }),
    )
    const clashes = [...bySettings.byField(names)].flatMap(([field, { columns }]) =>
      columns.length > 1 ? [{ field, columns }] : [],
    )
    const missing = missingOf(kind, columns, settings)
    return { ...(sheet && { sheet }), columns, missing, clashes, rows }
  } catch (error) {
    if (error instanceof JobRefused || !(error instanceof Error)) throw error
    throw new JobRefused(error.message)
  } finally {
    source.stream.destroy()
  }
}

/** Explains why columns of these names are no table; undefined where they are. */
function problemOf(kind: KindName, names: readonly string[]): string | undefined {
  if (names.length === 0) return 'the file has no rows: it is empty'
  if (names.length > MOST_COLUMNS)
    return `the file has more than ${MOST_COLUMNS} columns: it is no table of ${kind}`
  if (names.some((name) => name.length > LONGEST_NAME))
    return `the name of a column has more than ${LONGEST_NAME} characters: give the file a row of names above its rows`
}

interface Looked {
  names: string[]
  /** Values by column. */
  values: string[][]
  rows: number
}

async function readTable(raw: AsyncIterable<RawRow>): Promise<Looked> {
  let header: string[] | undefined
  const values: string[][] = []
  let rows = 0
  for await (const row of raw) {
    if (!header) {
      header = headerOf(row)
      continue
    }
    if ('cells' in row) row.cells.forEach((cell, i) => void add(values, i, cell))
    if (++rows >= ROWS) break
  }
  // Spreadsheets write columns without a name beside the table.
  const named = [...(header ?? []).entries()].filter(([, name]) => name !== '')
  return {
    names: named.map(([, name]) => name),
    values: named.map(([i]) => values[i] ?? []),
    rows,
  }
}

/** Keys of later rows: unknown ones of the last check, and those with a mapping. */
const laterKeys = ({ preview, settings }: JobFile): string[] => [
  ...(preview?.ignoredFields ?? []).filter((name) => name !== NOT_SHOWN),
  ...Object.keys(settings?.map ?? {}),
]

/** Reads keys and values of objects. @param later keys that may come behind these rows */
async function readObjects(raw: AsyncIterable<RawRow>, later: readonly string[]): Promise<Looked> {
  const places = new Map<string, number>()
  const values: string[][] = []
  let rows = 0
  for await (const row of raw) {
    const fields = 'fields' in row ? row.fields : {}
    for (const [key, value] of Object.entries(fields)) {
      const place = places.get(key) ?? places.size
      places.set(key, place)
      add(values, place, shownText(value))
    }
    if (++rows >= ROWS_OF_JSON) break
  }
  if (rows === 0) return { names: [], values, rows }
  return { names: [...new Set([...places.keys(), ...later])], values, rows }
}

const shownText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? ''
      : (jsonOf(value) ?? '')

function add(values: string[][], place: number, value: string) {
  values[place] ??= []
  const known = values[place]
  if (value.trim() !== '' && known.length < VALUES)
    known.push(value.trim().slice(0, LONGEST_LOOKED_AT))
}

interface Meanings {
  kind: KindName
  byName: Columns
  bySettings: Columns
}

function columnOf(
  name: string,
  values: string[],
  { kind, byName, bySettings }: Meanings,
): JobColumn {
  const guess = fieldOf(byName, name)
  const meaning = bySettings.meaningOf(name)
  const field = fieldOf(bySettings, name)
  const factor = typeof meaning === 'object' ? meaning.factor : undefined
  const isPrivate = [guess, field].some((one) => one !== null && FIELDS[kind][one]?.isPrivate)
  const isKnown = field !== null
  return {
    name,
    guess,
    field,
    ...(factor !== undefined && { factor }),
    isLeftOut: meaning === 'ignored',
    likely: guess === null ? (byName.likely(name) ?? null) : null,
    values: values.map((value) =>
      isPrivate || looksPrivate(value, isKnown, kind)
        ? HIDDEN
        : beginningOf(shownValue(value) ?? '', LONGEST_VALUE),
    ),
  }
}

function fieldOf(columns: Columns, name: string): string | null {
  const meaning = columns.meaningOf(name)
  return typeof meaning === 'object' ? meaning.field : null
}

const PROFILE = /linkedin\.com\/(?:in|pub)\//i
/** Telegram address; a company's is its community's and public. */
const TELEGRAM = /\b(?:t|telegram)\.me\//i
/** Telephone number with its marks; a plain count has none. */
const PHONE = /^(?:tel:|\+|00|\()[\d ()./-]{6,}$|^\d[\d ()./-]{8,}$/

/** Tells whether a value may be a private channel. Numbers count as telephones only in columns without a field. */
const looksPrivate = (value: string, isKnown: boolean, kind: KindName): boolean =>
  holdsEmail(value) ||
  PROFILE.test(value) ||
  (!(isKnown && kind === 'companies') && TELEGRAM.test(value)) ||
  (!isKnown && PHONE.test(value))

/** Required fields without a column or fill. A person needs a first or a last name, which may stand in one column. */
function missingOf(kind: KindName, columns: readonly JobColumn[], { fill }: JobSettings): string[] {
  const isGiven = (field: string) =>
    fill[field] !== undefined || columns.some((column) => column.field === field)
  if (kind !== 'people') return SCHEMAS[kind].required.filter((field) => !isGiven(field))
  return ['firstName', 'lastName', 'fullName'].some(isGiven) ? [] : ['firstName']
}

/**
 * Replaces a job's settings: meanings of columns, fill values and the order of dates. Unnamed columns mean what their
 * names say.
 * @returns the columns with their new meanings
 * @throws JobRefused naming the column or field at fault, or why the job takes no settings now
 */
export async function setMapping(
  database: Database,
  job: JobFile,
  settings: JobSettings,
): Promise<JobColumns> {
  const { kind, id } = job
  for (const [column, field] of Object.entries(settings.map)) expectField(kind, column, field)
  const { dateOrder } = settings
  for (const [field, value] of Object.entries(settings.fill)) {
    const problem = fillProblem([kind], field, value, dateOrder)
    if (problem !== undefined) throw new JobRefused(`${field}: ${problem}`, field)
  }
  if (dateOrder !== undefined && !DATE_ORDERS.includes(dateOrder)) {
    throw new JobRefused(`the order of dates is one of ${DATE_ORDERS.join(', ')}`, 'dateOrder')
  }
  const odd = Object.keys(settings.map).find((name) => name.includes('\0') || !name.isWellFormed())
  if (odd !== undefined) {
    throw new JobRefused('the name of a column is no text: rename it in the file', odd)
  }
  const found = await readColumns(database, job, settings)
  const names = found.columns.map(({ name }) => name)
  const unknown = Object.keys(settings.map).find((column) => !names.includes(column))
  if (unknown !== undefined) throw new JobRefused(`the file has no column "${unknown}"`, unknown)
  const [clash] = found.clashes
  if (clash) throw new JobRefused(clashReason(clash), clash.columns[1])
  const { map, fill, sheet } = settings
  const kept = { map, fill, ...(dateOrder && { dateOrder }), ...(sheet && { sheet }) }
  await callImports(
    database,
    (sql) => sql`select import_job_set(${id}, ${JSON.stringify(kept)}::text::jsonb)`,
  )
  return found
}

function clashReason({ field, columns: [first, second] }: JobColumns['clashes'][number]): string {
  if (first === second) {
    return `two columns are named "${first}": rename one in the file, or leave both out`
  }
  return `"${first}" and "${second}" both mean ${field}: choose another field for one, or leave it out`
}

/** @throws JobRefused where files of the kind have no such field, or it takes no unit */
export function expectField(kind: KindName, column: string, target: string | null) {
  const problem = target === null ? undefined : targetProblem([kind], targetOf(target))
  if (problem !== undefined) throw new JobRefused(`"${column}": ${problem}`, column)
}
