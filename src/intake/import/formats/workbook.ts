/**
 * Workbooks (XLSX): a zip archive of XML files. The packed file is in memory, and the texts that its cells share; a sheet is
 * read piece by piece. Sizes are limited before anything is unpacked, because a small archive may hold gigabytes.
 */
import { posix } from 'node:path'
import { SaxesParser } from 'saxes'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { LONGEST_ROW } from './bytes.ts'
import { type Calendar, type CellFormat, formatOf, unescaped } from './workbook-cells.ts'

const MB = 2 ** 20
/** The largest packed file, as for uploads. */
const MOST_PACKED = 100 * MB
/** The largest sheet, unpacked: Excel's million rows with twenty columns. */
export const MOST_SHEET = 1_024 * MB
/** The largest of the parts that are read whole: lists of sheets and styles, and texts. */
const [MOST_PART, MOST_TEXTS] = [32 * MB, 256 * MB]
const MOST_PARTS = 10_000
/** Characters of all shared texts, with a share for each. */
const MOST_TEXT = 128 * MB
const TEXT_OVERHEAD = 16

export const BROKEN = 'the workbook is damaged: open it in a spreadsheet and save it anew'

const tooLarge = (what: string, most: number) =>
  new Error(`the workbook's ${what} has more than ${most / MB} MB unpacked: save the sheet as CSV`)

export interface XmlHandlers {
  /** Names of elements come without a prefix. */
  open(name: string, attributes: Readonly<Record<string, string>>): void
  close?(name: string): void
  text?(text: string): void
}

/** Elements within one another, and bytes of one tag or text: the parser holds them all. Excel's are ten, and a cell's text. */
const [DEEPEST, LONGEST_PIECE] = [100, 8 * LONGEST_ROW]

/** Reads XML. @throws Error where it is no XML or a workbook's parser would need far too much for it, and what the handlers throw */
export async function* readXml(
  chunks: AsyncIterable<Buffer>,
  { open, close, text }: XmlHandlers,
): AsyncGenerator<number> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({
    xmlns: false,
    position: false,
  })
  let [depth, pieceBytes] = [0, 0]
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > DEEPEST) throw new Error(BROKEN)
    open(withoutPrefix(name), attributes)
  })
  parser.on('closetag', ({ name }) => {
    pieceBytes = 0
    depth--
    close?.(withoutPrefix(name))
  })
  if (text) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  parser.on('error', () => {
    throw new Error(BROKEN)
  })
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    pieceBytes += chunk.length
    parser.write(decoder.decode(chunk, { stream: true }))
    if (pieceBytes > LONGEST_PIECE) throw new Error(BROKEN)
    yield chunk.length
  }
  parser.close()
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)

interface Sheet {
  name: string
  isHidden: boolean
  /** Id of its part among the workbook's relationships. */
  part: string
}

/** The sheet of a workbook to read. */
export interface SheetChoice {
  /** Name; absent for the first sheet that isn't hidden. */
  sheet?: string | undefined
  /** True where only the first rows are wanted: they don't wait until all texts are read. */
  isBeginning?: boolean
  /** Called with the name of the sheet that is read, and with those of all that aren't hidden. */
  onSheet?(name: string, names: readonly string[]): void
}

/** A workbook, and the sheet of it to read. */
export interface OpenedSheet {
  /** Unpacked bytes of the sheet, and packed ones of the workbook. */
  bytes: number
  packedBytes: number
  /** The sheet's XML; may be read several times. */
  chunks(): AsyncGenerator<Buffer>
  calendar: Calendar
  sharedTexts: SharedTexts
  /** Number formats by the style of a cell. */
  formats: readonly CellFormat[]
}

/**
 * Opens a sheet.
 * @throws Error where the file is no workbook, is damaged or too large, or has no such sheet
 */
export async function openSheet(
  packed: AsyncIterable<Buffer>,
  { sheet: name, onSheet }: SheetChoice,
): Promise<OpenedSheet> {
  const archive = await Archive.open(packed)
  const [main] = await archive.related('', 'officeDocument')
  if (!main || !archive.has(main.path)) throw new Error(archive.otherFormat())
  const { sheets, calendar } = await readSheets(archive, main.path)
  const parts = await archive.related(main.path, '')
  const pathOf = (type: string) => parts.find((part) => part.type === type)?.path
  // Charts are sheets too.
  const tables = new Map(
    parts.flatMap(({ id, type, path }) => (type === 'worksheet' ? [[id, path]] : [])),
  )
  const choices = sheets.filter(({ part }) => tables.has(part))
  const sheet = choose(choices, name)
  onSheet?.(
    sheet.name,
    choices.filter(({ isHidden }) => !isHidden).map((one) => one.name),
  )
  const path = tables.get(sheet.part) ?? ''
  const [texts, styles] = [pathOf('sharedStrings'), pathOf('styles')]
  const bytes = archive.sizeOf(path)
  if (bytes > MOST_SHEET) throw tooLarge('sheet', MOST_SHEET)
  return {
    bytes,
    packedBytes: archive.bytes,
    chunks: () => archive.read(path),
    calendar,
    sharedTexts: new SharedTexts(texts === undefined ? undefined : archive.part(texts, MOST_TEXTS)),
    formats: styles === undefined ? [] : await readFormats(archive.part(styles)),
  }
}

/** Sheets that a refusal names, and characters of a name in Excel. */
const [NAMED_SHEETS, LONGEST_NAME] = [20, 31]

