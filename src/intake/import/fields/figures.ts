/**
 * Numbers as people and spreadsheets write them: `1,200,000`, `1.200.000,00`, `1 200 000`, `$1.2M`, `USD 3m`. Where
 * comma and point read two ways, and the field could store both, the value is refused and both readings are named.
 */
import { type Cleaner, type ColumnOfFile, InvalidValue, parsed } from './values.ts'

/** Roles of a mark before exactly three digits, the only one in a number: `1,200` is 1200 or 1.2. */
type Roles = Readonly<Record<',' | '.', readonly ('thousands' | 'decimals')[]>>

/** Nobody has a fraction of a follower. */
const OF_COUNTS: Roles = { ',': ['thousands'], '.': ['thousands'] }
/** Nobody writes tenths of a cent behind a comma; programs write whatever there is behind a point. */
const OF_MONEY: Roles = { ',': ['thousands'], '.': ['thousands', 'decimals'] }
/** Numbers of another kind come out of programs. */
const OF_NUMBERS: Roles = { ',': ['thousands', 'decimals'], '.': ['decimals'] }
/** `1.250M` is 1.25 or 1,250 million. */
const OF_SCALED: Roles = { ',': ['thousands', 'decimals'], '.': ['thousands', 'decimals'] }

/** As JSON and most programs write numbers. */
const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
const LONE_MARK = /^[+-]?[1-9]\d{0,2}([.,])\d{3}$/

/** Pairs of marks: between thousands, and before decimals. */
const WAYS = [
  { thousands: ',', decimals: '.' },
  { thousands: '.', decimals: ',' },
  { thousands: ' ', decimals: '.' },
  { thousands: ' ', decimals: ',' },
  { thousands: "'", decimals: '.' },
].map((marks) => {
  const [thousands, decimals] = [`\\${marks.thousands}`, `\\${marks.decimals}`]
  const whole = `[1-9]\\d{0,2}(?:${thousands}\\d{3})+|\\d+`
  return { ...marks, pattern: new RegExp(`^[+-]?(?:${whole})(?:${decimals}\\d+)?$`) }
})

const SCALES: readonly (readonly [RegExp, number])[] = [
  [/ ?(?:k|thousand)$/i, 3],
  [/ ?(?:mm?|mn|mio|mln|million|millions)\.?$/i, 6],
  [/ ?(?:bn?|bln|billion|billions)\.?$/i, 9],
  [/ ?(?:tn|trillion|trillions)\.?$/i, 12],
]

/** A finite number from `least` to `most`; `%` behind it goes. */
export const number = (least: number, most: number): Cleaner =>
  figure(
    OF_NUMBERS,
    (value) => inRange(value, least, most),
    (text) => text.replace(/ ?%$/, ''),
  )

/** A whole number from `least` to `most`; `12.5K` is one. */
export const integer = (least: number, most: number): Cleaner =>
  figure(OF_COUNTS, (value) => wholeOf(inRange(value, least, most)))

/** An amount of US dollars up to `most`. */
export const dollars = (most: number): Cleaner =>
  figure(OF_MONEY, (value) => inRange(value, 0, most), withoutDollars)

/** Formats a number so that every field reads it as this number: 12.345 as `12.3450`. */
export function plainFigure(value: number): string {
  const text = String(value)
  return LONE_MARK.test(text) ? `${text}0` : text
}

/**
 * Makes a cleaner of numbers.
 * @param checked returns a number that can be stored
 * @param bare removes what may stand around the number
 * @throws InvalidValue
 */
function figure(
  roles: Roles,
  checked: (value: number) => number,
  bare: (text: string) => string = (text) => text,
): Cleaner {
  const ofText = ({ factor }: ColumnOfFile) =>
    parsed(100, (written) => {
      const text = bare(written.replace(/[−–]/g, '-').replaceAll('’', "'"))
      // A value with its own unit, as `$1.2M`, keeps it.
      const multiplied = scaleOf(text) ? 1 : factor
      const stored = (reading: number) => checked(times(reading, multiplied))
      const [first, second] = storable(readingsOf(text, roles), stored)
      if (first === undefined) throw new InvalidValue('not a number')
      if (second === undefined) return stored(first)
      throw new InvalidValue(
        `reads as ${first} or ${second}: write ${plainFigure(first)} or ${plainFigure(second)}`,
        { alike: 'reads as two numbers' },
      )
    })
  return (value, _warn, column = {}) =>
    typeof value === 'number' ? checked(times(value, column.factor)) : ofText(column)(value)
}

/** Keeps readings that the field can store, each once. @throws InvalidValue where all are refused */
function storable(readings: readonly number[], checked: (value: number) => number): number[] {
  const taken = new Set<number>()
  let refusal: unknown
  for (const reading of readings) {
    try {
      checked(reading)
      taken.add(reading)
    } catch (error) {
      refusal ??= error
    }
  }
  if (taken.size === 0 && refusal) throw refusal
  return [...taken]
}

/** Multiplies to the digits that people expect: 1.1 × 1e6 is 1100000. */
const times = (value: number, factor = 1): number =>
  factor === 1 ? value : Number((value * factor).toPrecision(15))

const scaleOf = (text: string) => SCALES.find(([pattern]) => pattern.test(text))

function readingsOf(text: string, roles: Roles): number[] {
  const [end, power] = scaleOf(text) ?? []
  const written = end ? text.replace(end, '') : text
  // By the exponent and not by multiplying: 1.1 * 1e6 is not 1100000.
  const figure = (plain: string) => Number(power === undefined ? plain : `${plain}e${power}`)
  const lone = LONE_MARK.exec(written)?.[1]
  if (lone === undefined && PLAIN.test(written)) return [figure(written)]
  const allowed = lone === ',' || lone === '.' ? (power ? OF_SCALED : roles)[lone] : undefined
  return WAYS.flatMap(({ thousands, decimals, pattern }) => {
    if (!pattern.test(written)) return []
    if (allowed && !allowed.includes(lone === thousands ? 'thousands' : 'decimals')) return []
    return [figure(written.replaceAll(thousands, '').replace(decimals, '.'))]
  })
}

const DOLLARS_BEFORE = /^(?:US ?\$|\$|USD\b) ?/i
const DOLLARS_BEHIND = / ?(?:US ?\$|\$|USD|dollars?|US dollars?)$/i

/** Currency of a number: `€`, `C$`, `EUR`. */
const CURRENCY = /[A-Z]{0,2}\p{Sc}|(?<![A-Za-z])(?!MIO|MLN)[A-Z]{3,5}(?![A-Za-z])/u

/** @throws InvalidValue for another currency. */
function withoutDollars(written: string): string {
  const bare = written
    .replace(DOLLARS_BEFORE, '')
    .replace(DOLLARS_BEHIND, '')
    .replace(DOLLARS_BEFORE, '')
  const currency = /\d/.test(bare) ? CURRENCY.exec(bare)?.[0] : undefined
  if (currency === undefined) return bare
  throw new InvalidValue(`not in US dollars but in ${currency}: convert it`, {
    alike: 'not in US dollars',
  })
}

function wholeOf(value: number): number {
  if (!Number.isInteger(value)) throw new InvalidValue('not a whole number')
  return value
}

function inRange(value: number, least: number, most: number): number {
  if (Number.isNaN(value)) throw new InvalidValue('not a number')
  if (value < least || value > most) throw new InvalidValue(`out of range (${least} to ${most})`)
  return value
}
