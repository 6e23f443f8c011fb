/** Cleaners for values that aren't free text: sets, numbers, times and lists. */
import { isUuid } from '../database/uuid.ts'
import { type Cleaner, cleanText, InvalidValue, parsed, type Stored } from './clean.ts'

/** One of a closed set, case ignored. */
export const oneOf = (allowed: readonly string[]) =>
  parsed(100, (written) => {
    const word = written.toLowerCase()
    if (!allowed.includes(word)) throw new InvalidValue(`not one of ${allowed.join(', ')}`)
    return word
  })

/** `true` or `false`; nothing is null, the third state. Also `yes`, `no`, `1`, `0`. */
export const yesOrNo: Cleaner = (value) => (typeof value === 'boolean' ? value : yesOrNoText(value))

const yesOrNoText = parsed(100, (written) => {
  if (/^(true|yes|1)$/i.test(written)) return true
  if (/^(false|no|0)$/i.test(written)) return false
  throw new InvalidValue('neither true nor false')
})

/** A finite number from `least` to `most`. */
export const number =
  (least: number, most: number): Cleaner =>
  (value) => {
    const figure = typeof value === 'number' ? value : figureOfText(value)
    if (figure === null) return null
    if (Number.isNaN(figure)) throw new InvalidValue('not a number')
    if (figure < least || figure > most)
      throw new InvalidValue(`out of range (${least} to ${most})`)
    return figure
  }

const figureOfText = parsed(100, (written) =>
  /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(written) ? Number(written) : Number.NaN,
)

/** A whole number from `least` to `most`. */
export function integer(least: number, most: number): Cleaner {
  const figure = number(least, most)
  return (value) => {
    const whole = figure(value)
    if (typeof whole === 'number' && !Number.isInteger(whole))
      throw new InvalidValue('not a whole number')
    return whole
  }
}

export const uuid = parsed(100, (written) => {
  if (!isUuid(written)) throw new InvalidValue('not a UUID')
  return written.toLowerCase()
})

/** A date, or a date and a time; without an offset it is UTC. */
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** An ISO 8601 date or time, given as one in UTC with milliseconds (D32). Years 1900 to 2200. */
export const time = parsed(100, (written) => {
  const [, date, clock = '00:00', offset = 'Z'] = ISO.exec(written) ?? []
  if (date === undefined) throw new InvalidValue('not an ISO 8601 date')
  // JavaScript turns 30 February into 2 March: a date must come back as it went in.
  const midnight = new Date(`${date}T00:00Z`)
  const moment = new Date(`${date}T${clock}${fullOffset(offset)}`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) {
    throw new InvalidValue('no such date')
  }
  if (Number.isNaN(moment.getTime())) throw new InvalidValue('no such time')
  if (date < '1900' || date >= '2200') throw new InvalidValue('out of range (1900 to 2199)')
  return moment.toISOString()
})

/** `+02` and `+0200` as `+02:00`. */
function fullOffset(offset: string): string {
  if (offset.toUpperCase() === 'Z') return 'Z'
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`
}

/** Items of an array, or of text with `|` or `;` between them (a CSV cell), each once; nothing is `[]`. */
export const list =
  (item: Cleaner, mostItems: number): Cleaner =>
  (value) => {
    const given = Array.isArray(value) ? value : (cleanText(value, 100_000)?.split(/[|;]/) ?? [])
    const items = new Set<Stored>()
    for (const one of given) {
      const stored = item(one)
      if (stored !== null && stored !== undefined) items.add(stored)
      if (items.size > mostItems) throw new InvalidValue(`more than ${mostItems} items`)
    }
    return [...items]
  }
