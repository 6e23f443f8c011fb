/** The report of an import: a CSV file with a line for each refused row and each value that was left out. */
import { open } from 'node:fs/promises'
import { csvLine } from '../csv.ts'
import type { Finding } from './summary.ts'

const HEADER = ['file', 'line', 'column', 'field', 'value', 'severity', 'reason']
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
  let waiting = csvLine(HEADER)

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
    /** Adds a line. `file` is what the operator called the source; without lines in it, `line` is the row's number. */
    async add(source: string, { line, row, column, field, value, severity, reason }: Finding) {
      waiting += csvLine([source, line ?? row, column ?? field, field, value, severity, reason])
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
