/** Workbooks (XLSX): values of cells, sheets, and archives that are not taken. Files of real programs are in `messy`. */
import { describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expectRejection } from '../../helpers/rejection.ts'
import { columns, fieldsOf, readFile, rowsOf } from './files.ts'
import { partsOf, rowOf, zipOf } from './workbook.ts'

const HEADER = rowOf(1, ['name', 'slug', 'domain'])
const read = (file: Buffer, sheet?: string) =>
  Array.fromAsync(rowsOf({ stream: Readable.from([file]), sheet }, columns()))
const sheet = (rows: string, options = {}) => zipOf(partsOf({ One: HEADER + rows }, options))
const name = async (cell: string, options = {}) => {
  const [row] = fieldsOf(await read(sheet(rowOf(2, [cell, 'a', 'b']), options)))
  return typeof row === 'object' ? row.name : row
}

describe('the text of a cell', () => {
  const CELLS: [what: string, cell: string, text: string][] = [
    ['text', '<c t="inlineStr"><is><r><t>A &amp; </t></r><r><t>B</t></r></is></c>', 'A & B'],
    [
      'text with a reading above it',
      '<c t="inlineStr"><is><t>漢字</t><rPh><t>かんじ</t></rPh></is></c>',
      '漢字',
    ],
    ['shared text', '<c t="s"><v>1</v></c>', 'Two parts'],
    ['an escaped character', '<c t="str"><v>a_x0009_b</v></c>', 'a\tb'],
    [
      'a whole number with all of its digits',
      '<c><v>1745678901234567891</v></c>',
      '1745678901234567891',
    ],
    ['a number that lost digits', '<c><v>1.74567890123457E+18</v></c>', '1.74567890123457E+18'],
    ['a whole number of 16 digits', '<c><v>1745678901234567</v></c>', '1745678901234567'],
    ['a whole number with an exponent', '<c><v>1.745678901234567E15</v></c>', '1745678901234567'],
    ['a short number in digits', '<c><v>1.2E6</v></c>', '1200000'],
    ['a sum as computed', '<c><v>0.30000000000000004</v></c>', '0.3'],
    ['a date', '<c s="1"><v>45356</v></c>', '2024-03-05'],
    [
      'a date in a format of its own',
      '<c s="2"><v>45356.520833333336</v></c>',
      '2024-03-05T12:30:00.000Z',
    ],
    ['a date that Excel numbers by its 29 February 1900', '<c s="1"><v>59</v></c>', '59'],
    ['a percentage', '<c s="3"><v>0.07</v></c>', '7%'],
    ['yes', '<c t="b"><v>1</v></c>', 'TRUE'],
    ['an error', '<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['the result of a formula', '<c t="str"><f>A1&amp;"x"</f><v>x</v></c>', 'x'],
    ['no result of a formula', '<c><f>A1+1</f><v/></c>', '#NOT COMPUTED!'],
    ['a blank result', '<c t="str"><f>A1</f><v></v></c>', ''],
    ['a formula of a text', '<c><f>"00123"</f></c>', '00123'],
    ['a text that was kept from running', `<c t="str"><v>'=A1</v></c>`, '=A1'],
    ['nothing', '<c s="1"/>', ''],
    ['no shared text', '<c t="s"/>', ''],
    ['a blank shared text', '<c t="s"><v></v></c>', ''],
  ]
  const sharedStrings =
    '<sst><si><t>One</t></si><si><r><t>Two </t></r><r><t>parts</t></r></si></sst>'
  for (const [what, cell, text] of CELLS) {
    test(`is ${what}`, async () => expect(await name(cell, { sharedStrings })).toBe(text))
  }
})

test('rows know their line; blank ones, titles and cells beyond the header are nothing', async () => {
  const rows = [
    rowOf(1, ['Scouting list']),
    rowOf(3, ['Name', 'Slug', 'Website']),
    '<row r="4"/>',
    rowOf(5, ['A']),
    rowOf(6, ['B', '<c r="C6" t="str"><v>b.example</v></c>', '<c r="AB6" s="1"/>']),
    rowOf(7, ['C', 'c', '', 'x']),
    rowOf(7_000_000, ['D']),
  ]
  const read7 = await read(zipOf(partsOf({ One: rows.join('') })))
  expect(read7.map(({ number, line }) => [number, line])).toEqual([
    [1, 5],
    [2, 6],
    [3, 7],
    [4, 8],
  ])
  expect(fieldsOf(read7)).toEqual([
    { name: 'A', slug: '', domain: '' },
    { name: 'B', slug: '', domain: 'b.example' },
    '3: 4 cells, the header has 3',
    { name: 'D', slug: '', domain: '' },
  ])
})

test('a value of merged cells is that of each row that they cover, and of its first column', async () => {
  const rows = [
    rowOf(2, ['A', 'a', 'one.example']),
    rowOf(3, ['B', 'b']),
    '<row r="4"/>',
    rowOf(5, ['C', 'c']),
    rowOf(6, ['D', 'd']),
    rowOf(7, ['E']),
    rowOf(9, ['F', 'f']),
    rowOf(10, ['G']),
  ]
  const behind =
    '<mergeCells><mergeCell ref="C2:C5"/><mergeCell ref="A7:C7"/><mergeCell ref="B6:B7"/><mergeCell ref="B8:B10"/></mergeCells>'
  expect(fieldsOf(await read(sheet(rows.join(''), { behind })))).toEqual([
    { name: 'A', slug: 'a', domain: 'one.example' },
    { name: 'B', slug: 'b', domain: 'one.example' },
    { name: 'C', slug: 'c', domain: 'one.example' },
    { name: 'D', slug: 'd', domain: '' },
    { name: 'E', slug: 'd', domain: '' },
    { name: 'F', slug: 'f', domain: '' },
    { name: 'G', slug: '', domain: '' },
  ])
})

describe('the sheet', () => {
  const file = zipOf(
    partsOf(
      { Notes: HEADER, Funds: HEADER + rowOf(2, ['A']), Old: HEADER + rowOf(2, ['B']) },
      { hidden: ['Notes'] },
    ),
  )
  const names = async (sheet?: string) =>
    fieldsOf(await read(file, sheet)).map((row) => (typeof row === 'object' ? row.name : row))

  test('is the first that shows, or the named one', async () => {
    expect(await names()).toEqual(['A'])
    expect(await names('Old')).toEqual(['B'])
    expect(await names(' OLD ')).toEqual(['B'])
    expect(await names('Notes')).toEqual([])
  })

  test('that the workbook lacks is refused with those that it has', () =>
    expectRejection(read(file, 'New'), 'no sheet "New": it has "Notes", "Funds", "Old"'))

  test('is named among twenty of thousands', () => {
    const sheets = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`S${i}`, HEADER]))
    return expectRejection(read(zipOf(partsOf(sheets)), 'x'), '"S18", "S19" and 2980 more')
  })

  test('of a file that is no workbook is refused', () =>
    expectRejection(read(Buffer.from('name\nA\n'), 'Old'), 'leave out --sheet'))

  test('may be in a gzipped workbook', async () => {
    expect(fieldsOf(await readFile(gzipSync(file)))).toEqual([{ name: 'A', slug: '', domain: '' }])
  })
})

