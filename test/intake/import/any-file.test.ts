/** Whatever is written in any format reads back the same, and whatever is read never crashes. */
import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { fieldsOf, readFile } from './files.ts'

type Row = { name: string; slug: string }

/** No apostrophe: in front of what looks like a formula CSV has one that is not part of the text (`src/csv.ts`). */
const CHARACTERS = [...'ab1 ,;|"\t{}[]:\\=-é字', '\n', '\r\n', '👩‍💻', 'e\u0301']
const cell = fc
  .string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 12 })
  // A formula of a text is read as that text.
  .filter((text) => !/^\s*=".*"\s*$/s.test(text))
/** A CSV row of blank cells alone is no row, and neither is a line of one. */
const row = fc.record({ name: cell.map((text) => `a${text}`), slug: cell })

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

/** Quotes where they must stand, or everywhere. */
function written(rows: readonly Row[], delimiter: string, lineBreak: string, isQuoted: boolean) {
  const cellOf = (text: string) =>
    isQuoted || /["\r\n]/.test(text) || text.includes(delimiter) ? quoted(text) : text
  const cells = [['name', 'slug'], ...rows.map(({ name, slug }) => [name, slug])]
  return cells.map((each) => each.map(cellOf).join(delimiter)).join(lineBreak)
}

const csv = fc
  .record({
    rows: fc.array(row, { maxLength: 8 }),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    lineBreak: fc.constantFrom('\n', '\r\n'),
    isQuoted: fc.boolean(),
    saysDelimiter: fc.boolean(),
  })
  .map(({ rows, delimiter, lineBreak, isQuoted, saysDelimiter }) => ({
    rows,
    text:
      (saysDelimiter ? `sep=${delimiter}${lineBreak}` : '') +
      written(rows, delimiter, lineBreak, isQuoted),
  }))

const json = fc
  .record({
    rows: fc.array(row, { minLength: 1, maxLength: 8 }),
    space: fc.constantFrom('', '\t', '  '),
    form: fc.constantFrom('lines', 'list', 'answer', 'rows', 'objects'),
    lineBreak: fc.constantFrom('\n', '\r\n', '\n\n'),
  })
  .map(({ rows, space, form, lineBreak }) => {
    const text = (value: unknown) => JSON.stringify(value, null, space).replaceAll('\n', lineBreak)
    const texts = {
      lines: () => rows.map((one) => JSON.stringify(one)).join(lineBreak),
      list: () => text(rows),
      answer: () => text({ page: { next: null, of: ['a'] }, data: rows, total: rows.length }),
      rows: () => `{"data":[${rows.map((one) => JSON.stringify(one)).join(`,${lineBreak}`)}]}`,
      objects: () => rows.map(text).join(lineBreak),
    }
    return { rows, text: texts[form as keyof typeof texts]() }
  })

const ENCODINGS = {
  utf8: (text: string) => Buffer.from(text),
  marked: (text: string) => Buffer.from(`\ufeff${text}`),
  utf16le: (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  utf16be: (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
}
const wrapping = fc.record({
  encoding: fc.constantFrom(...(Object.keys(ENCODINGS) as (keyof typeof ENCODINGS)[])),
  isPacked: fc.boolean(),
  cuts: fc.array(fc.nat(400), { maxLength: 3 }),
})

/** The bytes, cut between chunks at these places. */
function chunks(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  )
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end))
}

test('rows written in any format, encoding and quoting read back the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(csv, json),
      wrapping,
      async ({ rows, text }, { encoding, isPacked, cuts }) => {
        const bytes = ENCODINGS[encoding](text)
        const file = chunks(isPacked ? gzipSync(bytes) : bytes, cuts)
        expect(fieldsOf(await readFile(file))).toEqual(rows)
      },
    ),
    { numRuns: 300 },
  )
})

test('a file that is cut anywhere gives the rows before the cut, unharmed, and says what is wrong or nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(csv, json),
      wrapping,
      fc.nat(400),
      async (file, { encoding, isPacked }, cut) => {
        const bytes = ENCODINGS[encoding](file.text)
        const whole = isPacked ? gzipSync(bytes) : bytes
        const rows = await readFile([whole.subarray(0, cut)]).catch((error) => {
          expect(error).toBeInstanceOf(Error)
          expect(error.message).toMatch(/cut off|broken|no header|not text/)
          return []
        })
        // The last row may be the one that was cut.
        const given = rows.slice(0, -1).flatMap((each) => ('fields' in each ? [each.fields] : []))
        expect(given).toEqual(file.rows.slice(0, given.length))
      },
    ),
    { numRuns: 300 },
  )
})

test('bytes of any kind give rows or an error with a reason', async () => {
  const start = fc.constantFrom(
    '',
    'name,slug\n',
    '{"name":',
    '[{"name":',
    '{"data":[',
    '\x1f\x8b',
    '\ufeff',
  )
  await fc.assert(
    fc.asyncProperty(start, fc.uint8Array({ maxLength: 200 }), async (before, bytes) => {
      const file = Buffer.concat([Buffer.from(before, 'latin1'), bytes])
      await readFile([file]).catch((error) => {
        expect(error.message).toMatch(/cut off|broken|damaged|no header|not text|both mean|list/)
      })
    }),
    { numRuns: 300 },
  )
})
