/**
 * JSON in constant memory: JSON Lines, where a line that can't be read costs only itself; a list of objects, also inside
 * another object (an API's answer); or objects one after the other.
 */
import { type ParsedTokenInfo, Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { BlankLines, checkSkipped, LONGEST_ROW, type RawRow, reencode, tooBlank } from './bytes.ts'

/** Digits that a number may lose. Few texts have so many, and only those are checked number by number. */
const MANY_DIGITS = /\d[\d.]{15}/
const LONG_NUMBER = /^-?(?:\d{16,}|(?=[\d.]{17})\d+\.\d+)$/

/**
 * Parses JSON; numbers with more digits than JavaScript's hold, as ids of many systems, become texts of their digits. A
 * reviver takes seven times as long, so it is used only where a number is that long.
 */
export const parseJson = (text: string): unknown =>
  JSON.parse(text, MANY_DIGITS.test(text) ? withDigits : undefined)

const withDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? keptDigits(value, context?.source ?? '') : value

function keptDigits(value: number, digits: string): number | string {
  if (Number.isSafeInteger(value)) return value
  return LONG_NUMBER.test(digits) && digits !== String(value) ? digits : value
}

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d]

/** Reads JSON Lines without blank lines. @param head beginning of the text, by which its line break is recognised */
export async function* readJsonLines(
  chunks: AsyncIterable<Buffer>,
  head: Buffer,
): AsyncGenerator<RawRow> {
  const lineBreak =
    head.includes(CARRIAGE_RETURN) && !head.includes(LINE_FEED) ? CARRIAGE_RETURN : LINE_FEED
  const blank = new BlankLines()
  for await (const { line, bytes } of linesOf(chunks, lineBreak, blank)) {
    const text = bytes?.toString().trim()
    if (text === '') {
      if (!blank.add(1, bytes?.length ?? 0)) throw tooBlank(line)
      continue
    }
    yield text === undefined
      ? { line, reason: `longer than ${LONGEST_ROW} bytes` }
      : { line, ...objectOf(text) }
  }
}

/** Parses an object. */
export function objectOf(text: string): { fields: Record<string, unknown> } | { reason: string } {
  try {
    return rowOf(parseJson(text))
  } catch {
    // Without the parser's message, which may quote the text.
    return { reason: NO_OBJECT }
  }
}

const NO_OBJECT = 'not a JSON object'

const rowOf = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { fields: { ...value } }
    : { reason: NO_OBJECT }

/** A line without its line break, numbered from 1; `bytes` is undefined where it is longer than LONGEST_ROW. */
interface Line {
  line: number
  bytes: Buffer | undefined
}

/** Lines that aren't empty. @throws Error as `checkSkipped` and `tooBlank` */
async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  lineBreak: number,
  blank: BlankLines,
): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let length = 0
  let line = 1
  const add = (part: Buffer) => {
    length += part.length
    if (length <= LONGEST_ROW) parts.push(part)
    else parts = []
    checkSkipped(line, length)
  }
  const take = (): Line => {
    const bytes = length <= LONGEST_ROW ? Buffer.concat(parts) : undefined
    parts = []
    length = 0
    return { line: line++, bytes }
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineBreak); end >= 0; end = chunk.indexOf(lineBreak, start)) {
      if (end > start) add(chunk.subarray(start, end))
      if (length > 0) yield take()
      else if (!blank.add(1, 1)) throw tooBlank(line)
      else line++
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  if (length > 0) yield take()
}

/**
 * Reads the rows of a JSON text that isn't JSON Lines.
 * @param depth brackets around each row: 0 of objects side by side, 1 of a list, more of the only list of objects in a text
 * @throws Error where the text is no JSON or cut off, a value is far too long, or there is another list of objects, after
 * the rows before it
 */
export async function* readJson(
  chunks: AsyncIterable<Buffer>,
  depth: number,
): AsyncGenerator<RawRow> {
  const text = new JsonRows(depth)
  // Bytes that are no UTF-8 cost their value and not the file.
  for await (const chunk of reencode(chunks, 'utf-8')) yield* text.rowsIn(chunk)
  yield* text.rowsIn(undefined)
}

const { LEFT_BRACE, LEFT_BRACKET, RIGHT_BRACE, RIGHT_BRACKET, COLON, COMMA } = TokenType

const TWO_LISTS = 'holds two lists of objects: keep the one that is meant'
const TOO_MUCH_BEHIND =
  'behind the first list of objects stands more than a megabyte: keep the one list that is meant'

/** A reason of this reader's own: the parser's messages quote the text. */
class Unreadable extends Error {}

/** Brackets within one another: the parser keeps each that is open. */
const DEEPEST = 1_000
const TOO_DEEP = `has lists and objects more than ${DEEPEST} deep: no table of records has`

