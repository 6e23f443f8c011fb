/**
 * Bytes of a file as UTF-8 without a byte order mark, unpacked where they are gzip, transcoded where they are UTF-16,
 * both by the first bytes and never by the file's name; and the limits within which rows are read.
 */
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Files that are no text, by their first bytes. */
const NOT_TEXT: readonly (readonly [bytes: string, what: string])[] = [
  ['504b0304', 'a workbook or another zip archive: save it as CSV or JSON'],
  ['504b0506', 'an empty zip archive'],
  [
    'd0cf11e0a1b11ae1',
    'an old Excel workbook, or one with a password: save it as XLSX without one',
  ],
  ['25504446', 'a PDF: export the table as CSV'],
  ['53514c69746520666f726d61742033', 'an SQLite database: export the table as CSV'],
  ['50415231', 'a Parquet file: export it as CSV or JSON Lines'],
  ['28b52ffd', 'packed by zstd: unpack it, or pack it by gzip'],
  ['fd377a585a00', 'packed by xz: unpack it, or pack it by gzip'],
  ['425a68', 'packed by bzip2: unpack it, or pack it by gzip'],
  ['377abcaf271c', 'a 7-Zip archive: unpack it'],
  ['89504e47', 'a picture (PNG): give the table itself, as CSV'],
  ['ffd8ff', 'a picture (JPEG): give the table itself, as CSV'],
  ['47494638', 'a picture (GIF): give the table itself, as CSV'],
  ['526172211a07', 'a RAR archive: unpack it'],
  ['7b5c727466', 'a text document (RTF): save the table as CSV'],
  ['1f8b', 'packed by gzip twice: unpack it once'],
  ['fffe0000', 'UTF-32: save it as UTF-8'],
  ['0000feff', 'UTF-32: save it as UTF-8'],
]
const GZIP = Buffer.from('1f8b', 'hex')
const ZIP = Buffer.from('504b0304', 'hex')
const UTF8_MARK = Buffer.from('efbbbf', 'hex')
const UTF16_MARKS = { fffe: 'utf-16le', feff: 'utf-16be' } as const
/** Length of the longest mark above. */
const MARK_BYTES = 16

/** Reads a file's text as chunks of UTF-8. @throws Error as `transcode` and `unpacked` */
export async function* decode(stream: Readable): AsyncGenerator<Buffer> {
  yield* transcode(await unpacked(stream))
}

/** A file, unpacked where it is gzip. */
export interface Beginning {
  /** First MARK_BYTES bytes, or fewer of a shorter file. */
  start: Buffer
  chunks: AsyncGenerator<Buffer>
}

/**
 * Reads the beginning of a file.
 * @param onBytes called with the bytes read of the file, packed ones as they are
 * @throws Error where its gzip is damaged or cut off; or the stream's error. So do `chunks`
 */
export async function unpacked(
  stream: Readable,
  onBytes: (bytes: number) => void = () => {},
): Promise<Beginning> {
  const { start, chunks } = await beginning(bytesOf(stream, onBytes))
  return start.subarray(0, 2).equals(GZIP) ? beginning(unpack(chunks)) : { start, chunks }
}

/** True for a zip archive, as workbooks are. */
export const isArchive = ({ start }: Beginning): boolean => start.subarray(0, 4).equals(ZIP)

async function beginning(source: AsyncGenerator<Buffer>): Promise<Beginning> {
  const { head, chunks } = await readHead(source, MARK_BYTES)
  return { start: head.subarray(0, MARK_BYTES), chunks }
}

/** Reads until `bytes` are there or the source ends. @returns the bytes read, and the chunks from the start */
export async function readHead(
  source: AsyncGenerator<Buffer>,
  bytes: number,
): Promise<{ head: Buffer; chunks: AsyncGenerator<Buffer> }> {
  const read: Buffer[] = []
  let length = 0
  while (length < bytes) {
    const { done, value } = await source.next()
    if (done) break
    read.push(value)
    length += value.length
  }
  const head = Buffer.concat(read)
  async function* chunks() {
    try {
      if (head.length > 0) yield head
      yield* source
    } finally {
      await source.return(undefined)
    }
  }
  return { head, chunks: chunks() }
}

