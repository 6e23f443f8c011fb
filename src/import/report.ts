/** The report of an import: a CSV file with a line for each refused row, each value that was left out, and each question about a column. */
import { open } from 'node:fs/promises'
import { csvLine } from '../csv.ts'
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

/** What the operator is asked about a column, as a line of the report; the value is the first that is odd. */
export const questionLine = (file: string, question: ColumnQuestion): string => {
  const { line, row, column, field, value } = question
  return csvLine([file, line ?? row, column, field, value, 'question', questionText(question)])
}

/** Characters that wait to be written together. */
const MOST_WAITING = 65_536
const OWNER_ONLY = 0o600

export type Report = Awaited<ReturnType<typeof openReport>>

/**
 * Makes the file, or empties it. Nobody else can read it: it holds values of people.
 * @throws the system's errors
 */
export async function openReport(path: string) {
  const file = await open(path, 'w', OWNER_ONLY)
  // A file that was there keeps its mode when it is opened. What is no file, like /dev/null, keeps it always.
  if ((await file.stat()).isFile()) await file.chmod(OWNER_ONLY)
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

/** Writes a whole report that was made elsewhere, for its owner alone. @throws the system's errors */
export async function writeReport(path: string, pieces: AsyncIterable<string>) {
  const file = await open(path, 'w', OWNER_ONLY)
  try {
    if ((await file.stat()).isFile()) await file.chmod(OWNER_ONLY)
    for await (const piece of pieces) await file.appendFile(piece)
  } finally {
    await file.close()
  }
}
