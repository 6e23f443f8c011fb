/** The best of many matches in an order of their own: by grade, within one as a list has them (D160). */
import { type Matches, zerosFor } from './matches.ts'
import { GRADES, gradeOf } from './score.ts'

/** A match and how well it does: the lower the better. */
export interface Graded {
  slot: number
  grade: number
}

/**
 * @param order all slots, in the order in which matches of one grade come.
 * @param count how many are wanted.
 * @returns so many, the best first.
 */
export function bestInOrder(
  { slots, scores }: Matches,
  order: Uint32Array,
  slotCount: number,
  count: number,
): Graded[] {
  // By slot: its grade and one more.
  const grades = zerosFor(slotCount)
  for (let i = 0; i < slots.length; i++) grades[slots[i] ?? 0] = gradeOf(scores[i] ?? 0) + 1
  const byGrade: Graded[][] = Array.from({ length: GRADES }, () => [])
  for (let place = 0; place < order.length; place++) {
    const slot = order[place] ?? 0
    const grade = (grades[slot] ?? 0) - 1
    const found = byGrade[grade]
    if (found && found.length < count) found.push({ slot, grade })
  }
  for (const slot of slots) grades[slot] = 0
  return byGrade.flat().slice(0, count)
}
