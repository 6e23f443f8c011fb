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

/** A finding as a line of the report. `file` is what the operator called the source; without lines in it, `line` is the row's number. */
export const reportLine = (
  file: string,
  { line, row, column, field, value, severity, reason }: Finding,
): string => csvLine([file, line ?? row, column ?? field, field, value, severity, reason])

/** A question about a column as a line of the report; its value is the first odd one. */
export const questionLine = (file: string, question: ColumnQuestion): string => {
  const { line, row, column, field, value } = question
  return csvLine([file, line ?? row, column, field, value, 'question', questionText(question)])
}

/** Characters that wait to be written together. */
const MOST_WAITING = 65_536

export type Report = Awaited<ReturnType<typeof openReport>>

/**
 * Makes the file, in place of one that was there. Nobody else can read it: it holds values of people.
 * @throws the system's errors
 */
export async function openReport(path: string) {
  const file = await openPrivateFile(path)
  let waiting = REPORT_HEADER

  /** Why it could not be written on: the import goes on without it. */
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
    /** Writes what waits and closes the file. @throws the system's error where not all could be written. */
    async close() {
      await flush()
      await file.close()
      if (failure !== undefined) throw failure
    },
  }
}
