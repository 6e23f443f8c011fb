/** What an import did, kind by kind: the JSON that `chainkin import --json` prints. */
import type { UnclearDates } from './fields/date-orders.ts'
import type { ColumnQuestion } from './questions.ts'

export const KINDS = ['companies', 'people', 'rounds'] as const
export type KindName = (typeof KINDS)[number]

/** Rows by kind. */
export type Rows = { readonly [kind in KindName]?: Iterable<object> | undefined }

/** Why a row or a value was not stored. */
export interface Reason {
  /** It never quotes a channel of the row; it may name rows, and records by their name and slug. */
  reason: string
  /** What it has in common with reasons that differ from it in readings, records or rows alone. */
  alike?: string | undefined
}

/** A row, or one value of a row, that was not stored. `row` counts from 1; a CSV header and blank lines don't count. */
export interface Refusal extends Reason {
  row: number
  /** `null` where the row as a whole is at fault. */
  field: string | null
}

/** `refused`: the row was not stored. `warning`: it was stored without this value, or, where no field is named, as it is. */
export type Severity = 'refused' | 'warning'

/** A refusal or a warning on its way to the summary and the report. */
export interface Finding extends Refusal {
  severity: Severity
  /** The line of the file on which the row begins, where the format has lines. */
  line?: number | undefined
  /** The field's column as the file wrote it. */
  column?: string | undefined
  /** What the file holds there, cut. Absent where the field is a private channel. */
  value?: string | undefined
}

/** One reason with how often it came. */
export interface ReasonCount extends Reason {
  severity: Severity
  field: string | null
  count: number
  firstRow: number
  /** The line of the file on which that row begins, where the format has lines. */
  firstLine?: number | undefined
}

/** A stored value that a dry run would change. Of a private channel neither value is said. */
export interface Difference {
  row: number
  line?: number | undefined
  /** The record's slug, else its externalId, else its id. */
  record: string
  field: string
  before?: unknown
  after?: unknown
}

export interface KindSummary {
  read: number
  created: number
  updated: number
  unchanged: number
  refused: number
  /** Of the refused rows, those of people who were erased at their own request. They are no fault of the file. */
  erased: number
  /** Rows that were stored with a warning. They are created, updated or unchanged, too. */
  warned: number
  /** Records that were removed because a source no longer has them. */
  removed: number
  /** Values that were not stored because their field is pinned. */
  pinned: number
  /** The first MOST_REFUSALS_KEPT of them. */
  refusals: Refusal[]
  /** The first MOST_REFUSALS_KEPT warnings. */
  warnings: Refusal[]
  /**
   * Every reason once, the most frequent first; the first MOST_REASONS_KEPT that came. Those that differ in readings,
   * records or rows alone are one, in the words of the first.
   */
  reasons: ReasonCount[]
  /** Fields that the import doesn't know, by name. */
  ignoredFields: string[]
  /** Fields whose dates read several ways, and what their other dates tell; absent where there are none. */
  unclearDates?: UnclearDates[]
  /** Columns that the operator is asked about; absent where there are none. */
  questions?: ColumnQuestion[]
  /** Of a dry run: the first MOST_DIFFERENCES_KEPT values that would change. */
  differences?: Difference[]
  /** Of a dry run of a sync: the first MOST_DIFFERENCES_KEPT records that would be removed, by slug, else externalId, else id. */
  removals?: string[]
}

/** Only the kinds that were given. `read` = created + updated + unchanged + refused, at any time. */
export type Summary = Partial<Record<KindName, KindSummary>>

/** `row 3 (line 6)`: spreadsheets and editors count lines, with what stands above the rows. */
export const placeOf = ({ row, line }: Pick<Finding, 'row' | 'line'>): string =>
  line === undefined || line === row ? `row ${row}` : `row ${row} (line ${line})`

export const MOST_REFUSALS_KEPT = 1_000
export const MOST_DIFFERENCES_KEPT = 20
/** Most reasons are fixed words; those that are alike count together. */
const MOST_REASONS_KEPT = 100
const MOST_IGNORED_KEPT = 100

/** True where every row with a warning was stored without a value. */
export const areValuesLeftOut = ({ reasons }: Pick<KindSummary, 'reasons'>): boolean =>
  !reasons.some(({ severity, field }) => severity === 'warning' && field === null)

/** Why a row is refused that tells an erased person. It says nothing of the row. */
export const ERASED = "erased at the person's request"

export function emptySummary(): KindSummary {
  const counts = {
    read: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: 0,
    erased: 0,
    warned: 0,
    removed: 0,
    pinned: 0,
  }
  return { ...counts, refusals: [], warnings: [], reasons: [], ignoredFields: [] }
}

/** Counts a refused row or a value that was left out. Rows with warnings are counted where they are written. */
export function addFinding(summary: KindSummary, finding: Finding) {
  const { severity, row, line, field, reason, alike } = finding
  if (severity === 'refused') {
    summary.read++
    summary.refused++
    if (reason === ERASED) summary.erased++
  }
  const kept = severity === 'refused' ? summary.refusals : summary.warnings
  if (kept.length < MOST_REFUSALS_KEPT) kept.push({ row, field, reason })
  const first = { firstRow: row, firstLine: line }
  addReason(summary.reasons, { severity, field, reason, alike, count: 1, ...first })
}

/** Reasons that are alike are counted as one, in the words of the first: else many dates would hide all other reasons. */
function addReason(reasons: ReasonCount[], one: ReasonCount) {
  const at = reasons.findIndex(
    (other) =>
      other.field === one.field &&
      other.severity === one.severity &&
      (other.alike ?? other.reason) === (one.alike ?? one.reason),
  )
  const known = reasons[at]
  if (!known) {
    if (reasons.length < MOST_REASONS_KEPT) reasons.push(one)
    return
  }
  known.count++
  // Keeps the most frequent in front: each moves up by as much as one count can move it.
  let to = at
  while (to > 0 && (reasons[to - 1]?.count ?? 0) < known.count) to--
  reasons.splice(at, 1)
  reasons.splice(to, 0, known)
}

/** What stands for a name that isn't repeated. */
export const NOT_SHOWN = '(not a field name)'

/**
 * The name of a column that means no field, as it is repeated. In a CSV without a header the "names" are a person's data, so what
 * doesn't look like a name is not: an address, a number.
 */
export const shownName = (name: string): string =>
  /^\p{L}[\p{L}\p{N}_ .()[\]%$#:&*-]{0,59}$/u.test(name) ? name : NOT_SHOWN

/** Notes a field that the import doesn't know; gives its name the first time. */
export function addIgnoredField(summary: KindSummary, name: string): string | undefined {
  const shown = shownName(name)
  const { ignoredFields } = summary
  if (ignoredFields.includes(shown) || ignoredFields.length >= MOST_IGNORED_KEPT) return undefined
  ignoredFields.push(shown)
  return shown
}
