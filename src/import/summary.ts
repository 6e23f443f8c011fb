/** What an import did, kind by kind: the JSON that `chainkin import --json` prints. */

export const KINDS = ['companies', 'people', 'rounds'] as const
export type KindName = (typeof KINDS)[number]

/** A row that was not stored. `row` counts from 1; a CSV header and blank lines don't count. */
export interface Refusal {
  row: number
  /** `null` where the row as a whole is at fault. */
  field: string | null
  /** It never quotes a channel of the row; it may name rows, and records by their name and slug. */
  reason: string
}

export interface KindSummary {
  read: number
  created: number
  updated: number
  unchanged: number
  refused: number
  /** The first MOST_REFUSALS_KEPT of them. */
  refusals: Refusal[]
  /** Fields that the import doesn't know, by name. */
  ignoredFields: string[]
}

/** Only the kinds that were given. `read` = created + updated + unchanged + refused, at any time. */
export type Summary = Partial<Record<KindName, KindSummary>>

export const MOST_REFUSALS_KEPT = 1_000
const MOST_IGNORED_KEPT = 100

export function emptySummary(): KindSummary {
  const counts = { read: 0, created: 0, updated: 0, unchanged: 0, refused: 0 }
  return { ...counts, refusals: [], ignoredFields: [] }
}

export function addRefusal(summary: KindSummary, refusal: Refusal) {
  summary.read++
  summary.refused++
  if (summary.refusals.length < MOST_REFUSALS_KEPT) summary.refusals.push(refusal)
}

/**
 * Notes a field that the import doesn't know; gives its name the first time. In a CSV without a header the
 * "names" are a person's data, so what doesn't look like a name is not repeated.
 */
export function addIgnoredField(summary: KindSummary, name: string): string | undefined {
  const shown = /^[A-Za-z][A-Za-z0-9_ -]{0,39}$/.test(name) ? name : '(not a field name)'
  const { ignoredFields } = summary
  if (ignoredFields.includes(shown) || ignoredFields.length >= MOST_IGNORED_KEPT) return undefined
  ignoredFields.push(shown)
  return shown
}