/** A JSON text, of which rows alone are kept. */
class JsonRows extends Tokenizer {
  readonly #rowDepth: number
  readonly #parser: TokenParser
  readonly #lines = new LineCounter()
  #rows: RawRow[] = []
  #list: 'ahead' | 'open' | 'over'
  #depth = 0
  #last: TokenType | undefined
  /** Digits of the last number. */
  #digits = ''
  /** Offset of the token at hand. */
  #offset = 0
  /** Beginning of the row at hand; undefined between rows. */
  #begun: { offset: number; line: number } | undefined
  /** Offset of the last token outside of rows, up to the end of the list. */
  #passed = 0

  constructor(rowDepth: number) {
    super()
    const paths = [`$${'.*'.repeat(rowDepth)}`]
    this.#parser = new TokenParser(rowDepth === 0 ? { paths, separator: '' } : { paths })
    this.#parser.onValue = ({ value }) => this.#endRow(value)
    this.#rowDepth = rowDepth
    this.#list = rowDepth > 1 ? 'ahead' : 'open'
  }

  /** Yields the rows that end in a chunk, or with the text. @throws Error as `readJson` */
  *rowsIn(chunk: Buffer | undefined): Generator<RawRow> {
    this.#rows = []
    let reason: string | undefined
    try {
      if (chunk === undefined) this.#finish()
      else {
        this.#lines.add(chunk)
        this.write(chunk)
      }
    } catch (error) {
      const what = chunk ? 'broken at line' : 'cut off: what has no end begins at line'
      reason = error instanceof Unreadable ? error.message : `${what} ${this.#line()}: not JSON`
    }
    yield* this.#rows
    const length = this.#lines.end - (this.#begun?.offset ?? this.#passed)
    if (this.#list === 'over' && length > LONGEST_ROW) reason ??= TOO_MUCH_BEHIND
    if (reason !== undefined) throw new Error(reason)
    checkSkipped(this.#line(), length)
  }

  #line() {
    return this.#begun?.line ?? this.#lines.lineAt(this.#lines.end)
  }

  #finish() {
    this.end()
    if (!this.#parser.isEnded) this.#parser.end()
  }

  protected override parseNumber(digits: string): number {
    this.#digits = digits
    return Number(digits)
  }

  override onToken(info: ParsedTokenInfo) {
    const { token, value, offset } = info
    const isOpening = token === LEFT_BRACE || token === LEFT_BRACKET
    const isClosing = token === RIGHT_BRACE || token === RIGHT_BRACKET
    this.#offset = offset
    if (token === LEFT_BRACE && this.#last === LEFT_BRACKET && !this.#begun) this.#openList()
    if (isClosing && this.#depth-- === this.#rowDepth && this.#list === 'open') this.#list = 'over'
    const isOfRow = this.#list === 'open' && this.#depth >= this.#rowDepth
    if (!isOfRow || token === COMMA || token === COLON) {
      if (this.#list !== 'over' && !this.#begun) this.#passed = offset
    } else this.#begun ??= { offset, line: this.#lines.lineAt(offset) }
    if (isOpening && ++this.#depth > DEEPEST) throw new Unreadable(TOO_DEEP)
    this.#last = token
    const kept = typeof value === 'number' ? keptDigits(value, this.#digits) : value
    this.#parser.write(kept === value ? info : { token: TokenType.STRING, value: kept })
  }

  #openList() {
    if (this.#list === 'over') throw new Unreadable(TWO_LISTS)
    if (this.#list === 'ahead' && this.#depth === this.#rowDepth) this.#list = 'open'
  }

  #endRow(value: unknown) {
    const begun = this.#begun
    if (!begun) return
    this.#begun = undefined
    this.#passed = this.#offset
    const isLong = this.#offset - begun.offset >= LONGEST_ROW
    const row = isLong ? { reason: `longer than ${LONGEST_ROW} bytes` } : rowOf(value)
    this.#rows.push({ line: begun.line, ...row })
  }
}

/** Counts the lines of a text that comes in chunks. */
class LineCounter {
  /** Offset behind the chunk at hand. */
  end = 0
  #chunk: Buffer = Buffer.alloc(0)
  #counted = 0
  #line = 1

  add(chunk: Buffer) {
    this.lineAt(this.end)
    this.#chunk = chunk
    this.#counted = 0
    this.end += chunk.length
  }

  /** The line of a byte of the chunk, from 1. Bytes come in their order. */
  lineAt(offset: number): number {
    const end = offset - this.end + this.#chunk.length
    for (;;) {
      const at = this.#chunk.indexOf(LINE_FEED, this.#counted)
      if (at < 0 || at >= end) return this.#line
      this.#counted = at + 1
      this.#line++
    }
  }
}
