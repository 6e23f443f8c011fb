/** Cells of a job's file that the operator corrected: they are taken in place of what the file has, by the next check and the import. */
import type { Database } from '../../../database/client.ts'
import { FIELDS } from '../kinds.ts'
import type { SourceRow } from '../read.ts'
import { expectStorable } from './settings.ts'
import { asked, DEADLINE } from './store.ts'
import { HIDDEN, type ImportJob, JobRefused, MOST_CORRECTIONS } from './types.ts'

const LONGEST_VALUE = 10_000
/** PostgreSQL's largest `integer`. */
const MOST_ROWS = 2_147_483_647

/**
 * Corrects a cell.
 * @param value as a cell of CSV has it; blank clears the field, null takes the correction back
 * @throws JobRefused naming the field and why its value can't be stored, or why the job can't be corrected now
 */
export async function correct(
  database: Database,
  { id, kind, settings }: Pick<ImportJob, 'id' | 'kind' | 'settings'>,
  { row, field, value }: { row: number; field: string; value: string | null },
): Promise<void> {
  if (!Number.isInteger(row) || row < 1 || row > MOST_ROWS) {
    throw new JobRefused('a row is named by its number, from 1', 'row')
  }
  if (!Object.hasOwn(FIELDS[kind], field)) {
    throw new JobRefused(`${kind} have no field "${field}"`, field)
  }
  if (value !== null) {
    if (value.length > LONGEST_VALUE) {
      throw new JobRefused(`${field}: longer than ${LONGEST_VALUE} characters`, field)
    }
    expectStorable(kind, field, value, settings)
  }
  await asked(
    database,
    (sql) =>
      sql`select import_job_correct(${id}, ${row}::integer, ${field}, ${value}::text, ${MOST_CORRECTIONS})`,
  )
}

/** A corrected cell as it is shown. The value of a private channel is `HIDDEN`. */
export interface Correction {
  row: number
  field: string
  value: string
}

/** The cells of a job that were corrected, in the order of rows. */
export async function listCorrections(
  database: Database,
  { id, kind }: Pick<ImportJob, 'id' | 'kind'>,
): Promise<Correction[]> {
  const corrections = await readCorrections(database, id)
  return corrections.map(({ row, field, value }) => ({
    row,
    field,
    value: FIELDS[kind][field]?.isPrivate ? HIDDEN : value,
  }))
}

const readCorrections = (database: Database, id: string): Promise<Correction[]> =>
  database.use(
    async ({ sql }) => [
      ...(await sql<Correction[]>`
        select row, field, value from import_job_corrections where job_id = ${id} order by row, field`),
    ],
    DEADLINE,
  )

/** Gives rows with what was corrected in them. A row that can't be read stays as it is. */
export async function correcting(
  database: Database,
  id: string,
): Promise<(row: SourceRow) => SourceRow> {
  const byRow = Map.groupBy(await readCorrections(database, id), ({ row }) => row)
  return (row) => {
    const corrections = byRow.get(row.number)
    if (!corrections || !('fields' in row)) return row
    const given = Object.fromEntries(corrections.map(({ field, value }) => [field, value]))
    return { ...row, fields: { ...row.fields, ...given } }
  }
}
