/** What `imports` says to people. */
import { targetText } from '../../intake/import/column-meanings.ts'
import type { ImportJob, JobColumns, JobFinding } from '../../intake/import/jobs/types.ts'
import { placeOf } from '../../intake/import/summary.ts'

const MB = 1_048_576

/** A job on one line. */
export function jobText({ id, kind, file, bytes, ...job }: ImportJob): string {
  const { state, stopped, progress, addedAt, addedBy, corrections, hasFile } = job
  const said = [
    stopped && `the ${stopped.work} stopped: ${stopped.reason}`,
    (state === 'checking' || state === 'importing') && progress && `${progress.rows} rows so far`,
    corrections > 0 && `${corrections} cells corrected`,
    !hasFile && state === 'waiting' && 'its file is gone',
  ].filter((part) => typeof part === 'string')
  const size = bytes < MB ? `${Math.ceil(bytes / 1_024)} KB` : `${(bytes / MB).toFixed(1)} MB`
  const head = `${id}  ${addedAt}  ${state}  ${kind}  ${file} (${size}, ${addedBy})`
  return [head, ...said].join('; ')
}

/** The columns of a file, one a line, and what is wrong with them. */
export function columnsText({ columns, missing, clashes }: JobColumns): string {
  const lines = columns.map(({ name, field, factor, likely, isLeftOut, values }) => {
    const target = field === null ? null : targetText({ field, factor })
    const meant = isLeftOut ? 'left out' : (target ?? (likely ? `nothing (${likely}?)` : 'nothing'))
    return `${name} = ${meant}  (${values.join(', ')})`
  })
  const clashing = clashes.map(
    ({ field, columns: [first, second] }) =>
      `"${first}" and "${second}" both mean ${field}: leave one out`,
  )
  return [...lines, ...clashing, ...missing.map((field) => `no column means ${field}`)].join('\n')
}

/** A refused row or a value that was left out. */
export function findingText({
  row,
  line,
  field,
  reason,
  severity,
  label,
  value,
}: JobFinding): string {
  const place = placeOf({ row, line: line ?? undefined })
  const cell = field === null ? '' : `${field}${value === null ? '' : ` (${value})`}: `
  const name = label === null ? '' : ` ${label}:`
  return `${severity} ${place}:${name} ${cell}${reason}`
}