async function* bytesOf(
  stream: Readable,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    onBytes(bytes.length)
    yield bytes
  }
}

/** Messages for zlib's error codes. */
const GZIP_ERRORS: Readonly<Record<string, string>> = {
  Z_BUF_ERROR: 'the gzip file is cut off before its end: copy or make it anew',
  Z_DATA_ERROR: 'the gzip file is damaged: copy or make it anew',
}

async function* unpack(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const unpacked = pipeline(Readable.from(chunks), createGunzip(), () => {})
  try {
    for await (const chunk of unpacked) yield chunk
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw GZIP_ERRORS[code] === undefined ? error : new Error(GZIP_ERRORS[code])
  }
}

/** The text of a file in UTF-8. @throws Error naming the format where the file is no text */
export async function* transcode({ start, chunks }: Beginning): AsyncGenerator<Buffer> {
  const hex = start.toString('hex')
  const other = NOT_TEXT.find(([bytes]) => hex.startsWith(bytes))
  if (other) throw new Error(`not text but ${other[1]}`)
  const encoding = Object.entries(UTF16_MARKS).find(([mark]) => hex.startsWith(mark))?.[1]
  if (encoding) {
    yield* reencode(chunks, encoding)
    return
  }
  if (start.subarray(0, 4).includes(0)) {
    throw new Error('not text, or UTF-16 without a byte order mark: save it as UTF-8')
  }
  let skip = start.subarray(0, 3).equals(UTF8_MARK) ? 3 : 0
  for await (const chunk of chunks) {
    yield chunk.subarray(skip)
    skip = 0
  }
}

/** Text in UTF-8. Bytes that are no text of the encoding become U+FFFD, which the cleaning refuses. */
export async function* reencode(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/**
 * A row as its file has it. `line` is where it begins, from 1. `reason` is why it can't be read; it never quotes the
 * row, which may hold private channels.
 */
export type RawRow =
  | { line: number; cells: readonly string[] }
  | { line: number; fields: Readonly<Record<string, unknown>> }
  | { line: number; reason: string }

/** Longest row in bytes (JSON) or characters (CSV). */
export const LONGEST_ROW = 1_048_576

/**
 * Limit of a longer row, which is read to find its end: without one, a small packed file could keep an import reading
 * for hours.
 */
const LONGEST_SKIPPED = 8 * LONGEST_ROW

/** @throws Error where a row that begins at `line` has come to `length` without an end. */
export function checkSkipped(line: number, length: number) {
  if (length <= LONGEST_SKIPPED) return
  throw new Error(
    `broken at line ${line}: a row of more than ${LONGEST_SKIPPED / LONGEST_ROW} MB; its line breaks or closing marks are missing`,
  )
}

/** Rows of Excel's longest sheet. */
const MOST_BLANK_LINES = 1_048_576
/** Bytes of such a sheet with sixty blank cells in each row. */
const MOST_BLANK_BYTES = 64 * LONGEST_ROW

/**
 * Counts blank lines and rows of blank cells. Spreadsheets write many; a small packed file could hold gigabytes of them,
 * and keep an import busy for an hour.
 */
export class BlankLines {
  #lines = 0
  #bytes = 0

  /** @returns false once the file has more than an import reads */
  add(lines: number, bytes: number): boolean {
    this.#lines += lines
    this.#bytes += bytes
    return this.#lines <= MOST_BLANK_LINES && this.#bytes <= MOST_BLANK_BYTES
  }
}

/** @param line the one by which the file had too many blank lines */
export const tooBlank = (line: number): Error =>
  new Error(
    `broken at line ${line}: more than ${MOST_BLANK_LINES} blank lines, or more than ${MOST_BLANK_BYTES / LONGEST_ROW} MB of them; save the file without them`,
  )
