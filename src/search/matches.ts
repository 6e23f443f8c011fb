/** The records that a query or one of its readings matches, with how well each does. */
import type { SearchQuery } from './query.ts'
import { POOR, WORST } from './score.ts'

/** Matching records, in no order: slots, and at the same position the score of each. */
export interface Matches {
  slots: Uint32Array
  scores: Uint16Array
}

/**
 * The records that any of the lists holds, each with its best score.
 * @param best one number per slot, all zero before and after.
 */
export function union(lists: readonly Matches[], best: Uint32Array): Matches {
  const [first, ...others] = lists.filter(({ slots }) => slots.length > 0)
  if (!first) return { slots: new Uint32Array(0), scores: new Uint16Array(0) }
  if (others.length === 0) return first
  const all = [first, ...others]
  const found = new Uint32Array(all.reduce((sum, { slots }) => sum + slots.length, 0))
  let count = 0
  for (const { slots, scores } of all) {
    for (let i = 0; i < slots.length; i++) {
      const [slot, rest] = [slots[i] ?? 0, WORST - (scores[i] ?? 0)]
      const known = best[slot] ?? 0
      if (known === 0) found[count++] = slot
      if (rest > known) best[slot] = rest
    }
  }
  const slots = found.slice(0, count)
  const scores = Uint16Array.from(slots, (slot) => WORST - (best[slot] ?? 0))
  for (let i = 0; i < count; i++) best[slots[i] ?? 0] = 0
  return { slots, scores }
}

/** Whether these may be what was meant. One word that is found is not doubted. */
export function isEnough({ readings }: SearchQuery, { slots, scores }: Matches): boolean {
  if (slots.length === 0) return false
  const hasOneWord = readings.every((reading) => reading.length === 1)
  return hasOneWord || slots.length > DOUBTED_MAX || scores.some((score) => score < POOR)
}

/** So many records are an answer, however poorly they match. */
const DOUBTED_MAX = 50
