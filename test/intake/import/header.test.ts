/** Which field a column means, by its name or as the operator says. */
import { describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { ColumnMap } from '../../../src/intake/import/column-meanings.ts'
import { FIELDS } from '../../../src/intake/import/kinds.ts'
import { columnsOf, openFiles } from '../../../src/intake/import/read.ts'
import { KINDS } from '../../../src/intake/import/summary.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { columns, fieldsOf, readFile } from './files.ts'

const mapping = (column: string, field: string | null) => ({
  column,
  field,
  given: `--map "${column}=${field ?? ''}"`,
})

describe('a column means the field', () => {
  const NAMES: [string, string][] = [
    ['First Name', 'firstName'],
    ['first_name', 'firstName'],
    ['FIRST-NAME', 'firstName'],
    [' firstname ', 'firstName'],
    ['Given Name', 'firstName'],
    ['company_name', 'name'],
    ['Website', 'domain'],
    ['Ｗｅｂｓｉｔｅ', 'domain'],
  ]
  for (const [column, field] of NAMES) {
    test(`${JSON.stringify(column)} → ${field}, of CSV and of JSON`, async () => {
      expect(fieldsOf(await readFile(`"${column}",slug\nx,a\n`))).toEqual([
        { [field]: 'x', slug: 'a' },
      ])
      expect(fieldsOf(await readFile(JSON.stringify({ [column]: 'x' })))).toEqual([
        { [field]: 'x' },
      ])
    })
  }

  test('and a row knows what its file calls it', async () => {
    const [row] = await readFile('Website;slug\na.example;a\n')
    expect(row).toMatchObject({ columns: { domain: 'Website' } })
    const [object] = await readFile('{"Website":"a.example","slug":"a"}')
    expect(object).toMatchObject({ columns: { domain: 'Website' } })
  })

  test('a column of the exact name comes before others, which are ignored by their names', async () => {
    const row = { domain: 'a.example', Website: 'b.example' }
    expect(fieldsOf(await readFile('domain,Website\na.example,b.example\n'))).toEqual([row])
    expect(fieldsOf(await readFile('{"Website":"b.example","domain":"a.example"}'))).toEqual([row])
  })

  test('two others for one field are refused: a CSV file as a whole, JSON row by row', async () => {
    const reason =
      'columns "Website" and "URL" both mean domain: leave one out, or ignore it by --map "URL="'
    await expectRejection(readFile('name,Website,URL\nA,a.example,b.example\n'), reason)
    const rows = await readFile(
      '{"name":"A","Website":"a.example","URL":"b.example"}\n{"name":"B"}',
    )
    expect(fieldsOf(rows)).toEqual([`1: ${reason}`, { name: 'B' }])
  })

  test('every field of the tables is found by its name and each of its other names', () => {
    for (const kind of KINDS) {
      for (const [field, { aliases }] of Object.entries(FIELDS[kind])) {
        for (const column of [field, ...aliases]) {
          const { names } = columnsOf(kind).meaningsOf([column])
          expect(`${kind}: ${column} → ${names}`).toBe(`${kind}: ${column} → ${field}`)
        }
      }
    }
  })
})

describe('--map', () => {
  test('gives columns to fields, whatever their names, and ignores columns', async () => {
    const known = columns([
      mapping('Firma', 'name'),
      mapping('a=b', 'slug'),
      mapping('name', null),
      mapping('URL', null),
    ])
    const csv = 'firma;a=b;name;Website;URL\nAcme;acme;x;a.example;y\n'
    const expected = [{ name: 'Acme', slug: 'acme', domain: 'a.example' }]
    expect(fieldsOf(await readFile(csv, { known }))).toEqual(expected)
    const json = '{"firma":"Acme","a=b":"acme","name":"x","Website":"a.example","URL":"y"}'
    expect(fieldsOf(await readFile(json, { known }))).toEqual(expected)
  })

  test('is enough for a file whose header names no field', async () => {
    const known = columns([mapping('Firma', 'name')])
    expect(fieldsOf(await readFile('Firma;Ort\nAcme;Zug\n', { known }))).toEqual([
      { name: 'Acme', Ort: 'Zug' },
    ])
  })

  test('that gives a field a second column is refused', async () => {
    const known = columns([mapping('Firma', 'name')])
    await expectRejection(readFile('name,Firma\nA,B\n', { known }), 'both mean name')
  })

  const source = (text: string) => ({ stream: Readable.from([Buffer.from(text)]) })

  test('holds for each file that has the column and whose kind has the field', async () => {
    const map = new ColumnMap([mapping('Bio', 'aiSummary'), mapping('Rolle', 'jobTitle')])
    const files = await openFiles(
      {
        companies: source('name,companyType,Bio\nAcme,project,Trades\n'),
        people: source('firstName,Bio,Rolle\nAnn,Likes tea,CTO\n'),
      },
      map,
    )
    const rows = await Promise.all(
      files.map(async ({ rows }) => fieldsOf(await Array.fromAsync(rows))),
    )
    expect(rows).toEqual([
      [{ name: 'Acme', companyType: 'project', aiSummary: 'Trades' }],
      [{ firstName: 'Ann', Bio: 'Likes tea', jobTitle: 'CTO' }],
    ])
    expect(map.unused()).toEqual([])
  })

  test('of a column that no header has is refused before any row is read', async () => {
    const map = new ColumnMap([mapping('Frima', 'name')])
    const opening = openFiles({ companies: source('name,Firma\nA,B\n') }, map)
    await expectRejection(opening, '--map "Frima=name": no file has a column "Frima"')
  })
})

test('a column is nearly the field whose words it has, beside the word for its record', () => {
  const LIKELY: [Parameters<typeof columnsOf>[0], string, string | undefined][] = [
    ['rounds', 'round_date', 'announceDate'],
    ['rounds', 'roundDate', 'announceDate'],
    ['rounds', 'rounddate', 'announceDate'],
    ['rounds', 'Deal Dates', 'announceDate'],
    ['rounds', 'round_nmae', 'roundEventName'],
    ['rounds', 'Funding Amount', 'amountUsd'],
    ['rounds', 'round', undefined],
    ['companies', 'Company Ticker', 'ticker'],
    ['companies', 'Account.Website', 'domain'],
    ['people', 'person_title', 'jobTitle'],
    ['people', 'Owner Name', undefined],
  ]
  for (const [kind, column, field] of LIKELY) {
    const columns = columnsOf(kind)
    const likely = columns.isField(column) ? undefined : columns.likely(column)
    expect(`${column}: ${likely}`).toBe(`${column}: ${field}`)
  }
})

test('a misspelt column has a likely field, a stranger has none', () => {
  const likely = (column: string) => columnsOf('companies').likely(column)
  expect(likely('Websit')).toBe('domain')
  expect(likely('twiter_handle')).toBe('twitterHandle')
  expect(likely('Tiker')).toBe('ticker')
  expect(likely('nam')).toBe('name')
  expect(likely('Y')).toBeUndefined()
  expect(likely('Mood')).toBeUndefined()
  // Its other word is that of another field.
  expect(columnsOf('people').likely('Last Date')).toBeUndefined()
  expect(likely('')).toBeUndefined()
})

describe('the delimiter is the one by which', () => {
  const fieldsIn = async (text: string) => fieldsOf(await readFile(text))

  test('a header has most known columns, not most columns', async () => {
    expect(await fieldsIn('name;domain;x,slug,a,b,c\nAcme;a.example;y\n')).toEqual([
      { name: 'Acme', domain: 'a.example', 'x,slug,a,b,c': 'y' },
    ])
  })

  test('the first row has one, whatever a later row looks like', async () => {
    const rows = await fieldsIn('name;Firma\nAcme;x\nname,domain,slug;y\n')
    expect(rows[0]).toEqual({ name: 'Acme', Firma: 'x' })
  })

  test('a header is there, also where a cell below reaches further than the beginning', async () => {
    const note = 'x\n'.repeat(40_000)
    const text = Buffer.from(`name;slug;Note\nAcme;acme;"${note}"\n`)
    const chunks = [text.subarray(0, 70_000), text.subarray(70_000)]
    expect(fieldsOf(await readFile(chunks))).toEqual([{ name: 'Acme', slug: 'acme', Note: note }])
  })
})
