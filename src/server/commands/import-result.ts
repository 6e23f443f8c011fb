/** Messages and exit code at the end of an import. */
import { unclearDatesText } from '../../intake/import/fields/date-orders.ts'
import { ImportStopped, RemovalRefused } from '../../intake/import/import.ts'
import { questionText } from '../../intake/import/questions.ts'
import {
  areValuesLeftOut,
  type Difference,
  KINDS,
  type KindSummary,
  placeOf,
  type ReasonCount,
  type Summary,
} from '../../intake/import/summary.ts'
import { EXIT_INTERRUPTED, namingFile, type Result } from './command.ts'

type Say = (line: string) => void

const NOTHING_WRITTEN = 'dry run: nothing was written'

/** For `catch`: words why the report is incomplete, though the rows were imported. */
export const reportFailed = (path: string) => (error: unknown) => {
  try {
    return namingFile(path)(error)
  } catch (named) {
    return `${named instanceof Error ? named.message : named}: the report is not whole`
  }
}

/** Names files without rows, because a failed export looks like one. */
export function sayEmptyFiles(summary: Summary, say: Say) {
  for (const kind of KINDS) {
    if (summary[kind]?.read !== 0) continue
    say(`${kind}: no rows: the file is empty, or has nothing below its header`)
  }
}

/** The result of an import. @param failure a reason for exit 1 */
export function resultOf(
  summary: Summary,
  say: Say,
  isDryRun: boolean,
  failure: string | undefined,
  consequence = '',
): Result {
  if (failure !== undefined) say(`chainkin import: ${failure}${consequence}`)
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

/** The result of an import that stopped or whose removals were refused. @throws other errors */
export function stoppedResult(error: unknown, say: Say, isDryRun = false): Result {
  if (error instanceof RemovalRefused) return resultOf(error.summary, say, isDryRun, error.message)
  if (!(error instanceof ImportStopped)) throw error
  const { message, summary, interrupted } = error
  const isAnyStored = Object.values(summary).some(({ created, updated }) => created + updated > 0)
  const stored = isAnyStored
    ? 'whole batches stored before it stay, and importing again is safe'
    : 'nothing was stored'
  const consequence = `; ${isDryRun ? NOTHING_WRITTEN : stored}`
  const result = resultOf(summary, say, isDryRun, message, consequence)
  return interrupted ? { ...result, exitCode: EXIT_INTERRUPTED } : result
}

const MOST_REASONS_SHOWN = 10

/** Counts of each kind, with the reasons of refused rows and omitted values in groups. */
export function summaryText(summary: Summary): string {
  return KINDS.flatMap((kind) => {
    const done = summary[kind]
    if (!done) return []
    const differences = done.differences ?? []
    const counts = `${kind}: ${countsOf(done)}`
    const removals = (done.removals ?? []).map((record) => `  removed: ${record}`)
    const questions = (done.questions ?? []).map((question) => `  ${questionText(question)}`)
    const dates = (done.unclearDates ?? []).map((unclear) => `  ${unclearDatesText(unclear)}`)
    return [
      counts,
      ...reasonLines(done.reasons),
      ...dates,
      ...questions,
      ...differences.map(differenceLine),
      ...removals,
    ]
  }).join('\n')
}

function countsOf(summary: KindSummary): string {
  const { read, created, updated, unchanged, refused, warned, pinned, removed } = summary
  const how = areValuesLeftOut(summary) ? 'without a value' : 'with a warning'
  return [
    `${read} read, ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused`,
    ...(warned > 0 ? [`${warned} stored ${how}`] : []),
    ...(pinned > 0 ? [`${pinned} pinned values kept`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
  ].join('; ')
}

/** Hint for a required field that few spreadsheets have. */
const FILL_TYPE = ', which --fill companyType=project says of all such rows'

function reasonLines(reasons: readonly ReasonCount[]): string[] {
  const shown = reasons.slice(0, MOST_REASONS_SHOWN).map((one) => {
    const { severity, field, reason, count, firstRow, firstLine } = one
    const first = firstLine === undefined ? `row ${firstRow}` : `line ${firstLine}`
    const what = severity === 'refused' ? 'refused' : field === null ? 'warning' : 'left out'
    const cure = field === 'companyType' && reason === 'missing' ? FILL_TYPE : ''
    return `  ${count} × ${what}: ${field === null ? '' : `${field}: `}${reason}${cure} (first: ${first})`
  })
  return reasons.length > shown.length ? [...shown, '  and more reasons'] : shown
}

function differenceLine({ row, line, record, field, before, after }: Difference): string {
  const change =
    after === undefined ? 'changes' : `${JSON.stringify(before)} → ${JSON.stringify(after)}`
  return `  ${placeOf({ row, line })}: ${record}: ${field}: ${change}`
}

/**
 * The reason for exit 1 where more than `mostPercent` of a file's rows were refused, though the others were stored. Rows of
 * erased people don't count, because they are no fault of the file.
 */
export function tooManyRefused(summary: Summary, mostPercent: number): string | undefined {
  const reasons = KINDS.flatMap((kind) => {
    const { read = 0, refused = 0, erased = 0 } = summary[kind] ?? {}
    const faulty = refused - erased
    if (faulty * 100 <= read * mostPercent) return []
    const percent = Number(((faulty * 100) / read).toPrecision(3))
    return [
      `${kind}: ${faulty} of ${read} rows were refused (${percent} %); --max-refused allows ${mostPercent} %`,
    ]
  })
  if (reasons.length === 0) return undefined
  return `${reasons.join('; ')}. Correct them (--report FILE lists them) and import again`
}
