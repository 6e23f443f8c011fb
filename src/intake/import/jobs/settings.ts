/** What the operator says of a job's file, checked before it is kept. */
import type { Database } from '../../../database/client.ts'
import { targetOf, unitProblem } from '../column-map.ts'
import { DATE_ORDERS } from '../fields/date-orders.ts'
import { InvalidValue } from '../fields/values.ts'
import { FIELDS } from '../kinds.ts'
import { columnsOf } from '../open.ts'
import type { KindName } from '../summary.ts'
import { type JobFile, readColumns } from './columns.ts'
import { asked } from './store.ts'
import { type JobColumns, JobRefused, type JobSettings } from './types.ts'

/** Fields that identify a record: the same value in many rows would make one record of them all. */
const KEYS = ['id', 'externalId', 'slug']

/**
 * Says what a job's columns mean, what fills blank cells and the order of dates, instead of what was said before. Columns that aren't
 * named mean what their names say.
 * @returns the columns as they mean now
 * @throws JobRefused naming the column or field at fault, or why the job takes no settings now
 */
export async function setMapping(
  database: Database,
  job: JobFile,
  settings: JobSettings,
): Promise<JobColumns> {
  const { kind, id } = job
  for (const [column, field] of Object.entries(settings.map)) expectField(kind, column, field)
  for (const [field, value] of Object.entries(settings.fill))
    checkFill(kind, field, value, settings)
  const { dateOrder } = settings
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
  const kept = { map: settings.map, fill: settings.fill, ...(dateOrder && { dateOrder }) }
  await asked(
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
  if (target === null) return
  const { field, factor } = targetOf(target)
  if (Object.hasOwn(FIELDS[kind], field)) {
    const problem = unitProblem({ field, factor }, FIELDS[kind][field]?.isFigure)
    if (problem === undefined) return
    throw new JobRefused(`"${column}": ${problem}`, column)
  }
  const near = columnsOf(kind).likely(field)
  const meant = near === undefined ? '' : ` (did you mean ${near}?)`
  const fields = Object.keys(FIELDS[kind]).join(', ')
  throw new JobRefused(
    `"${column}": ${kind} have no field "${field}"${meant}; they have ${fields}`,
    column,
  )
}

function checkFill(kind: KindName, field: string, value: string, settings: JobSettings) {
  if (KEYS.includes(field)) {
    throw new JobRefused(`${field} can't be filled: a key is a single record's`, field)
  }
  if (!Object.hasOwn(FIELDS[kind], field)) {
    throw new JobRefused(`${kind} have no field "${field}" to fill`, field)
  }
  if (FIELDS[kind][field]?.isPrivate) {
    throw new JobRefused(`${field} can't be filled: a private channel is a single person's`, field)
  }
  if (value.trim() === '') throw new JobRefused(`${field}: give the value to fill in`, field)
  // It is in no unit of the file.
  expectStorable(kind, field, value, { ...settings, map: {} })
}

/** Checks a value, given as a cell of CSV, for one of the kind's fields. @throws JobRefused naming the field and why the value can't be stored */
export function expectStorable(
  kind: KindName,
  field: string,
  value: string,
  { dateOrder, map }: JobSettings,
) {
  const targets = Object.values(map).map((target) => targetOf(target ?? ''))
  const factor = targets.find((target) => target.field === field)?.factor
  try {
    FIELDS[kind][field]?.clean(value, undefined, { order: dateOrder, factor })
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    throw new JobRefused(`${field}: ${error.message}`, field)
  }
}