function choose(sheets: readonly Sheet[], name: string | undefined): Sheet {
  const sheet =
    name === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : (sheets.find((one) => one.name === name) ??
        sheets.find((one) => one.name.trim().toLowerCase() === name.trim().toLowerCase()))
  if (sheet) return sheet
  if (name === undefined) throw new Error('the workbook has no sheet')
  const names = sheets
    .slice(0, NAMED_SHEETS)
    .map((one) => `"${one.name.slice(0, LONGEST_NAME).toWellFormed()}"`)
  const more = sheets.length > names.length ? ` and ${sheets.length - names.length} more` : ''
  throw new Error(`the workbook has no sheet "${name}": it has ${names.join(', ')}${more}`)
}

/** A zip archive in memory. */
class Archive {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>

  /** Packed bytes. */
  readonly bytes: number

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip
    this.#entries = entries
    this.bytes = zip.fileSize
  }

  static async open(packed: AsyncIterable<Buffer>): Promise<Archive> {
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of packed) {
      length += chunk.length
      if (length > MOST_PACKED)
        throw new Error('a workbook of more than 100 MB: save the sheet as CSV')
      chunks.push(chunk)
    }
    const entries = new Map<string, Entry>()
    try {
      const zip = await fromBufferPromise(Buffer.concat(chunks))
      if (zip.entryCount > MOST_PARTS) throw new Error(BROKEN)
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
      return new Archive(zip, entries)
    } catch {
      throw new Error(`${BROKEN}, or the archive was cut off`)
    }
  }

  has(path: string) {
    return this.#entries.has(path)
  }

  sizeOf(path: string): number {
    return this.#entries.get(path)?.uncompressedSize ?? 0
  }

  /** Unpacks a part; an archive that has more of it than it says is damaged. */
  async *read(path: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(path)
    if (!entry) throw new Error(BROKEN)
    try {
      for await (const chunk of await this.#zip.openReadStreamPromise(entry)) yield chunk
    } catch {
      throw new Error(BROKEN)
    }
  }

  /** Unpacks a part that is read whole. */
  part(path: string, most = MOST_PART): AsyncGenerator<Buffer> {
    if (this.sizeOf(path) > most) throw tooLarge(posix.basename(path, '.xml'), most)
    return this.read(path)
  }

  /** Parts that a part refers to; of one type, or of any where it is blank. */
  async related(path: string, type: string) {
    const folder = posix.dirname(path)
    const list = posix.join(folder, '_rels', `${posix.basename(path)}.rels`)
    const found: { id: string; type: string; path: string }[] = []
    if (!this.has(list)) return found
    await readWhole(this.part(list), {
      open(name, { Id = '', Type = '', Target = '' }) {
        const kind = posix.basename(Type)
        if (name !== 'Relationship' || (type !== '' && kind !== type)) return
        found.push({
          id: Id,
          type: kind,
          path: posix.join(Target.startsWith('/') ? '/' : folder, Target).replace(/^\//, ''),
        })
      },
    })
    return found
  }

  /** Says what the archive is, if it is no workbook. */
  otherFormat(): string {
    if (this.has('mimetype')) return 'an OpenDocument file: save it as XLSX, or the sheet as CSV'
    if (this.has('xl/workbook.bin')) return 'a binary workbook: save it as XLSX'
    return 'a zip archive and no workbook: unpack it'
  }
}

async function readWhole(chunks: AsyncIterable<Buffer>, handlers: XmlHandlers) {
  for await (const _length of readXml(chunks, handlers)) {
    // The handlers keep what counts.
  }
}

async function readSheets(archive: Archive, path: string) {
  const sheets: Sheet[] = []
  let calendar: Calendar = 1900
  await readWhole(archive.part(path), {
    open(name, attributes) {
      if (name === 'workbookPr' && /^(?:1|true)$/.test(attributes.date1904 ?? '')) calendar = 1904
      if (name !== 'sheet') return
      const [, part = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? []
      const isHidden = /hidden/i.test(attributes.state ?? '')
      sheets.push({ name: attributes.name ?? '', isHidden, part })
    },
  })
  return { sheets, calendar }
}

/** Texts that cells refer to by number. They are read as far as they are needed: those of the first rows come first. */
class SharedTexts {
  readonly #texts: string[] = []
  readonly #reading: AsyncGenerator<number> | undefined

  constructor(chunks: AsyncIterable<Buffer> | undefined) {
    this.#reading = chunks && readXml(chunks, handlersOfTexts(this.#texts))
  }

  at(number: number): string | undefined {
    return this.#texts[number]
  }

  /** Reads on until the text of this number, or the end. */
  async readTo(number: number): Promise<void> {
    while (this.#texts.length <= number) {
      if (!this.#reading || (await this.#reading.next()).done) return
    }
  }

  async close(): Promise<void> {
    await this.#reading?.return(undefined)
  }
}

/** Collects the texts, without the readings that stand above Asian ones. */
function handlersOfTexts(texts: string[]): XmlHandlers {
  let text: string | undefined
  let [isText, isReading] = [false, false]
  let length = 0
  return {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') isReading = true
      isText = name === 't' && !isReading
    },
    text(part) {
      if (isText) text = (text ?? '') + part
    },
    close(name) {
      isText = false
      if (name === 'rPh') isReading = false
      if (name !== 'si') return
      texts.push(unescaped(text ?? ''))
      length += (text?.length ?? 0) + TEXT_OVERHEAD
      if (length > MOST_TEXT) throw tooLarge('text', MOST_TEXT)
    },
  }
}

async function readFormats(chunks: AsyncIterable<Buffer>): Promise<CellFormat[]> {
  const codes = new Map<string, string>()
  const formats: CellFormat[] = []
  let isOfCells = false
  await readWhole(chunks, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') codes.set(numFmtId, formatCode)
      else if (name === 'cellXfs') isOfCells = true
      else if (name === 'xf' && isOfCells) formats.push(formatOf(numFmtId, codes.get(numFmtId)))
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false
    },
  })
  return formats
}
