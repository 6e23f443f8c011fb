/** What `chainkin import` says at its end. */
import { unclearDatesText } from '../../intake/import/fields/date-orders.ts'
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

const MOST_REASONS_SHOWN = 10

/** Counts of each kind and, grouped, why rows were refused and values left out. */
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

/** Few spreadsheets have a column for what no company can be without. */
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
 * Why the import counts as failed, though the other rows went in: of one kind more than `mostPercent` of the rows
 * were refused. Those of people who were erased don't count: they are no fault of the file.
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
