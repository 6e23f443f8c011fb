/** A line of totals below a table is no record, and a record is no line of totals. */
import { expect, test } from 'bun:test'
import { fieldsOf, readFile } from './files.ts'

const HEADER = 'firstName,name,domain,slug\n'
/** What becomes of the last row of a CSV file. */
const last = async (line: string, before = 'Ann,a,a.example,\n') =>
  fieldsOf(await readFile(`${HEADER}${before}${line}`)).at(-1)

const TOTALS = [
  ...[
    'Total,3,,',
    ',,Total: 3,',
    'Grand Total,,"$400,000.50",',
    'TOTAL (12),,,',
    'Total,3,,\n,,,\n\n',
  ],
  ...['Summe,"1.200,50 €",85 %,', '合計,3,,', 'Subtotal,USD 3m,-12.5K,'],
]

for (const line of TOTALS) {
  test(`is refused: ${JSON.stringify(line)}`, async () => {
    expect(await last(line)).toStartWith('2: a line of totals')
  })
}

const RECORDS = [
  ['a name alone', 'Total,,,'],
  ['a name beside text', 'Total,Acme,,'],
  ['a name with a key', 'Total,3,,total-3'],
  ['a longer name', 'Total Energies,3,,'],
  ['a surname that is a word for totals', 'Sum,Ting,,'],
  ['a name in figures', '0x,3,,'],
] as const

for (const [what, line] of RECORDS) {
  test(`is a record: ${what}`, async () => {
    expect(await last(line)).toMatchObject({ firstName: line.split(',')[0] as string })
  })
}

test('is a record: a row that is not the last', async () => {
  const rows = await readFile(`${HEADER}Total,3,,\nAnn,a,a.example,\n`)
  expect(fieldsOf(rows)[0]).toMatchObject({ firstName: 'Total', name: '3' })
})