describe('a workbook that is not read says what to do', () => {
  const parts = partsOf({ One: HEADER + rowOf(2, ['A']) })
  const whole = zipOf(parts)
  const SHEET = 'xl/worksheets/sheet1.xml'
  const LARGE = 3 * 2 ** 30
  const FILES: [what: string, file: Buffer, reason: string][] = [
    [
      'another archive',
      zipOf({ 'a.csv': 'name\nA\n' }),
      'a zip archive and no workbook: unpack it',
    ],
    ['a sheet of OpenOffice', zipOf({ mimetype: 'x', 'content.xml': '<x/>' }), 'save it as XLSX'],
    ['a binary workbook', zipOf({ 'xl/workbook.bin': '' }), 'save it as XLSX'],
    ['one that is cut off', whole.subarray(0, -30), 'damaged'],
    [
      'one without its sheet',
      zipOf({ ...parts, [SHEET]: '<worksheet><sheetData><row' }),
      'damaged',
    ],
    [
      'a sheet of gigabytes',
      zipOf({ ...parts, [SHEET]: { text: '<x/>', size: LARGE } }),
      'sheet has more than 1024 MB unpacked',
    ],
    [
      'texts of gigabytes',
      zipOf({ ...parts, 'xl/sharedStrings.xml': { text: '<sst/>', size: LARGE } }),
      'sharedStrings has more than 256 MB unpacked',
    ],
    [
      'a sheet that says too small a size',
      zipOf({ ...parts, [SHEET]: { text: HEADER.repeat(1_000), size: 100 } }),
      'damaged',
    ],
    [
      'texts too many to hold',
      zipOf({ ...parts, 'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(9_000_000)}</sst>` }),
      'text has more than 128 MB',
    ],
    [
      'a list of sheets of gigabytes',
      zipOf({ ...parts, 'xl/workbook.xml': { text: '<x/>', size: LARGE } }),
      'workbook has more than 32 MB unpacked',
    ],
    [
      'elements without an end',
      zipOf({ ...parts, 'xl/sharedStrings.xml': '<si>'.repeat(1_000) + '</si>'.repeat(1_000) }),
      'damaged',
    ],
    [
      'a text of megabytes',
      zipOf({
        ...parts,
        'xl/sharedStrings.xml': `<sst><si><t>${'x'.repeat(9_000_000)}</t></si></sst>`,
      }),
      'damaged',
    ],
    [
      'a cell of a text that is not there',
      sheet('<row r="2"><c r="A2" t="s"><v>7</v></c></row>'),
      'damaged',
    ],
    [
      'a row without an end',
      sheet(`<row r="2">${'<c r="A2" t="str"><v>x</v></c>'.repeat(400_000)}`),
      'broken at line 2',
    ],
  ]
  for (const [what, file, reason] of FILES) {
    test(what, () => expectRejection(read(file), reason))
  }

  test('a row of more than a megabyte is refused, the next one read', async () => {
    const rows = rowOf(2, ['x'.repeat(1_100_000)]) + rowOf(3, ['B'])
    expect(fieldsOf(await read(sheet(rows)))).toEqual([
      '1: longer than 1048576 characters',
      { name: 'B', slug: '', domain: '' },
    ])
  })
})

test('a cell far behind the header refuses its row, which is not filled up to it', async () => {
  const far = (n: number) =>
    `<row><c r="A${n}" t="str"><v>A</v></c><c r="XFD${n}" t="str"><v>x</v></c></row>`
  const merged = '<mergeCells><mergeCell ref="XFC1:XFC1000000"/></mergeCells>'
  // The first rows come with the header, before its width is known.
  const rows = Array.from({ length: 2_000 }, (_, i) => far(i + 2)).join('')
  const last = (await read(sheet(rows, { behind: merged }))).at(-1)
  expect(last && fieldsOf([last])).toEqual(['2000: 4 cells, the header has 3'])
})

test('a sheet is read as its rows are taken, in constant memory', async () => {
  const count = 60_000
  const rows = Array.from({ length: count }, (_, i) =>
    rowOf(i + 2, [`Name ${i} ${'x'.repeat(40)}`, `s${i}`]),
  )
  const file = sheet(rows.join(''))
  rows.length = 0
  const inUse: number[] = []
  let number = 0
  for await (const _row of rowsOf({ stream: Readable.from([file]) })) {
    if (++number % 10_000 > 0) continue
    await Bun.sleep(20)
    Bun.gc(true)
    inUse.push(process.memoryUsage().heapUsed)
  }
  expect(number).toBe(count)
  expect(Math.max(...inUse) - (inUse[0] ?? 0)).toBeLessThan(4 * 2 ** 20)
})
