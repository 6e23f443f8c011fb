/** How `chainkin import` ends: what it says and its exit code. */
import { ImportStopped, RemovalRefused } from '../../intake/import/import.ts'
import { KINDS, type Summary } from '../../intake/import/summary.ts'
import { EXIT_INTERRUPTED, namingFile, type Result } from './command.ts'
import { summaryText } from './import-summary.ts'

type Say = (line: string) => void

const NOTHING_WRITTEN = 'dry run: nothing was written'

/** Reasons in one line; undefined where there is none. */
export const joined = (reasons: readonly (string | undefined)[]): string | undefined =>
  reasons.filter((reason) => reason !== undefined).join('; ') || undefined

/** For `catch`: why a report is not whole. The rows went in all the same. */
export const reportFailed = (path: string) => (error: unknown) => {
  try {
    return namingFile(path)(error)
  } catch (named) {
    return `${named instanceof Error ? named.message : named}: the report is not whole`
  }
}

/** Says which files had no rows: an export that failed looks so, too. */
export function sayEmptyFiles(summary: Summary, say: Say) {
  for (const kind of KINDS) {
    if (summary[kind]?.read !== 0) continue
    say(`${kind}: no rows: the file is empty, or has nothing below its header`)
  }
}

/** The result of an import that read its files to their end. @param failure why it ends with exit 1. */
export function resultOf(
  summary: Summary,
  say: Say,
  { isDryRun = false, failure }: { isDryRun?: boolean | undefined; failure?: string | undefined },
): Result {
  if (failure !== undefined) say(`chainkin import: ${failure}`)
  return endedResult(summary, isDryRun, failure)
}

/** The result of an import that stopped, or was refused its removals. @throws what is neither. */
export function stoppedResult(error: unknown, say: Say, isDryRun = false): Result {
  if (error instanceof RemovalRefused) {
    return resultOf(error.summary, say, { isDryRun, failure: error.message })
  }
  if (!(error instanceof ImportStopped)) throw error
  const { message, summary, interrupted } = error
  const isAnyStored = Object.values(summary).some(({ created, updated }) => created + updated > 0)
  const stored = isAnyStored
    ? 'whole batches stored before it stay, and importing again is safe'
    : 'nothing was stored'
  say(`chainkin import: ${message}; ${isDryRun ? NOTHING_WRITTEN : stored}`)
  const result = endedResult(summary, isDryRun, message)
  return interrupted ? { ...result, exitCode: EXIT_INTERRUPTED } : result
}

function endedResult(summary: Summary, isDryRun: boolean, failure: string | undefined): Result {
  return {
    json: {
      ...summary,
      ...(isDryRun && { dryRun: true }),
      ...(failure !== undefined && { error: failure }),
    },
    text: [...(isDryRun ? [NOTHING_WRITTEN] : []), summaryText(summary)].join('\n'),
    exitCode: failure === undefined ? 0 : 1,
  }
}
