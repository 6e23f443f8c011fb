/** CSV: what spreadsheets must read back, and must never run. */
import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvLine, unguarded } from '../src/csv.ts'

test('commas, quotes, line breaks and outer blanks come back as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2 }), (cells) => {
      expect(cellsOf(csvLine(cells)).map(unguarded)).toEqual(cells)
    }),
  )
})

/** The first line's cells, as a reader of CSV gets them. */
function cellsOf(line: string): string[] {
  const rows: string[][] = parse(line, { relax_column_count: true })
  return rows[0] ?? []
}

describe('a cell that a spreadsheet would run', () => {
  test.each([
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(A1)',
    '=HYPERLINK("https://evil.example","x")',
    "=cmd|' /C calc'!A0",
    '＝1+1',
    ' =1+1',
    '-',
    '-2 or more',
  ])('%p gets an apostrophe in front', (cell) => {
    const [read = ''] = cellsOf(csvLine([cell, 'x']))
    expect(read).toBe(`'${cell}`)
  })

  test.each(['\t=1+1', '\r=1+1', '\n=1+1'])(
    '%p gets one in front, and one behind what a spreadsheet may take for the end of a cell',
    (cell) => {
      const [read = ''] = cellsOf(csvLine([cell, 'x']))
      expect(read).toBe(`'${cell[0]}'${cell.slice(1)}`)
    },
  )

  test('no cell that is read back begins with what makes a formula', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n'),
        fc.string(),
        (first, rest) => {
          const [read = ''] = cellsOf(csvLine([first + rest, 'x']))
          const computesNothing = /^-?\d+(\.\d+)?$|^\+[ ()./\d-]+$/.test(read)
          expect(computesNothing || read.startsWith("'")).toBe(true)
        },
      ),
    )
  })
})

describe('a spreadsheet that splits at semicolons or tabs runs no formula in the middle of a text', () => {
  test.each([
    ['Boss;=1+1;y', "Boss;'=1+1;y"],
    ['Boss\t=1+1', "Boss\t'=1+1"],
    ['Boss\n@SUM(A1)', "Boss\n'@SUM(A1)"],
    ['Boss;"=1+1";y', `Boss;"'=1+1";y`],
    ["Boss;'=1+1", "Boss;''=1+1"],
    ['Boss;;＝1+1', "Boss;;'＝1+1"],
    [';-1+1', ";'-1+1"],
    ['Boss; =1+1;y', "Boss; '=1+1;y"],
    ['C++; a-b; x = y; me@home', 'C++; a-b; x = y; me@home'],
  ])('%p is written as %p, in quotes, and read as it was', (text, written) => {
    const line = csvLine(['x', text])
    expect(line).toBe(`x,"${written.replaceAll('"', '""')}"\r\n`)
    expect(unguarded(cellsOf(line)[1] ?? '')).toBe(text)
  })

  const piece = fc.oneof(
    fc.constantFrom(';', '\t', '\n', '\r', ' ', '"', "'", '=', '+', '-', '@'),
    fc.string(),
  )
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))

  test('whatever stands in a line, no part between two separators begins with what makes a formula', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 2 }), (cells) => {
        const line = csvLine(cells)
        const [, ...parts] = line.split(/[;\t\r\n]/)
        expect(parts.filter((part) => /^["\s]*[=+\-@]/.test(part))).toEqual([])
        expect(cellsOf(line).map(unguarded)).toEqual(cells)
      }),
    )
  })
})

test.each([
  ["'=1", '=1'],
  ["''=1", "'=1"],
  ["'-5", '-5'],
  ["''-5", "'-5"],
  ['-5', '-5'],
  ["'t Hooft", "'t Hooft"],
  ["'", "'"],
])('the cell %p is read as %p, and written so again', (cell, text) => {
  expect(unguarded(cell)).toBe(text)
  expect(unguarded(cellsOf(csvLine([text, 'x']))[0] ?? '')).toBe(text)
})

test('numbers stay numbers, also below zero; nothing is an empty cell', () => {
  expect(csvLine([-5, 2.5, 0, true, null, undefined, '-12'])).toBe('-5,2.5,0,true,,,-12\r\n')
})

test.each([
  '+4930123456',
  '+49 30 123456',
  '+1 (555) 010-0199',
  '+1-555-010-0199',
  '+44.20.7946.0958',
])('the phone number %p stays as it is', (phone) => {
  expect(csvLine([phone])).toBe(`${phone}\r\n`)
})

test.each([
  '+1+1-1234567',
  '+1234567*2',
  '+12',
  '+1234567890123456',
  "+1234567,='x'",
  '+1234567\t=1',
])('what only begins as a phone number gets an apostrophe: %p', (cell) => {
  const [written = ''] = cellsOf(csvLine([cell, 'x']))
  expect(written).toStartWith(`'${cell[0]}`)
  expect(unguarded(written)).toBe(cell)
})

test('a text of blank lines alone is written and read in one pass: read from each of them, it would take a minute', async () => {
  const text = `${'\n'.repeat(100_000)}x`
  const [written = ''] = cellsOf(csvLine([text, 'x']))
  expect(written).toBe(`'${text}`)
  expect(unguarded(written)).toBe(text)
  // Lets the runner see how long the test took.
  await setImmediate()
})
