/** Dates and numbers as people and spreadsheets write them: one reading is taken, two are refused and named. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { time } from '../../../src/intake/import/fields/dates.ts'
import { dollars, integer, number, plainFigure } from '../../../src/intake/import/fields/figures.ts'
import { type Cleaner, InvalidValue } from '../../../src/intake/import/fields/values.ts'

/** What is stored, or the reason why it is refused. */
function stored(clean: Cleaner, value: unknown) {
  try {
    return clean(value)
  } catch (error) {
    if (error instanceof InvalidValue) return `refused: ${error.message}`
    throw error
  }
}

function reads(clean: Cleaner, cases: readonly (readonly [unknown, unknown])[]) {
  for (const [given, wanted] of cases) {
    test(`${JSON.stringify(given)} → ${wanted}`, () =>
      expect(stored(clean, given)).toBe(wanted as never))
  }
}

const day = (written: unknown) => {
  const moment = time(written)
  return typeof moment === 'string' ? moment.replace('T00:00:00.000Z', '') : moment
}

const TWO_DIGITS = 'refused: the year has two digits: write all four, as in 2024-03-05'
const DAY_OR_MONTH =
  'refused: reads as 3 May 2024 or 5 March 2024: write 2024-05-03 or 2024-03-05, or import with --date-order dmy or mdy'
const THIS_YEAR = new Date().getUTCFullYear()
const NO_DAY = 'refused: names no day: write one, as in 2024-03-05'
const NO_DATE = 'refused: not a date: write it as in 2024-03-05'

describe('dates', () => {
  reads(day, [
    ...[
      ...['2024-03-05', '2024/03/05', '2024/3/5', '2024.03.05', '05.03.2024', '5.3.2024'],
      ...['5 March 2024', '5 Mar 2024', '05-Mar-2024', '5th of March 2024', '5. March 2024'],
      ...[
        'March 5, 2024',
        'Mar 5, 2024',
        'Mar. 5th 2024',
        'Tuesday, March 5, 2024',
        'Tue 5 Mar 2024',
      ],
    ].map((written) => [written, '2024-03-05'] as const),
    ['25/12/2024', '2024-12-25'],
    ['12/25/2024', '2024-12-25'],
    ['05/05/2024', '2024-05-05'],
    ['Sept 5, 2024', '2024-09-05'],
    ['3/14/2024 10:05 PM', '2024-03-14T22:05:00.000Z'],
    ['12/12/2024 12:30 am', '2024-12-12T00:30:00.000Z'],
    ['March 5, 2024 at 10:00', '2024-03-05T10:00:00.000Z'],
    ['Tue, 05 Mar 2024 10:00:00 +0200', '2024-03-05T08:00:00.000Z'],
    ['Tue Mar 05 2024 10:00:00 GMT+0200 (Eastern European Time)', '2024-03-05T08:00:00.000Z'],
    ['03/05/2024', DAY_OR_MONTH],
    ['03-05-2024', DAY_OR_MONTH],
    ['31/31/2024', 'refused: no such date'],
    ['30 February 2024', 'refused: no such date'],
    ['3/14/2024 13:05 PM', 'refused: no such time'],
    ['Monday, March 5, 2024', 'refused: the weekday is not that of the date'],
    ...['3/14/24', "14 Mar '24", '14-Mar-24', 'Mar 14, 24', '03/14/24'].map(
      (written) => [written, '2024-03-14'] as const,
    ),
    ['3/14/24 10:05 PM', '2024-03-14T22:05:00.000Z'],
    ['30.03.24', '2024-03-30'],
    ['5.3.24', '2024-03-05'],
    ['3/5/24', DAY_OR_MONTH],
    [
      '03/05/24',
      'refused: reads as 3 May 2024, 5 March 2024 or 24 May 2003: write 2024-05-03, 2024-03-05 or 2003-05-24, or import with --date-order dmy, mdy or ymd',
    ],
    [
      '05.03.24',
      'refused: reads as 5 March 2024 or 24 March 2005: write 2024-03-05 or 2005-03-24, or import with --date-order dmy or ymd',
    ],
    ['5/5/24', '2024-05-05'],
    ['3/14/85', TWO_DIGITS],
    ["5 Mar '85", TWO_DIGITS],
    [`14-Mar-${(THIS_YEAR + 1) % 100}`, `${THIS_YEAR + 1}-03-14`],
    [`14-Mar-${(THIS_YEAR + 2) % 100}`, TWO_DIGITS],
    ['31/31/24', 'refused: no such date'],
    ['March 2024', NO_DAY],
    ['2024-03', NO_DAY],
    ['Q1 2024', NO_DAY],
    [2024, NO_DAY],
    [
      45356,
      "refused: a bare number, perhaps a spreadsheet's number of a day (2024-03-05): write it as a date",
    ],
    [1709632800, '2024-03-05T10:00:00.000Z'],
    [1709632800000, '2024-03-05T10:00:00.000Z'],
    ['1709632800', '2024-03-05T10:00:00.000Z'],
    ['1709632800.5', '2024-03-05T10:00:00.500Z'],
    [1104537600, '2005-01-01'],
    [1104537599, 'refused: a bare number, perhaps a Unix time (2004-12-31): write it as a date'],
    [
      Date.UTC(THIS_YEAR + 2, 0, 1),
      `refused: a bare number, perhaps a Unix time (${THIS_YEAR + 2}-01-01): write it as a date`,
    ],
    [170963280, NO_DATE],
    ['5 March', NO_DATE],
    ['soon', NO_DATE],
    ['5 Foo 2024', NO_DATE],
  ])

  const days = fc.date({
    min: new Date('1900-01-01'),
    max: new Date('2199-12-31'),
    noInvalidDate: true,
  })
  const English = (options: Intl.DateTimeFormatOptions, locale = 'en-US') => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    return (date: Date) => format.format(date)
  }
  const parts = (date: Date) => ({
    y: date.getUTCFullYear(),
    m: date.getUTCMonth() + 1,
    d: date.getUTCDate(),
  })
  const SPELLINGS: readonly ((date: Date) => string)[] = [
    (date) => date.toISOString().slice(0, 10),
    (date) => date.toISOString().slice(0, 10).replaceAll('-', '/'),
    (date) => (({ y, m, d }) => `${d}.${m}.${y}`)(parts(date)),
    (date) => (({ y, m, d }) => `${y}/${m}/${d}`)(parts(date)),
    (date) => date.toUTCString(),
    English({ dateStyle: 'long' }),
    English({ dateStyle: 'medium' }),
    English({ dateStyle: 'full' }),
    English({ dateStyle: 'long' }, 'en-GB'),
    English({ dateStyle: 'medium' }, 'en-GB'),
    English({ dateStyle: 'full' }, 'en-GB'),
    (date) => English({ dateStyle: 'medium' })(date).toUpperCase(),
  ]

  test('any day reads back from every spelling that reads one way', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(...SPELLINGS), (date, spelling) => {
        const written = spelling(date)
        expect([written, stored(time, written)?.toString().slice(0, 10)]).toEqual([
          written,
          date.toISOString().slice(0, 10),
        ])
      }),
    )
  })

  test('a day and a month in figures give that day, or both readings', () => {
    fc.assert(
      fc.property(days, fc.boolean(), (date, dayFirst) => {
        const { y, m, d } = parts(date)
        const got = stored(day, dayFirst ? `${d}/${m}/${y}` : `${m}/${d}/${y}`)
        const iso = date.toISOString().slice(0, 10)
        if (d > 12 || d === m) expect(got).toBe(iso)
        else expect(got).toMatch(new RegExp(`^refused: reads as .* write .*${iso}`))
      }),
    )
  })
})

