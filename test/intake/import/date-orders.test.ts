/** The order of day, month and year in dates of figures is said by the operator, never guessed from the file. */
import { describe, expect, test } from 'bun:test'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { unclearDatesText } from '../../../src/intake/import/fields/date-orders.ts'
import { type ImportOptions, importFiles } from '../../../src/intake/import/import.ts'
import { company, csv, emptyDatabase, warnings } from './sources.ts'

const t = emptyDatabase()

/** Imports companies with these dates, and gives the days stored, what was left out and what is said of the dates. */
async function dated(days: readonly string[], options: ImportOptions = {}) {
  const rows = days.map((Created, i) => company({ name: `Company ${i}`, slug: `c${i}`, Created }))
  const { companies } = await importFiles(t.database, { companies: csv(rows) }, options)
  if (!companies) throw new Error('no summary')
  const stored = await t.sql<{ day: string }[]>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day from companies order by slug`
  return {
    days: stored.map(({ day }) => day),
    left: warnings(companies),
    said: (companies.unclearDates ?? []).map(unclearDatesText),
    reasons: companies.reasons.map(({ count }) => count),
  }
}

describe('what a file tells of its dates is said', () => {
  test('the order that fits all dates of the field, and the first date that fits no other', async () => {
    const { left, said, reasons } = await dated([
      '3/5/2024',
      '12/31/2024',
      '4/6/2024',
      '11/30/2024',
    ])
    expect(left.map((one) => one.slice(0, 27))).toEqual([
      '1 createdAt: reads as 3 May',
      '3 createdAt: reads as 4 Jun',
    ])
    expect(reasons).toEqual([2])
    expect(said).toEqual([
      "createdAt: 2 dates read several ways; 12/31/2024 in line 3 can't be day first: import again with --date-order mdy",
    ])
  })

  test('one date that fits no other order is named once', async () => {
    const { said } = await dated(['03/05/24', '12/31/24'])
    expect(said).toEqual([
      "createdAt: 1 date reads several ways; 12/31/24 in line 3 can't be day or year first: import again with --date-order mdy",
    ])
  })

  test('that no order fits all of them', async () => {
    const { said } = await dated(['31/12/2024', '3/5/2024', '12/31/2024'])
    expect(said).toEqual([
      "createdAt: 1 date reads several ways, and no order fits all of the file: 12/31/2024 in line 4 can't be day first, 31/12/2024 in line 2 can't be month first. Write them alike",
    ])
  })

  test('that nothing tells', async () => {
    const { said } = await dated(['03/05/24', '5 March 2024'])
    expect(said).toEqual([
      'createdAt: 1 date reads several ways: import again with --date-order dmy, mdy or ymd, as the file means it',
    ])
  })

  test('nothing, where all dates read one way', async () => {
    expect((await dated(['12/31/2024', '31/12/2024', '1/1/24'])).said).toEqual([])
  })
})

describe('--date-order', () => {
  test('decides what reads several ways, and nothing else', async () => {
    const days = ['03/05/24', '3/5/2024', '05.03.2024', '2024-03-05', '5-Mar-24']
    const mdy = await dated(days, { dateOrder: 'mdy' })
    expect(mdy).toMatchObject({ days: days.map(() => '2024-03-05'), left: [], said: [] })
  })

  test('reads the year first where it is said so', async () => {
    const read = await dated(['24/03/05', '24.03.05', '24-3-15'], { dateOrder: 'ymd' })
    expect(read).toMatchObject({ days: ['2024-03-05', '2024-03-05', '2024-03-15'], left: [] })
  })

  test('a date that is none in this order is left out, though it reads another way', async () => {
    const { left } = await dated(['12/31/2024', '3/5/2024'], { dateOrder: 'dmy' })
    expect(left).toEqual([
      '1 createdAt: no such date by --date-order dmy: write it as in 2024-03-05',
    ])
  })

  test('files of LibreOffice and SheetJS go in whole', async () => {
    await dated([])
    for (const name of ['sheetjs-companies.csv', 'libreoffice-semicolon-companies.csv']) {
      const stream = createReadStream(join(import.meta.dir, 'messy', name))
      const options = { dateOrder: 'mdy' } as const
      const { companies } = await importFiles(t.database, { companies: { stream } }, options)
      expect(companies).toMatchObject({ read: 3, refused: 0, warned: 0 })
    }
  })
})
