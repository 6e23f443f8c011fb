/** Summary of an import by kind: the JSON that `chainkin import --json` prints. */
import type { UnclearDates } from './fields/date-orders.ts'
import type { ColumnQuestion } from './questions.ts'

export const KINDS = ['companies', 'people', 'rounds'] as const
export type KindName = (typeof KINDS)[number]

export type Rows = { readonly [kind in KindName]?: Iterable<object> | undefined }

export interface Reason {
  /** Text that never quotes a channel of the row; it may name rows, and records by their name and slug. */
  reason: string
  /** Common part of reasons that differ in readings, records or rows alone. */
  alike?: string | undefined
}

/** A row, or one value of it, that was not stored. `row` counts from 1, without a CSV header and blank lines. */
export interface Refusal extends Reason {
  row: number
  /** `null` where the row as a whole is at fault. */
  field: string | null
}

/**
 * Severity: a `refused` row was not stored; a row with a `warning` was, without this value or, where no field is named,
 * as it is.
 */
export type Severity = 'refused' | 'warning'

export interface Finding extends Refusal {
  severity: Severity
  /** The line of the file on which the row begins, where the format has lines. */
  line?: number | undefined
  /** Name of the field's column in the file. */
  column?: string | undefined
  /** Value in the file, cut. Absent for a private channel. */
  value?: string | undefined
}

export interface ReasonCount extends Reason {
  severity: Severity
  field: string | null
  count: number
  firstRow: number
  /** The line of the file on which that row begins, where the format has lines. */
  firstLine?: number | undefined
}

/** A stored value that a dry run would change, without values for a private channel. */
export interface Difference {
  row: number
  line?: number | undefined
  /** Slug, else externalId unless it is an e-mail address, else id of the record. */
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
  /** Refused rows of people who were erased at their own request. They are no fault of the file. */
  erased: number
  /** Rows stored with a warning; they are created, updated or unchanged, too. */
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
   * Reasons, the most frequent first; the first MOST_REASONS_KEPT that came. Those that are `alike` are one, in the
   * words of the first.
   */
  reasons: ReasonCount[]
  ignoredFields: string[]
  /** Fields with ambiguous dates, and the evidence of their other dates; absent without any. */
  unclearDates?: UnclearDates[]
  /** Doubtful columns; absent without any. */
  questions?: ColumnQuestion[]
  /** First MOST_DIFFERENCES_KEPT values that a dry run would change. */
  differences?: Difference[]
  /** First MOST_DIFFERENCES_KEPT records that a dry run of a sync would remove, by slug, else externalId, else id. */
  removals?: string[]
}

/** Summaries of the given kinds. `read` = created + updated + unchanged + refused, at any time. */
export type Summary = Partial<Record<KindName, KindSummary>>

/** `row 3 (line 6)`: spreadsheets and editors count lines, with what stands above the rows. */
export const placeOf = ({ row, line }: Pick<Finding, 'row' | 'line'>): string =>
  line === undefined || line === row ? `row ${row}` : `row ${row} (line ${line})`

export const MOST_REFUSALS_KEPT = 1_000
export const MOST_DIFFERENCES_KEPT = 20
/** Limit of reasons: most are fixed words, and those that are alike count together. */
const MOST_REASONS_KEPT = 100
const MOST_IGNORED_KEPT = 100

/** True where every warning is about a value that was left out. */
export const areValuesLeftOut = ({ reasons }: Pick<KindSummary, 'reasons'>): boolean =>
  !reasons.some(({ severity, field }) => severity === 'warning' && field === null)

/** Reason for rows of erased people. It says nothing of the row. */
export const ERASED = "erased at the person's request"

export function emptySummary(): KindSummary {
  return {
    read: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    refused: 0,
    erased: 0,
    warned: 0,
    removed: 0,
    pinned: 0,
    refusals: [],
    warnings: [],
    reasons: [],
    ignoredFields: [],
  }
}

/** Counts a refused row or a value left out. Rows with warnings are counted where they are written. */
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

/** Counts reasons that are alike as one, in the words of the first; else many dates would hide all other reasons. */
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
  const count = known.count + 1
  // Rows that were held back come behind later ones.
  if (one.firstRow < known.firstRow) Object.assign(known, one)
  known.count = count
  // Keeps the most frequent first: one count moves a reason up by as much as it can.
  let to = at
  while (to > 0 && (reasons[to - 1]?.count ?? 0) < known.count) to--
  reasons.splice(at, 1)
  reasons.splice(to, 0, known)
}

/** Placeholder for a name that isn't repeated. */
export const NOT_SHOWN = '(not a field name)'

/**
 * Name of an unknown column for messages. In a CSV without a header the "names" are a person's data, so a text that
 * doesn't look like a name, as an address or a number, is not repeated.
 */
export const shownName = (name: string): string =>
  /^\p{L}[\p{L}\p{N}_ .()[\]%$#:&*-]{0,59}$/u.test(name) ? name : NOT_SHOWN

/** Adds an unknown field; returns its name the first time. */
export function addIgnoredField(summary: KindSummary, name: string): string | undefined {
  const shown = shownName(name)
  const { ignoredFields } = summary
  if (ignoredFields.includes(shown) || ignoredFields.length >= MOST_IGNORED_KEPT) return undefined
  ignoredFields.push(shown)
  return shown
}
