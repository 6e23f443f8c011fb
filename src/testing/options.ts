/** Checks the kit's options: each error names the option and what is allowed. */
import { DURATION_EXPECTED, secondsOf } from '../duration.ts'

function wrong(option: string, expected: string, given: unknown): TypeError {
  return new TypeError(`${option}: expected ${expected}, got ${JSON.stringify(given) ?? given}`)
}

export function checkChoice<T extends string>(option: string, choices: readonly T[], given: T): T {
  if (!choices.includes(given)) throw wrong(option, `one of ${choices.join(', ')}`, given)
  return given
}

/** Credits, milliseconds. */
export function checkCount(option: string, given: number, least = 0): number {
  if (!Number.isSafeInteger(given) || given < least || given > 1_000_000_000) {
    throw wrong(option, `a whole number from ${least} to 1000000000`, given)
  }
  return given
}

/** @returns seconds */
export function checkDuration(option: string, given: string): number {
  const seconds = typeof given === 'string' ? secondsOf(given) : undefined
  if (seconds === undefined) throw wrong(option, DURATION_EXPECTED, given)
  return seconds
}

export function checkTime(option: string, given: Date | string): Date {
  const time = new Date(given)
  if (Number.isNaN(time.getTime())) throw wrong(option, 'a Date or an ISO 8601 time', given)
  return time
}
