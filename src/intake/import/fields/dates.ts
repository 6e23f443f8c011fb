/**
 * Dates as people, spreadsheets and programs write them. A spelling that reads one way is taken, also a recent Unix
 * time. An ambiguous one, one without a day or another bare number is refused, and the reason names the readings. No
 * library does this: tolerant ones guess among readings, and strict ones know one spelling at a time.
 */
import { type DateOrder, type DatesOfFile, inList } from './date-orders.ts'
import { cleanText, InvalidValue, type Warn } from './values.ts'

interface Day {
  year: number
  month: number
  day: number
}

/** A day that a spelling may mean. */
interface Reading extends Day {
  /** The order, for dates in figures that don't begin with a year of four digits. */
  order?: DateOrder
  /** True for a year of two digits that would lie far ahead in this century. */
  isOld: boolean
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** A date, or a date and a time; without an offset it is UTC. */
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i
/** Hours, minutes, seconds, half of the day, offset: at the end, behind the date. */
const CLOCK =
  /(?:,? at |[T,] ?| )(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?(?: ?([ap])\.?m\.?)?(?: ?(?:(?:UTC|GMT)?([+-]\d\d(?::?\d\d)?)|Z|UTC|GMT))?(?: \([^()]*\))?$/i
const WEEKDAY = /^([a-z]{3,9})[.,]? (?=\S)/i

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/
/** `05.03.2024`, `3/5/24`; with a year of two digits it may stand in front. */
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)$/
/** `5 March 2024`, `5th of March 2024`, `05-Mar-2024`, `5-Mar-24`. */
const DAY_MONTH =
  /^(\d{1,2})(?:st|nd|rd|th|\.)?[ -](?:of )?([a-z]{3,9})\.?,?[ -](\d{4}|['’]?\d\d)$/i
/** `March 5, 2024`, `Mar 5th 2024`, `Mar 5, 24`. */
const MONTH_DAY = /^([a-z]{3,9})\.?[ -](\d{1,2})(?:st|nd|rd|th)?,?[ -](\d{4}|['’]?\d\d)$/i

/** `2024`, `March 2024`, `2024-03`, `03/2024`, `Q1 2024`. */
const WITHOUT_DAY =
  /^(?:(?:[a-z]{3,9}\.?|q[1-4]|\d{1,2})[ ,/.-]*)?\d{4}$|^\d{4}[ /-]?(?:\d{1,2}|q[1-4])$/i
const BARE_NUMBER = /^\d{5}(?:\.\d+)?$|^\d{10}(?:\d{3})?$/

/** A date or time, as ISO 8601 in UTC with milliseconds. Years 1900 to 2199. @throws InvalidValue */
export function time(value: unknown, _warn?: Warn, dates: DatesOfFile = {}): string | null {
  const written = cleanText(value, 100)
  if (written === null) return null
  const [, date, clock, offset] = ISO.exec(written) ?? []
  if (date === undefined) return unixTime(written) ?? moment(...inWords(written, dates))
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return moment({ year, month, day }, clock, offset)
}

const UNIX_SECONDS = /^\d{10}(?:\.\d+)?$/
const UNIX_MILLISECONDS = /^\d{13}$/
const UNIX_SINCE = Date.UTC(2005, 0, 1)

/** Reads Unix seconds or milliseconds from 2005 to the end of next year: no other date has as many digits. */
function unixTime(written: string): string | undefined {
  const factor = UNIX_SECONDS.test(written)
    ? 1_000
    : UNIX_MILLISECONDS.test(written)
      ? 1
      : undefined
  if (factor === undefined) return undefined
  const ms = Math.round(Number(written) * factor)
  const isOurs = ms >= UNIX_SINCE && ms < Date.UTC(new Date().getUTCFullYear() + 2, 0, 1)
  return isOurs ? new Date(ms).toISOString() : undefined
}

/** Splits off weekday and time of day, and reads the rest. */
function inWords(
  written: string,
  dates: DatesOfFile,
): [day: Day, clock?: string, offset?: string | undefined] {
  const [end, hour, minutes, seconds = '00', half, offset] = CLOCK.exec(written) ?? []
  const date = written.slice(0, written.length - (end?.length ?? 0))
  const [start, name = ''] = WEEKDAY.exec(date) ?? []
  const weekday = start === undefined ? -1 : placeOf(name, WEEKDAYS)
  const day = dayOf(weekday < 0 ? date : date.slice(start?.length), dates)
  if (weekday >= 0 && dateOf(day)?.getUTCDay() !== weekday) {
    throw new InvalidValue('the weekday is not that of the date')
  }
  if (hour === undefined) return [day]
  return [day, `${hourOf(Number(hour), half)}:${minutes}:${seconds}`, offset]
}

/** Index of a name, also of its first three letters; -1 for none. */
function placeOf(name: string, names: readonly string[]): number {
  const word = name.toLowerCase().replace(/^sept$/, 'sep')
  return names.findIndex((one) => [one, one.slice(0, 3)].some((it) => it.toLowerCase() === word))
}

/** The hour on two digits. @param half `a` or `p` of a clock of twelve hours. */
function hourOf(hour: number, half: string | undefined): string {
  if (half === undefined) return String(hour).padStart(2, '0')
  if (hour < 1 || hour > 12) throw new InvalidValue('no such time')
  return String((hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)).padStart(2, '0')
}

/** @throws InvalidValue where there is not one reading. */
function dayOf(written: string, { order, onOrders }: DatesOfFile): Day {
  const readings = readingsOf(written)
  if (readings.length === 0) throw notADate(written)
  const existing = readings.filter((day) => dateOf(day) !== undefined)
  const possible = existing.filter(({ isOld }) => !isOld)
  const [first] = possible
  if (!first) throw new InvalidValue(existing.length > 0 ? SHORT_YEAR : 'no such date')
  if (order && readings.some((reading) => reading.order === order)) {
    const said = possible.find((reading) => reading.order === order)
    if (!said)
      throw new InvalidValue(`no such date by --date-order ${order}: write it as in 2024-03-05`)
    return said
  }
  const orders = possible.flatMap((reading) => reading.order ?? [])
  const days = [...new Set(possible.map(isoDay))]
  if (orders.length > 0) onOrders?.({ written, orders, isUnclear: days.length > 1 })
  if (days.length === 1) return first
  const ways = inList([...new Set(possible.map(inEnglish))])
  throw new InvalidValue(
    `reads as ${ways}: write ${inList(days)}, or import with --date-order ${inList(orders)}`,
    { alike: 'reads as several days' },
  )
}

/** All readings of a spelling; days that don't exist are among them. */
function readingsOf(written: string): Reading[] {
  const [, year, , month, day] = YEAR_FIRST.exec(written) ?? []
  if (year) return [reading(year, month, day)]
  const [, first, mark, second, last] = YEAR_LAST.exec(written) ?? []
  if (last) {
    return [
      { ...reading(last, second, first), order: 'dmy' },
      // With dots nobody writes the month first.
      ...(mark === '.' ? [] : [{ ...reading(last, first, second), order: 'mdy' as const }]),
      // `24/03/05`: nobody writes one digit of a year.
      ...(last.length === 2 && first?.length === 2
        ? [{ ...reading(first, second, last), order: 'ymd' as const }]
        : []),
    ]
  }
  const [, dayFirst, monthNext, yearNext] = DAY_MONTH.exec(written) ?? []
  const [, monthFirst, dayNext, yearLast] = MONTH_DAY.exec(written) ?? []
  const place = placeOf(monthNext ?? monthFirst ?? '', MONTHS)
  return place < 0 ? [] : [reading(yearNext ?? yearLast, place + 1, dayFirst ?? dayNext)]
}

/** Reads years of two digits as this century's, up to next year: records aren't dated further ahead. */
function reading(year = '', month: string | number = 0, day: string | number = 0): Reading {
  const written = Number(year.replace(/^['’]/, ''))
  const isShort = year.length < 4
  const isOld = isShort && 2000 + written > new Date().getUTCFullYear() + 1
  const full = isShort ? written + (isOld ? 1900 : 2000) : written
  return { year: full, month: Number(month), day: Number(day), isOld }
}

/**
 * Midnight UTC; undefined for days that don't exist, which JavaScript would turn into others (30 February into 1 March).
 */
function dateOf({ year, month, day }: Day): Date | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  date.setUTCFullYear(year)
  const isSame = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isSame ? date : undefined
}

function moment(day: Day, clock = '00:00', offset = 'Z'): string {
  if (!dateOf(day)) throw new InvalidValue('no such date')
  const at = new Date(`${isoDay(day)}T${clock}${fullOffset(offset)}`)
  if (Number.isNaN(at.getTime())) throw new InvalidValue('no such time')
  const years = [day.year, at.getUTCFullYear()]
  if (years.some((year) => year < 1900 || year >= 2200)) {
    throw new InvalidValue('out of range (1900 to 2199)')
  }
  return at.toISOString()
}

/** `+02` and `+0200` as `+02:00`. */
function fullOffset(offset: string): string {
  if (offset.toUpperCase() === 'Z') return 'Z'
  return `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`
}

const isoDay = ({ year, month, day }: Day) =>
  [String(year).padStart(4, '0'), ...[month, day].map((it) => String(it).padStart(2, '0'))].join(
    '-',
  )

const inEnglish = ({ year, month, day }: Day) => `${day} ${MONTHS[month - 1]} ${year}`

const DAY_MS = 86_400_000
/** Day 0 of spreadsheets. */
const SERIAL_START = Date.UTC(1899, 11, 30)

const SHORT_YEAR = 'the year has two digits: write all four, as in 2024-03-05'

function notADate(written: string): InvalidValue {
  if (BARE_NUMBER.test(written)) {
    const figure = Number(written)
    const [what, at] =
      figure < 100_000
        ? ["a spreadsheet's number of a day", SERIAL_START + figure * DAY_MS]
        : ['a Unix time', written.length > 10 ? figure : figure * 1_000]
    const day = new Date(at).toISOString().slice(0, 10)
    return new InvalidValue(`a bare number, perhaps ${what} (${day}): write it as a date`, {
      alike: 'a bare number',
    })
  }
  if (WITHOUT_DAY.test(written)) {
    return new InvalidValue('names no day: write one, as in 2024-03-05')
  }
  return new InvalidValue('not a date: write it as in 2024-03-05')
}
