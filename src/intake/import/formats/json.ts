/**
 * JSON in constant memory: JSON Lines, where a line that can't be read costs only itself; a list of objects, also inside
 * another object (an API's answer); or objects one after the other. A list is cut into values here and each is read by
 * `JSON.parse`: a streaming parser ends at the first mistake and has no limit for a value, while this refuses one bad
 * row, or one too long, and reads on.
 */
import { BlankLines, checkSkipped, LONGEST_ROW, type RawRow, tooBlank } from './bytes.ts'

/** Digits that a number may lose. Few texts have so many, and only those are checked number by number. */
const MANY_DIGITS = /\d[\d.]{15}/
const LONG_NUMBER = /^-?(?:\d{16,}|(?=[\d.]{17})\d+\.\d+)$/

/**
 * Parses JSON; numbers with more digits than JavaScript's hold, as ids of many systems, become texts of their digits. A
 * reviver takes seven times as long, so it is used only where a number is that long.
 */
export const parseJson = (text: string): unknown =>
  JSON.parse(text, MANY_DIGITS.test(text) ? withDigits : undefined)

function withDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const digits = context?.source ?? ''
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
    const value = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { fields: { ...value } }
    }
  } catch {
    // Refused below, without the parser's message, which may quote the text.
  }
  return { reason: 'not a JSON object' }
}

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

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const isOpening = (byte: number) => byte === 0x7b || byte === 0x5b
const isClosing = (byte: number) => byte === 0x7d || byte === 0x5d
const LIST_END = 0x5d
const isBlank = (byte: number) =>
  byte === 0x20 || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === 0x09

/**
 * Reads the rows of a JSON list.
 * @param listAt byte offset of the list's first value; absent for objects one after the other
 * @throws Error where the text is cut off, a value is far too long, or the text around the list is no JSON or holds
 * another list
 */
export async function* readJsonList(
  chunks: AsyncIterable<Buffer>,
  head: Buffer,
  listAt?: number,
): AsyncGenerator<RawRow> {
  const before = head.subarray(0, listAt ?? 0)
  const cutter = new ValueCutter(listAt !== undefined)
  cutter.line += before.filter((byte) => byte === LINE_FEED).length
  let skip = before.length
  for await (const chunk of chunks) {
    yield* cutter.write(chunk.subarray(skip))
    skip = Math.max(0, skip - chunk.length)
  }
  yield* cutter.end()
  if (listAt !== undefined) checkAround(before, cutter)
}

/** Cuts a text into the values that stand in it side by side. */
class ValueCutter {
  /** The line of the next byte, from 1. */
  line = 1
  /** Text from the list's `]` on; `undefined` while the list goes on. */
  behind: Buffer[] | undefined
  readonly #isList: boolean
  #behindBytes = 0
  #isOpen = false
  #depth = 0
  #isString = false
  #isEscaped = false
  #startLine = 1
  #parts: Buffer[] = []
  #length = 0

  constructor(isList: boolean) {
    this.#isList = isList
  }

  /** Yields the rows that end in this chunk. */
  *write(chunk: Buffer): Generator<RawRow> {
    if (this.behind) this.#keepBehind(chunk)
    else yield* this.#cut(chunk)
  }

  /** Yields the row that ends with the text. @throws Error where the text is cut off */
  *end(): Generator<RawRow> {
    const isWord = this.#isOpen && this.#depth === 0 && !this.#isString
    if (isWord && !this.#isList) yield this.#take()
    if (this.#isOpen) {
      throw new Error(
        `cut off or broken: a bracket or quote of the row at line ${this.#startLine} is never closed`,
      )
    }
    if (this.#isList && !this.behind) throw new Error('cut off: the list has no end')
  }

  *#cut(chunk: Buffer): Generator<RawRow> {
    let start = 0
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0
      if (byte === LINE_FEED) this.line++
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#isString = false
        if (this.#isString || this.#depth > 0) continue
      } else if (!this.#isOpen) {
        if (isBlank(byte) || byte === COMMA) continue
        if (byte === LIST_END && this.#isList) {
          this.behind = []
          this.#keepBehind(chunk.subarray(i))
          return
        }
        this.#isOpen = true
        this.#startLine = this.line
        start = i
        this.#isString = byte === QUOTE
        if (isOpening(byte)) this.#depth = 1
        continue
      } else if (this.#depth === 0) {
        // A number or a word ends before the first character that can't be part of it.
        const isEnd =
          isBlank(byte) || byte === COMMA || isOpening(byte) || isClosing(byte) || byte === QUOTE
        if (!isEnd) continue
        this.#add(chunk.subarray(start, i))
        yield this.#take()
        if (byte === LINE_FEED) this.line--
        i--
        continue
      } else {
        if (byte === QUOTE) this.#isString = true
        else if (isOpening(byte)) this.#depth++
        else if (isClosing(byte)) this.#depth--
        if (this.#depth > 0) continue
      }
      this.#add(chunk.subarray(start, i + 1))
      yield this.#take()
    }
    if (this.#isOpen) this.#add(chunk.subarray(start))
  }

  #add(part: Buffer) {
    this.#length += part.length
    if (this.#length <= LONGEST_ROW) this.#parts.push(part)
    else this.#parts = []
    checkSkipped(this.#startLine, this.#length)
  }

  #take(): RawRow {
    const row =
      this.#length <= LONGEST_ROW
        ? objectOf(Buffer.concat(this.#parts).toString())
        : { reason: `longer than ${LONGEST_ROW} bytes` }
    this.#parts = []
    this.#length = 0
    this.#isOpen = false
    return { line: this.#startLine, ...row }
  }

  #keepBehind(chunk: Buffer) {
    this.#behindBytes += chunk.length
    if (this.#behindBytes > LONGEST_ROW) throw new Error(TOO_MUCH_BEHIND)
    this.behind?.push(chunk)
  }
}

const TOO_MUCH_BEHIND =
  'behind the first list of objects stands more than a megabyte: keep the one list that is meant'

/** Checks the text around a list: JSON without another list of objects. @throws Error */
function checkAround(before: Buffer, { behind = [] }: ValueCutter) {
  let around: unknown
  try {
    around = JSON.parse(Buffer.concat([before, ...behind]).toString())
  } catch {
    throw new Error('cut off or broken behind its list: what stands around the list is not JSON')
  }
  if (holdsObjects(around)) {
    throw new Error('holds two lists of objects: keep the one that is meant')
  }
}

function holdsObjects(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isList = Array.isArray(value)
  return Object.values(value).some(
    (item) => (isList && typeof item === 'object' && item !== null) || holdsObjects(item),
  )
}
