/** Parsers of arguments and options. Each throws an error of commander that names the allowed values. */
import { InvalidArgumentError } from 'commander'
import { parseWorkers, WORKERS_EXPECTED } from '../../config.ts'
import { wholeFrom } from '../../config-parsers.ts'
import { uuidOf } from '../../database/uuid.ts'
import { DURATION_EXPECTED, secondsOf } from '../../duration.ts'
import { FieldError, validEmail } from '../../people/users/validation.ts'

export function parseId(value: string): string {
  const id = uuidOf(value)
  if (id === undefined) throw new InvalidArgumentError('Expected an id (a UUID).')
  return id
}

/** A parser that refuses what the field of a form refuses. */
export const parserOf =
  <T>(read: (name: string, text: string) => T) =>
  (text: string): T => {
    try {
      return read('', text)
    } catch (error) {
      if (error instanceof FieldError) throw new InvalidArgumentError(error.message)
      throw error
    }
  }

export const parseEmail = parserOf(validEmail)

/** Text for a person's or company's name: 1 to 200 characters after trimming, no control characters. */
export function parseText(value: string): string {
  const text = value.trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (text === '' || text.length > 200 || /[\u0000-\u001f\u007f]/.test(text)) {
    throw new InvalidArgumentError('Expected 1 to 200 characters on one line.')
  }
  return text
}

/** A parser that takes one of these words. */
export function parseChoice<T extends string>(choices: readonly T[]) {
  return (value: string): T => {
    const choice = choices.find((known) => known === value)
    if (choice === undefined)
      throw new InvalidArgumentError(`Expected one of ${choices.join(', ')}.`)
    return choice
  }
}

/** A parser that takes a whole number of this range. */
export const parseWhole =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (value: string): number => {
    const number = wholeFrom(min, max)(value)
    if (number !== undefined) return number
    const end = max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ''
    throw new InvalidArgumentError(`Expected a whole number from ${min}${end}.`)
  }

export const parsePort = parseWhole(0, 65_535)

/** Percent: `5`, `0.5`. */
export function parsePercent(value: string): number {
  const percent = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || percent > 100) {
    throw new InvalidArgumentError('Expected a number from 0 to 100.')
  }
  return percent
}

export function parseWorkerCount(value: string): number {
  const count = parseWorkers(value)
  if (count === undefined) throw new InvalidArgumentError(`Expected ${WORKERS_EXPECTED}.`)
  return count
}

/** `90s`, `15m`, `12h` or `7d`, in seconds. */
export function parseDuration(value: string): number {
  const seconds = secondsOf(value)
  if (seconds === undefined) throw new InvalidArgumentError(`Expected ${DURATION_EXPECTED}.`)
  return seconds
}

/** A number of lines or files. */
export const parseCount = parseWhole(1, 10_000)
