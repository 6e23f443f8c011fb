/** Checks the kit's options: each error names the option and what is allowed. */
import { DURATION_EXPECTED, secondsOf } from '../duration.ts'

/** An option is wrong: the message names it and says what is allowed. */
export class WrongOption extends TypeError {}

/** The object of an id doesn't exist, or no longer. */
export class NotThere extends Error {
  override name = 'NotThere'
}

/** @param expected what is allowed, in words */
export function wrong(option: string, expected: string, given: unknown): WrongOption {
  return new WrongOption(`${option}: expected ${expected}, got ${JSON.stringify(given) ?? given}`)
}

/** Refuses what is misspelt. @param of what the options are of @param known their names */
export function checkNames(of: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw wrong(of, 'an object with options', given)
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new WrongOption(`${of}: there is no option ${unknown}; there are ${known.join(', ')}`)
}

export const TEXT = '1 to 200 characters, and none of U+0000'
/** Texts that PostgreSQL can keep. */
export const isText = (text: string) =>
  text.length > 0 && text.length <= 200 && !text.includes('\0')

export function checkChoice<T extends string | number>(
  option: string,
  choices: readonly T[],
  given: T,
): T {
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

/** A part of a whole: above 0, up to 1. */
export function checkShare(option: string, given: number): number {
  if (typeof given !== 'number' || !(given > 0 && given <= 1)) {
    throw wrong(option, 'a number above 0 and up to 1', given)
  }
  return given
}

export function checkFlag(option: string, given: boolean): boolean {
  if (typeof given !== 'boolean') throw wrong(option, 'true or false', given)
  return given
}

/** @param allowed what the text may be, in words */
export function checkText(
  option: string,
  given: string,
  allowed: string,
  isAllowed: (text: string) => boolean,
): string {
  if (typeof given !== 'string' || !isAllowed(given)) throw wrong(option, allowed, given)
  return given
}

/** @returns seconds */
export function checkDuration(option: string, given: string): number {
  const seconds = typeof given === 'string' ? secondsOf(given) : undefined
  if (seconds === undefined) throw wrong(option, DURATION_EXPECTED, given)
  return seconds
}

export function checkTime(option: string, given: Date | string): Date {
  // `Date` would make a time of null or a number, too.
  const time = new Date(typeof given === 'string' || given instanceof Date ? given : Number.NaN)
  if (Number.isNaN(time.getTime())) throw wrong(option, 'a Date or an ISO 8601 time', given)
  return time
}

/** Ends that are counted from a clock's time are still times of PostgreSQL and of JavaScript. */
const LAST_YEAR = 2999

/** A time that a directory's clock may have. */
export function checkClockTime(option: string, time: Date): Date {
  if (time.getUTCFullYear() <= LAST_YEAR) return time
  throw wrong(option, `a time before the year ${LAST_YEAR + 1}`, time)
}