const money = dollars(1e15)
const count = integer(0, 2_147_483_647)
const percent = number(-100, 1e9)

describe('amounts of money', () => {
  const million = [
    '$1.2M',
    '1,200,000',
    '1.200.000,00',
    '1 200 000',
    '1\u202f200\u202f000',
    "1'200'000",
  ]
  reads(money, [
    ...[
      ...million,
      'USD 1.2m',
      '1.2m USD',
      '1,2 Mio.',
      '1.2 million',
      '$ 1.2mm',
      '1200000.0',
      '1.2e6',
    ].map((written) => [written, 1_200_000] as const),
    ['$500,000', 500_000],
    ['1.5bn', 1.5e9],
    ['$1.1B', 1.1e9],
    ['$1,200.50', 1_200.5],
    ['0.125', 0.125],
    ['', null],
    ['1.200', 'refused: reads as 1.2 or 1200: write 1.2 or 1200'],
    ['12.345', 'refused: reads as 12.345 or 12345: write 12.3450 or 12345'],
    ['1,250M', 'refused: reads as 1250000000 or 1250000: write 1250000000 or 1250000'],
    ['€3m', 'refused: not in US dollars but in €: convert it'],
    ['C$3m', 'refused: not in US dollars but in C$: convert it'],
    ['500 ETH', 'refused: not in US dollars but in ETH: convert it'],
    ['1,20,000', 'refused: not a number'],
    ['$3M+', 'refused: not a number'],
    ['TBD', 'refused: not a number'],
    ['-5', 'refused: out of range (0 to 1000000000000000)'],
  ])

  test('any amount reads back from every spelling that reads one way', () => {
    const cents = fc.integer({ min: 0, max: 10 ** 14 })
    const locales = ['en-US', 'de-DE', 'fr-FR', 'de-CH'].map(
      (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }),
    )
    const spellings: readonly ((amount: number) => string)[] = [
      ...locales.map(({ format }) => format),
      (amount) => `$${locales[0]?.format(amount)}`,
      plainFigure,
    ]
    fc.assert(
      fc.property(cents, fc.constantFrom(...spellings), (hundredths, spelling) => {
        const amount = hundredths / 100
        expect([spelling(amount), stored(money, spelling(amount))]).toEqual([
          spelling(amount),
          amount,
        ])
      }),
    )
  })

  test('any number that is written for an import reads back', () => {
    const any = fc.double({ min: 0, max: 1e15, noNaN: true })
    fc.assert(fc.property(any, (value) => stored(money, plainFigure(value)) === value))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999 }), (thousandths) => {
        const value = thousandths / 1_000
        return stored(money, plainFigure(value)) === value
      }),
    )
  })
})

describe('whole numbers', () => {
  reads(count, [
    ['12,500', 12_500],
    ['12.500', 12_500],
    ['12 500', 12_500],
    ['12.5K', 12_500],
    ['12,000', 12_000],
    ['1.2M', 1_200_000],
    ['12.0', 12],
    ['1.5', 'refused: not a whole number'],
    ['12.500K', 'refused: reads as 12500 or 12500000: write 12500 or 12500000'],
    ['12,500 followers', 'refused: not a number'],
    ['9B', 'refused: out of range (0 to 2147483647)'],
  ])
})

describe('percent', () => {
  reads(percent, [
    ['340.125', 340.125],
    ['12,5 %', 12.5],
    ['\u221212.5', -12.5],
    ['1,200', 'refused: reads as 1200 or 1.2: write 1200 or 1.2'],
  ])
})
