/** The report of an import: a CSV file with a line for each refused row, each value that was left out, and each question about a column. */
import { csvLine } from '../../csv.ts'
import { openPrivateFile } from '../../database/private-file.ts'
import { type ColumnQuestion, questionText } from './questions.ts'
import type { Finding } from './summary.ts'

/** The report's first line. */
export const REPORT_HEADER = csvLine([
  'file',
  'line',
  'column',
  'field',
  'value',
  'severity',
  'reason',
])

/**
 * Formats a finding. `file` is the name that the operator gave; a file without lines has the row's number in `line`.
 */
export const reportLine = (
  file: string,
  { line, row, column, field, value, severity, reason }: Finding,
): string => csvLine([file, line ?? row, column ?? field, field, value, severity, reason])

/** Formats a question about a column; its value is the first odd one. */
export const questionLine = (file: string, question: ColumnQuestion): string => {
  const { line, row, column, field, value } = question
  return csvLine([file, line ?? row, column, field, value, 'question', questionText(question)])
}

const MOST_WAITING = 65_536

export type Report = Awaited<ReturnType<typeof openReport>>

/**
 * Makes the file, in place of one that was there. Nobody else can read it: it holds values of people.
 * @throws the system's errors
 */
export async function openReport(path: string) {
  const file = await openPrivateFile(path)
  let waiting = REPORT_HEADER

  /** The first error of a write: the import goes on without the report. */
  let failure: unknown

  async function flush() {
    const lines = waiting
    waiting = ''
    if (failure !== undefined) return
    await file.appendFile(lines).catch((error) => {
      failure = error
    })
  }

  return {
    /** Adds a line of `reportLine` or `questionLine`. */
    async add(line: string) {
      waiting += line
      if (waiting.length > MOST_WAITING) await flush()
    },
    /** Flushes and closes the file. @throws the system's error where a line was lost */
    async close() {
      await flush()
      await file.close()
      if (failure !== undefined) throw failure
    },
  }
}
