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
  const wanted = wantedOf(scores, count)
  // By slot: its grade and one more, where that grade is wanted.
  const grades = zerosFor(slotCount)
  for (let i = 0; i < slots.length; i++) {
    const grade = gradeOf(scores[i] ?? 0)
    if ((wanted[grade] ?? 0) > 0) grades[slots[i] ?? 0] = grade + 1
  }
  const best: Graded[] = []
  let left = wanted.reduce((sum, each) => sum + each, 0)
  for (let place = 0; left > 0 && place < order.length; place++) {
    const slot = order[place] ?? 0
    const grade = (grades[slot] ?? 0) - 1
    if (grade < 0 || (wanted[grade] ?? 0) === 0) continue
    wanted[grade] = (wanted[grade] ?? 0) - 1
    left--
    best.push({ slot, grade })
  }
  for (let i = 0; i < slots.length; i++) grades[slots[i] ?? 0] = 0
  // Sorting is stable: within a grade they stay as the order has them.
  return best.sort((a, b) => a.grade - b.grade)
}

/** By grade, how many of it are among the best. */
function wantedOf(scores: Uint16Array, count: number): Uint32Array {
  const wanted = new Uint32Array(GRADES)
  for (let i = 0; i < scores.length; i++) {
    const grade = gradeOf(scores[i] ?? 0)
    wanted[grade] = (wanted[grade] ?? 0) + 1
  }
  let left = count
  for (let grade = 0; grade < GRADES; grade++) {
    wanted[grade] = Math.min(wanted[grade] ?? 0, left)
    left -= wanted[grade] ?? 0
  }
  return wanted
}
