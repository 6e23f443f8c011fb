/** Scales of charts. */

/** Halves of these are whole from 10 on. */
const WHOLE_STEPS = [1, 2, 4, 5, 6, 8, 10]
/** Steps for money, whose halves may be fractions. */
export const FINE_STEPS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]

/** Rounds up to a step of a power of ten, at least 10: the top of a scale. */
export function roundedUp(value: number, steps: readonly number[] = WHOLE_STEPS): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return Math.max(10, steps.map((step) => step * power).find((it) => it >= value) ?? value)
}

/** A share of a chart's width or height as SVG has it, to a tenth: "12.5%". */
export const percent = (share: number): string => `${Math.round(share * 1_000) / 10}%`
