/** The header of a CSV file that stands in its middle, as where files were put together, is no record. */
import { expect, test } from 'bun:test'
import { fieldsOf, readFile } from './files.ts'

const HEADING = 'repeats the header: remove this row'
/** Imports a row behind another one. */
const second = async (header: string, row: string) =>
  fieldsOf(await readFile(`${header}\na,a.example\n${row}\nb,b.example\n`))[1]

for (const [what, header, row] of [
  ['as it is', 'name,domain', 'name,domain'],
  ['by the names that the file has', 'Company Name,Website', 'Company Name,Website'],
  ['in another case, with blanks', 'Organization,URL', ' ORGANIZATION ,url'],
  ['with the mark of another file', 'name,domain', '\ufeffname,domain'],
  ['with blank cells behind it', 'name,domain', 'name,domain,,'],
  ['beside a column without a name', 'name,domain,', 'name,domain,'],
  ['without its last column', 'name,domain,slug', 'name,domain,'],
  ['with a column that means nothing', 'name,Mood', 'name,Mood'],
] as const) {
  test(`is refused: ${what}`, async () => {
    expect(await second(header, row)).toBe(`2: ${HEADING}`)
  })
}

for (const [what, row] of [
  ['a name that is the name of its column', 'name,x.example'],
  ['cells that are names of other columns', 'domain,name'],
  ['one cell and a blank one', 'name,'],
] as const) {
  test(`is a record: ${what}`, async () => {
    const [name = '', domain = ''] = row.split(',')
    expect(await second('name,domain', row)).toEqual({ name, domain })
  })
}
