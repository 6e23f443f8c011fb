/** Workbooks made of their parts, as a test needs them. */
import { crc32, deflateRawSync } from 'node:zlib'

/** Part of an archive; `size` is what the archive says of it, where that isn't true. */
type Part = string | { text: string; size: number }

/** Packs parts as a zip archive. */
export function zipOf(parts: Readonly<Record<string, Part>>): Buffer {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [path, part] of Object.entries(parts)) {
    const { text, size } = typeof part === 'string' ? { text: part, size: undefined } : part
    const name = Buffer.from(path)
    const bytes = Buffer.from(text)
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size ?? bytes.length, 18)
    common.writeUInt16LE(name.length, 22)
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), common, place, name]))
    files.push(file)
    offset += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, list, Buffer.from('PK\x05\x06'), end])
}

const relationships = (parts: Readonly<Record<string, string>>) =>
  `<Relationships>${Object.entries(parts)
    .map(([id, target]) => {
      const type = target.replace(/.*\/|\d*\.xml$/g, '')
      const kind = { workbook: 'officeDocument', sheet: 'worksheet' }[type] ?? type
      return `<Relationship Id="${id}" Type="http://x.example/${kind}" Target="${target}"/>`
    })
    .join('')}</Relationships>`

interface Options {
  /** XML behind the rows of each sheet. */
  behind?: string
  sharedStrings?: Part
  hidden?: readonly string[]
}

/** Parts of a workbook. @param sheets XML of the rows of each sheet, by its name */
export function partsOf(
  sheets: Readonly<Record<string, string>>,
  { behind = '', sharedStrings, hidden = [] }: Options = {},
): Record<string, Part> {
  const names = Object.keys(sheets)
  const list = names.map(
    (name, i) =>
      `<sheet name="${name}" sheetId="${i + 1}" r:id="s${i + 1}"${hidden.includes(name) ? ' state="hidden"' : ''}/>`,
  )
  const parts = names.map((_, i) => [`s${i + 1}`, `worksheets/sheet${i + 1}.xml`])
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-409]d\\.mmm\\.yy;@"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="10"/></cellXfs></styleSheet>'
  return {
    '_rels/.rels': relationships({ w: '/xl/workbook.xml' }),
    'xl/workbook.xml': `<workbook xmlns:r="x"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships({
      ...Object.fromEntries(parts),
      t: 'sharedStrings.xml',
      f: 'styles.xml',
    }),
    'xl/sharedStrings.xml': sharedStrings ?? '<sst/>',
    'xl/styles.xml': styles,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        `<worksheet><sheetData>${rows}</sheetData>${behind}</worksheet>`,
      ]),
    ),
  }
}

/** A row of texts and of cells as XML. */
export const rowOf = (number: number, cells: readonly string[]): string =>
  `<row r="${number}">${cells.map((cell, i) => (cell.startsWith('<c') ? cell : `<c r="${String.fromCharCode(65 + i)}${number}" t="inlineStr"><is><t>${cell}</t></is></c>`)).join('')}</row>`
