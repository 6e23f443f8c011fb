/** The header of a CSV file that stands in its middle, as where files were put together, is no record. */
import { expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { importFiles } from '../../../src/intake/import/import.ts'
import { KINDS } from '../../../src/intake/import/summary.ts'
import { fieldsOf, readFile } from './files.ts'
import { emptyDatabase, reasons } from './sources.ts'

const t = emptyDatabase()

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

test('is no person, company or round, however often it comes', async () => {
  const files = {
    companies: ['Company,Website', 'Marlow Works,marlow.example'],
    people: ['Name,Title,Company,Email', 'Tom Ravel,CTO,Marlow Works,tom@ravel.example'],
    rounds: ['Company,Stage,Amount', 'Marlow Works,Seed,$2M'],
  }
  for (const kind of KINDS) {
    const [header, row] = files[kind]
    const stream = Readable.from([`${header}\n${header}\n${row}\n${header}\n`])
    const fill = { companies: { companyType: 'project' } }
    const { [kind]: done } = await importFiles(t.database, { [kind]: { stream } }, { fill })
    if (!done) throw new Error(`no summary of ${kind}`)
    expect(reasons(done)).toEqual([`1 null: ${HEADING}`, `3 null: ${HEADING}`])
  }
  const [names] = await t.sql`
    select (select array_agg(name) from companies) as companies,
           (select array_agg(last_name) from people) as people,
           (select array_agg(round_type) from funding_rounds) as rounds`
  expect({ ...names }).toEqual({ companies: ['Marlow Works'], people: ['Ravel'], rounds: ['Seed'] })
})
