import { describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import type { Format, SourceRow } from '../../../src/intake/import/read.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { fieldsOf, readFile, rowsOf } from './files.ts'

const read = (content: string | Buffer[], format?: Format) =>
  readFile(typeof content === 'string' ? [Buffer.from(content)] : content, { format })

const NAMED = [{ name: 'A' }, { name: 'B' }]

describe('JSON Lines', () => {
  test('line breaks of any kind, blank lines and a byte order mark are no rows', async () => {
    const rows = await read('\ufeff{"name":"A"}\r\n\n  \n{"name":"B"}')
    expect(rows.map(({ number }) => number)).toEqual([1, 2])
    expect(fieldsOf(rows)).toEqual(NAMED)
  })

  test('characters and lines may be cut anywhere between chunks', async () => {
    const bytes = Buffer.from('{"name":"Ωμέγα"}\n{"name":"👩‍💻"}\n')
    const rows = await read(Array.from(bytes, (byte) => Buffer.from([byte])))
    expect(fieldsOf(rows)).toEqual([{ name: 'Ωμέγα' }, { name: '👩‍💻' }])
  })

  test('a row that is no JSON object is refused and quoted nowhere', async () => {
    const rows = await read(
      '{"name":"A"}\n{"email": "ann@example.com"\n[1]\nnull\n"x"\n{"name":"B"}',
    )
    expect(fieldsOf(rows)).toEqual([
      { name: 'A' },
      '2: not a JSON object',
      '3: not a JSON object',
      '4: not a JSON object',
      '5: not a JSON object',
      { name: 'B' },
    ])
    expect(JSON.stringify(rows)).not.toContain('ann@')
  })

  test('a line beyond a megabyte is refused, the next one read', async () => {
    const rows = await read(`{"name":"${'x'.repeat(1_100_000)}"}\n{"name":"B"}\n`, 'jsonl')
    expect(fieldsOf(rows)).toEqual(['1: longer than 1048576 bytes', { name: 'B' }])
  })
})

describe('CSV', () => {
  test('the header names the fields; quotes, commas and line breaks in cells', async () => {
    const rows = await read('\ufeffname,slug\r\n"A, ""quoted""\nand long",a\r\n\r\nB,\r\n')
    expect(fieldsOf(rows)).toEqual([
      { name: 'A, "quoted"\nand long', slug: 'a' },
      { name: 'B', slug: '' },
    ])
  })

  test('a row with more or fewer cells is refused, a stray quote is a character', async () => {
    const rows = await read('name,slug\nA,a,x\nB\n"C"c,c\nD,d"d\n')
    expect(fieldsOf(rows)).toEqual([
      '1: 3 cells, the header has 2',
      '2: 1 cells, the header has 2',
      { name: '"C"c', slug: 'c' },
      { name: 'D', slug: 'd"d' },
    ])
  })

  test('a quote that is never closed ends the file there, after the rows before it', async () => {
    const rows: SourceRow[] = []
    const stream = Readable.from([Buffer.from('name,slug\nA,a\n"B,b\nC,c\n')])
    const reading = async () => {
      for await (const row of rowsOf({ stream })) rows.push(row)
    }
    await expectRejection(reading(), 'broken at row 2')
    expect(fieldsOf(rows)).toEqual([{ name: 'A', slug: 'a' }])
  })

  test('a file without a header is refused without quoting its first line', async () => {
    const reading = read('ann@example.com,Ann\n')
    await expectRejection(reading, 'the first line names none of name, slug')
  })

  test('a column named twice is refused', async () => {
    await expectRejection(read('name,name\nA,B\n'), 'two columns are named "name" (name)')
  })

  test('blank cells beyond the header, and columns without a name, are nothing', async () => {
    expect(fieldsOf(await read('name,slug,,\nA,a,,\nB,b,,,,\n'))).toEqual([
      { name: 'A', slug: 'a' },
      { name: 'B', slug: 'b' },
    ])
  })
})

describe('the format, where none is said', () => {
  test('is JSON Lines after a brace', async () =>
    expect(fieldsOf(await read('\n {"name":"A"}\n{"name":"B"}'))).toEqual(NAMED))
  test('is CSV after anything else', async () =>
    expect(fieldsOf(await read('name\nA\nB'))).toEqual(NAMED))
  test('nothing at all is no row', async () => expect(await read('')).toEqual([]))
})

test('a stream that fails is passed on', async () => {
  const stream = Readable.from(
    (async function* () {
      yield Buffer.from('{"name":"A"}\n')
      throw new Error('disk gone')
    })(),
  )
  const reading = Array.fromAsync(rowsOf({ stream }))
  await expectRejection(reading, 'disk gone')
})
