/** `--map` and `--map-file`, before any file is read. */
import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMaps } from '../../../src/server/commands/import-options.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { sharedDirectory } from '../../helpers/shared.ts'

const directory = sharedDirectory()

async function mapFile(content: string | Buffer): Promise<string> {
  const path = join(directory.path, 'map')
  await writeFile(path, content)
  return path
}

const COLUMNS = ['Firma', 'Seite', 'Notiz']

describe('--map-file', () => {
  const FILES: [string, string | Buffer][] = [
    ['JSON', '{"Firma": "name", "Seite": "domain", "Notiz": null}'],
    ['CSV', 'Firma,name\nSeite,domain\nNotiz,\n'],
    [
      'CSV with semicolons and a header',
      '\ufeffcolumn;field\r\n"Firma";name\r\nSeite;domain\r\nNotiz;\r\n',
    ],
    ['CSV in UTF-16', Buffer.from('\ufeffFirma\tname\nSeite\tdomain\nNotiz\n', 'utf16le')],
  ]
  for (const [format, content] of FILES) {
    test(`may be ${format}`, async () => {
      const map = await readMaps({ mapFile: await mapFile(content) }, ['companies'])
      const fields = COLUMNS.map((column) => map.use(column, ['name', 'domain'])?.field)
      expect(fields).toEqual(['name', 'domain', null])
    })
  }

  test('counts after --map', async () => {
    const options = { map: ['Firma=slug'], mapFile: await mapFile('Firma,name\nSeite,domain\n') }
    const map = await readMaps(options, ['companies'])
    expect(map.use('Firma', ['name', 'slug'])?.field).toBe('slug')
    expect(map.use('Seite', ['domain'])?.field).toBe('domain')
  })

  const WRONG: [string, string, string][] = [
    ['three cells', 'Firma,name\nA,b,name\n', 'row 2 is not a column and its field'],
    ['broken JSON', '{"Firma"', 'not JSON'],
    ['a number', '{"Firma": 1}', '"Firma" is not a text or null'],
    ['a workbook', 'PK\x03\x04', 'save it as CSV or JSON'],
    [
      'an unknown field',
      'Firma,nam\n',
      '"Firma=nam": companies have no field "nam" (did you mean name?)',
    ],
  ]
  for (const [what, content, reason] of WRONG) {
    test(`is refused by name: ${what}`, async () => {
      const path = await mapFile(content)
      const reading = readMaps({ mapFile: path }, ['companies'])
      await expectRejection(reading, `--map-file ${path}: `)
      await expectRejection(readMaps({ mapFile: path }, ['companies']), reason)
    })
  }

  test('that is not there is refused', () =>
    expectRejection(
      readMaps({ mapFile: 'nowhere' }, ['people']),
      'nowhere: no such file or directory',
    ))
})

test('a unit stands behind the field, also in a file', async () => {
  const units = async (options: Parameters<typeof readMaps>[0]) => {
    const map = await readMaps(options, ['rounds'])
    return ['Raised', 'a*b'].map((column) => map.use(column, ['amountUsd'])?.factor)
  }
  expect(await units({ map: ['Raised=amountUsd*1e6', 'a*b=amountUsd'] })).toEqual([1e6, undefined])
  expect(await units({ map: ['Raised = amountUsd * 1000'] })).toEqual([1_000, undefined])
  const mapFile_ = await mapFile('{"Raised": "amountUsd*1.5e3"}')
  expect(await units({ mapFile: mapFile_ })).toEqual([1_500, undefined])
})

describe('a unit is refused that', () => {
  const WRONG: [string, string, string][] = [
    ['is of no number', 'a=company*1e6', '"a=company*1e6": company is not a number'],
    ['is a word', 'a=amountUsd*million', 'as a number above zero, as in amountUsd*1e6'],
    ['is nothing', 'a=amountUsd*', 'as a number above zero'],
    ['is of no field', 'a=*1e6', 'name the field before its unit'],
    ['is zero', 'a=amountUsd*0', 'as a number above zero'],
    ['is below zero', 'a=amountUsd*-1', 'as a number above zero'],
    ['stands twice', 'a=amountUsd*2*2', 'as a number above zero'],
  ]
  for (const [what, map, reason] of WRONG) {
    test(what, () => expectRejection(readMaps({ map: [map] }, ['rounds']), reason))
  }
})

describe('--map is refused where it', () => {
  const WRONG: [string, string[], string][] = [
    [
      'has no field',
      ['Name'],
      '--map "Name": give "column=field", or "column=" for a column to ignore',
    ],
    ['has no column', ['=name'], '--map "=name": give "column=field"'],
    [
      'names a field of another kind',
      ['Firma=jobTitle'],
      'no field "jobTitle": companies have id, externalId, name',
    ],
    [
      'gives a column two units',
      ['a=followers*1e3', 'a=followers*1e6'],
      '--map "a=followers*1e6": "a" is mapped twice, to different units',
    ],
    [
      'gives a column two fields',
      ['a=name', 'a=slug'],
      '--map "a=slug": "a" is mapped twice, to different fields',
    ],
  ]
  for (const [what, map, reason] of WRONG) {
    test(what, () => expectRejection(readMaps({ map }, ['companies']), reason))
  }
})
