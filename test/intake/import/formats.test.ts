/** The formats and encodings that an import reads, and what it says of those that it doesn't. */
import { describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { SourceRow } from '../../../src/intake/import/read.ts'
import { expectRejection } from '../../helpers/rejection.ts'
import { fieldsOf, readFile, rowsOf } from './files.ts'

const ROWS = [
  { name: 'Ωméga; "the, first"', slug: 'a|b' },
  { name: 'Two\nlines', slug: '' },
]

const csv = (delimiter: string, lineBreak = '\n') =>
  [
    ['name', 'slug'],
    ['"Ωméga; ""the, first"""', '"a|b"'],
    ['"Two\nlines"', ''],
  ]
    .map((cells) => cells.join(delimiter) + lineBreak)
    .join('')

const lines = ROWS.map((row) => `${JSON.stringify(row)}\n`).join('')
const pretty = (value: unknown) => JSON.stringify(value, null, 2)

const utf16be = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
const utf16le = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

describe('a cell of CSV that is a formula of a text', () => {
  const WAYS: [string, string][] = [
    ['in quotes', '"=""00123""","=""Quen, """"light"""""""\n'],
    ['as it is', '="00123",="Quen"\n'],
    ['between semicolons', '="00123";="Quen"\n'],
    ['between tabs', '"=""00123"""\t"=""Quen"""\n'],
  ]
  for (const [what, line] of WAYS) {
    test(`is the text: ${what}`, async () => {
      const delimiter = /[;\t]/.exec(line)?.[0] ?? ','
      const name = what === 'in quotes' ? 'Quen, "light"' : 'Quen'
      expect(fieldsOf(await readFile(`slug${delimiter}name\n${line}`))).toEqual([
        { slug: '00123', name },
      ])
    })
  }

  test('also in the header', async () => {
    expect(fieldsOf(await readFile('="slug",="name"\n="a",b\n'))).toEqual([
      { slug: 'a', name: 'b' },
    ])
  })

  test('and no other formula, nor one that a program kept from running', async () => {
    const cells = ['=A1', `="a"&"b"`, `'="00123"`, '=""']
    const lines = cells.map((cell) => `x,"${cell.replaceAll('"', '""')}"\n`)
    expect(fieldsOf(await readFile(`slug,name\n${lines.join('')}`))).toEqual(
      ['=A1', `="a"&"b"`, '="00123"', ''].map((name) => ({ slug: 'x', name })),
    )
  })
})

describe('formats', () => {
  const FORMATS: [string, string][] = [
    ['CSV with commas', csv(',')],
    ['CSV with semicolons', csv(';')],
    ['CSV with tabs', csv('\t')],
    ['CSV with bars', csv('|')],
    ['CSV with CR LF', csv(',', '\r\n')],
    ['CSV that says its delimiter', `sep=;\r\n${csv(';', '\r\n')}`],
    ['JSON Lines', lines],
    ['JSON Lines with CR', lines.replaceAll('\n', '\r')],
    ['a JSON list', JSON.stringify(ROWS)],
    ['a JSON list, indented', `\n ${pretty(ROWS)}\n`],
    ['an answer around a list', JSON.stringify({ data: ROWS, total: 2 })],
    ['an answer around a list, indented', pretty({ meta: { slug: 'x' }, errors: [], data: ROWS })],
    [
      'an answer with a row a line',
      `{"total":2,"data":[\n${lines.trim().replace('\n', ',\n')}\n]}`,
    ],
    [
      'an answer with a row a line from the first on',
      `{"data":[${lines.trim().replace('\n', ',\n')}]}`,
    ],
    ['an answer of several levels', pretty({ data: { companies: ROWS } })],
    ['objects one after the other', ROWS.map(pretty).join('\n')],
  ]
  for (const [format, text] of FORMATS) {
    for (const [encoding, bytes] of [
      ['UTF-8', Buffer.from(text)],
      ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
      ['UTF-16 LE', utf16le(text)],
      ['UTF-16 BE', utf16be(text)],
    ] as const) {
      test(`${format}, ${encoding}, also gzipped or in pieces`, async () => {
        const packed = gzipSync(bytes)
        for (const file of [[bytes], [packed], pieces(bytes)]) {
          expect(fieldsOf(await readFile(file))).toEqual(ROWS)
        }
      })
    }
  }

  test('CSV with CR alone', async () => {
    expect(fieldsOf(await readFile('name,slug\rA,a\r\r"B\rb",b\r'))).toEqual([
      { name: 'A', slug: 'a' },
      { name: 'B\rb', slug: 'b' },
    ])
  })

  test('CSV with two kinds of line breaks', async () => {
    expect(fieldsOf(await readFile('name,slug\r\nA,a\nB,b\r\n'))).toEqual([
      { name: 'A', slug: 'a' },
      { name: 'B', slug: 'b' },
    ])
  })

  test('two gzip files one after the other are one', async () => {
    const file = Buffer.concat([gzipSync('name\nA\n'), gzipSync('B\n')])
    expect(fieldsOf(await readFile(file))).toEqual([{ name: 'A' }, { name: 'B' }])
  })

  test('an answer without rows has none', async () => {
    expect(await readFile('{"data": [], "total": 0}')).toEqual([])
    expect(await readFile('[]')).toEqual([])
  })

  test('an object with a field of its own is a row, whatever lists it has', async () => {
    const row = { mentions: [{ at: 1 }], name: 'A' }
    expect(fieldsOf(await readFile(JSON.stringify(row)))).toEqual([row])
    expect(fieldsOf(await readFile(pretty({ name: 'A', mentions: [{ at: 1 }] })))).toEqual([
      { name: 'A', mentions: [{ at: 1 }] },
    ])
  })
})

const pieces = (bytes: Buffer) => Array.from(bytes, (byte) => Buffer.from([byte]))

describe('the delimiter', () => {
  const FILES: [string, string, Record<string, string>][] = [
    ['prose with commas', 'name;slug\nA, B, C and D;x\n', { name: 'A, B, C and D', slug: 'x' }],
    ['lists with semicolons', 'name,slug\nA,a;b;c\n', { name: 'A', slug: 'a;b;c' }],
    ['amounts with commas', 'slug;name\nx;1,200,000\n', { name: '1,200,000', slug: 'x' }],
    [
      'a comma in a header',
      '"Company Name";"Amount, USD"\nA;5\n',
      { name: 'A', 'Amount, USD': '5' },
    ],
    ['a header alone', 'name;slug', {}],
  ]
  for (const [what, text, row] of FILES) {
    test(`is told from the header: ${what}`, async () => {
      const [first] = await readFile(text)
      expect(first && 'fields' in first ? first.fields : {}).toEqual(row)
    })
  }

  const TITLES: [string, string][] = [
    ['a note', 'Notes:\n"Some, of; them"\n\n'],
    ['cells of a sheet', ';Contacts;\n;;\n'],
    ['the name of a column', '"Contact list, by domains"\n'],
  ]
  for (const [what, titles] of TITLES) {
    test(`is told below a title: ${what}`, async () => {
      const rows = await readFile(`${titles}Name;Domain\nAcme, Inc;acme.example\n`)
      expect(fieldsOf(rows)).toEqual([{ name: 'Acme, Inc', domain: 'acme.example' }])
      expect(rows.map(({ line }) => line)).toEqual([titles.split('\n').length + 1])
    })
  }

  test('of rows that end by CR alone may break lines in quotes', async () => {
    const rows = await readFile('Name,Domain\r"Two\nlines",a.example\rAcme,b.example')
    expect(fieldsOf(rows)).toEqual([
      { name: 'Two\nlines', domain: 'a.example' },
      { name: 'Acme', domain: 'b.example' },
    ])
  })

  test('is a comma where the header is one column', async () => {
    expect(fieldsOf(await readFile('name\nA;a\nB,b\n'))).toEqual([
      { name: 'A;a' },
      '2: 2 cells, the header has 1',
    ])
  })
})

describe('rows know their place', () => {
  const FILES: [string, string, number[]][] = [
    ['CSV', 'name,slug\n\nA,a\n"B\n\nb",b\n,\nC,c\nD\n', [3, 4, 8, 9]],
    ['CSV with CR LF', 'name,slug\r\n\r\n"A\r\na",a\r\n"B\r\n\r\nb",b\r\nC,c\r\n', [3, 5, 8]],
    ['CSV with its delimiter', 'sep=,\r\nname\r\nA\r\nB\r\n', [3, 4]],
    ['JSON Lines', '{"name":"A"}\n\nbroken\n{"name":"B"}', [1, 3, 4]],
    [
      'a JSON list',
      '{\n"data": [{"name":"A"},\n 12\n, {"name":\n"B"}\n, {"name":"C"}]}',
      [2, 3, 4, 6],
    ],
    ['objects', '{\n"name":"A"\n}\n{"name":\n"B"}{"name":"C"}', [1, 4, 5]],
  ]
  for (const [format, text, expected] of FILES) {
    test(format, async () => {
      const rows = await readFile(text)
      expect(rows.map(({ line }) => line)).toEqual(expected)
      expect(rows.map(({ number }) => number)).toEqual(expected.map((_, i) => i + 1))
    })
  }
})

describe('a JSON list', () => {
  test('refuses a value that is no object, or too long, and reads on', async () => {
    const long = `{"name":"${'x'.repeat(1_100_000)}"}`
    const rows = await readFile(`[1, "a]", null, [{}], ${long}, {"name":"]}\\"{["}]`)
    expect(fieldsOf(rows)).toEqual([
      ...[1, 2, 3, 4].map((row) => `${row}: not a JSON object`),
      '5: longer than 1048576 bytes',
      { name: ']}"{[' },
    ])
  })

  const BROKEN: [string, string, string][] = [
    ['cut between rows', '[{"name":"A"},', 'cut off: what has no end begins at line 1'],
    ['cut in a row', '[{"name":"A"},\n{"name":', 'cut off: what has no end begins at line 2'],
    ['cut behind the list', '{"data":[{"name":"A"}]', 'cut off: what has no end begins at line 1'],
    ['a mistake in a row', '[{"name":"A"},\n{"name":A}]', 'broken at line 2: not JSON'],
    ['two rows without a comma', '[{"name":"A"}\n{"name":"B"}]', 'broken at line 2: not JSON'],
    [
      'lists in lists',
      `[{"name":"A"},{"name":${'['.repeat(2_000)}${']'.repeat(2_000)}}]`,
      'more than 1000 deep',
    ],
    ['two lists', '{"data":[{"name":"A"}],"more":[{"name":"B"}]}', 'two lists of objects'],
    ['another file behind it', '[{"name":"A"}]{"name":"B"}', 'broken at line 1: not JSON'],
  ]
  for (const [what, text, reason] of BROKEN) {
    test(`that is broken says how, after the rows before: ${what}`, async () => {
      const rows: SourceRow[] = []
      const reading = async () => {
        for await (const row of rowsOf({ stream: Readable.from([Buffer.from(text)]) }))
          rows.push(row)
      }
      await expectRejection(reading(), reason)
      expect(fieldsOf(rows)).toEqual([{ name: 'A' }])
    })
  }
})

describe('a file that is not read says what it is and what to do', () => {
  const packed = gzipSync(Buffer.from(lines.repeat(1_000)))
  const damaged = Buffer.from(packed)
  damaged.fill(0xff, 12, 60)
  const FILES: [string, Buffer, string][] = [
    ['a broken workbook', Buffer.from('PK\x03\x04rest of it'), 'the workbook is damaged'],
    ['a gzipped one', gzipSync('PK\x03\x04rest of it'), 'the workbook is damaged'],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'save it as XLSX without one'],
    ['a picture', Buffer.from('89504e470d0a1a0a', 'hex'), 'give the table itself, as CSV'],
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'export the table as CSV'],
    ['a web page', Buffer.from('\n<!DOCTYPE html><title>Sign in</title>'), 'a web page or XML'],
    ['XML', Buffer.from('\ufeff<?xml version="1.0"?><rows/>'), 'a web page or XML'],
    ['bytes of another program', Buffer.from('\x01\x02\n'), 'no header: not text'],
    ['gzip in gzip', gzipSync(packed), 'unpack it once'],
    ['zstd', Buffer.from('28b52ffd00', 'hex'), 'pack it by gzip'],
    ['UTF-16 without a mark', Buffer.from(lines, 'utf16le'), 'save it as UTF-8'],
    ['UTF-32', Buffer.from('fffe0000', 'hex'), 'save it as UTF-8'],
    ['a gzip file that is cut off', packed.subarray(0, -20), 'the gzip file is cut off'],
    ['a gzip file of two bytes', Buffer.from('1f8b', 'hex'), 'the gzip file is cut off'],
    ['a damaged gzip file', damaged, 'the gzip file is damaged'],
  ]
  for (const [what, bytes, reason] of FILES) {
    test(what, () => expectRejection(readFile(bytes), reason))
  }
})

describe('JSON Lines', () => {
  test('a row that is no JSON object is refused and quoted nowhere', async () => {
    const rows = await readFile(
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
    const rows = await readFile(`{"name":"${'x'.repeat(1_100_000)}"}\n{"name":"B"}\n`, {
      format: 'jsonl',
    })
    expect(fieldsOf(rows)).toEqual(['1: longer than 1048576 bytes', { name: 'B' }])
  })
})

describe('CSV', () => {
  test('a row with more or fewer cells is refused, a stray quote is a character', async () => {
    const rows = await readFile('name,slug\nA,a,x\nB\n"C"c,c\nD,d"d\n')
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
    const reading = readFile('ann@example.com,Ann\n')
    await expectRejection(reading, 'the first line names none of name, slug')
  })

  test('blank cells beyond the header, and columns without a name, are nothing', async () => {
    expect(fieldsOf(await readFile('name,slug,,\nA,a,,\nB,b,,,,\n'))).toEqual([
      { name: 'A', slug: 'a' },
      { name: 'B', slug: 'b' },
    ])
  })
})
