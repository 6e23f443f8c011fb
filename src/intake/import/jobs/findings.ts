/**
 * Findings of a job, one by one (refused rows and values that were left out), for pages and the report; and the cells
 * that the operator corrected, which the next check and the import take in place of the file's.
 */
import { csvLine } from '../../../csv.ts'
import type { Database } from '../../../database/client.ts'
import { targetOf } from '../column-meanings.ts'
import { type ShownRow, shownValue } from '../findings.ts'
import { FIELDS } from '../kinds.ts'
import { valueProblem } from '../option-problems.ts'
import type { SourceRow } from '../read.ts'
import { questionLine, REPORT_HEADER, reportLine } from '../report.ts'
import type { Finding, Severity } from '../summary.ts'
import { callImports, DEADLINE } from './store.ts'
import {
  HIDDEN,
  type ImportJob,
  type JobFinding,
  JobRefused,
  MOST_CORRECTIONS,
  MOST_FINDINGS,
} from './types.ts'

const WRITTEN_TOGETHER = 500
const READ_TOGETHER = 1_000

const noFindings = (): Record<Severity, number> => ({ refused: 0, warning: 0 })

type FindingRow = Omit<JobFinding, 'isPrivate' | 'corrections'>

/** Deletes the findings of a job and returns a writer of new ones. */
export async function findingsWriter(database: Database, id: string) {
  await database.use(
    ({ sql }) => sql`delete from import_job_findings where job_id = ${id}`,
    DEADLINE,
  )
  const counts = noFindings()
  let place = 0
  let waiting: FindingRow[] = []

  async function flush() {
    const written = waiting
    waiting = []
    if (written.length > 0) await insertFindings(database, id, written)
  }

  return {
    /** Notes a finding, unless there are `MOST_FINDINGS` of its severity. */
    async add(finding: Finding, shown: ShownRow) {
      const { severity, row, line, field, column, reason, value } = finding
      if (++counts[severity] > MOST_FINDINGS) return
      place++
      waiting.push({
        place,
        row,
        line: line ?? null,
        severity,
        field,
        reason,
        column: storable(shownValue(column)),
        value: storable(value ?? shown.value),
        label: storable(shown.label),
      })
      if (waiting.length >= WRITTEN_TOGETHER) await flush()
    },
    flush,
  }
}

function insertFindings(database: Database, id: string, findings: readonly FindingRow[]) {
  return database.use(
    ({ sql }) => sql`
      insert into import_job_findings (job_id, place, row, line, severity, field, column_name, reason, value, label)
      select ${id}, f.place, f.row, f.line, f.severity, f.field, f."column", f.reason, f.value, f.label
        from jsonb_to_recordset(${JSON.stringify(findings)}::text::jsonb) as f
             (place integer, row integer, line integer, severity text, field text, "column" text, reason text, value text, label text)`,
    DEADLINE,
  )
}

/** Removes what PostgreSQL's JSON can't hold. */
const storable = (text: string | undefined): string | null =>
  text === undefined ? null : text.replaceAll('\0', '').toWellFormed()

/**
 * Reads findings behind a place: refused rows before values that were left out, both in the order of the import.
 * @param options `after` is a finding's place (0: from the first on)
 */
export async function readFindings(
  database: Database,
  job: Pick<ImportJob, 'id' | 'kind'>,
  { severity, after = 0, limit }: { severity?: Severity; after?: number; limit: number },
): Promise<JobFinding[]> {
  const rows = await database.use(
    ({ sql }) => sql<FindingRow[]>`
      select place, row, line, severity, field, column_name as "column", reason, value, label
        from import_job_findings
       where job_id = ${job.id} and severity = coalesce(${severity ?? null}, severity)
         and (severity, place) > (coalesce((
               select b.severity from import_job_findings b where b.job_id = ${job.id} and b.place = ${after}::integer), ''), ${after}::integer)
       order by severity, place limit ${limit}::integer`,
    DEADLINE,
  )
  const corrections = Map.groupBy(await listCorrections(database, job), ({ row }) => row)
  return rows.map((row) => ({
    ...row,
    isPrivate: row.field !== null && FIELDS[job.kind][row.field]?.isPrivate === true,
    corrections: Object.fromEntries(
      (corrections.get(row.row) ?? []).map(({ field, value }) => [field, value]),
    ),
  }))
}

/**
 * Writes the report of a job's last check or import, as `chainkin import --report` does: CSV, piece by piece. Where
 * `MOST_FINDINGS` of a severity were kept, a last line says that there may be more.
 */
export async function* reportOf(database: Database, job: ImportJob): AsyncGenerator<string> {
  yield REPORT_HEADER
  const questions = (job.result ?? job.preview)?.questions ?? []
  for (const question of questions) yield questionLine(job.file, question)
  const counts = noFindings()
  let after = 0
  for (;;) {
    const findings = await readFindings(database, job, { after, limit: READ_TOGETHER })
    for (const { severity } of findings) counts[severity]++
    yield findings.map((finding) => reportLine(job.file, reported(finding))).join('')
    after = findings.at(-1)?.place ?? after
    if (findings.length < READ_TOGETHER) break
  }
  const reason = `the first ${MOST_FINDINGS} are listed, and there may be more`
  for (const severity of ['refused', 'warning'] as const) {
    if (counts[severity] < MOST_FINDINGS) continue
    yield csvLine([job.file, '', '', '', '', severity, reason])
  }
}

const reported = ({ row, line, field, column, value, severity, reason }: JobFinding): Finding => ({
  row,
  line: line ?? undefined,
  field,
  column: column ?? undefined,
  value: value ?? undefined,
  severity,
  reason,
})

const LONGEST_VALUE = 10_000
/** PostgreSQL's largest `integer`. */
const MOST_ROWS = 2_147_483_647

/**
 * Corrects a cell.
 * @param value as a cell of CSV; blank clears the field, null removes the correction
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
    const targets = Object.values(settings.map).map((target) => targetOf(target ?? ''))
    const factor = targets.find((target) => target.field === field)?.factor
    const problem = valueProblem(kind, field, value, { order: settings.dateOrder, factor })
    if (problem !== undefined) throw new JobRefused(`${field}: ${problem}`, field)
  }
  await callImports(
    database,
    (sql) =>
      sql`select import_job_correct(${id}, ${row}::integer, ${field}, ${value}::text, ${MOST_CORRECTIONS})`,
  )
}

/** A corrected cell. The value of a private channel is `HIDDEN`. */
export interface Correction {
  row: number
  field: string
  value: string
}

/** Lists the corrected cells of a job in the order of rows. */
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

/** Returns a function that applies a job's corrections to rows. A row that can't be read stays as it is. */
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
