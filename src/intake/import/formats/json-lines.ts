/** JSON Lines: one object a line. A line that can't be read costs only itself. */
import { parseJson } from '../json.ts'
import { asObject } from '../structures.ts'
import { BlankLines, checkSkipped, LONGEST_ROW, type RawRow, tooBlank } from './raw-row.ts'

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** The rows of JSON Lines; blank lines are none. @param head the text's beginning, which tells its line break. */
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

/** The object that a text is. The parser's own message may quote the text, so it is dropped. */
export function objectOf(text: string): { fields: Record<string, unknown> } | { reason: string } {
  try {
    return { fields: asObject(parseJson(text)) }
  } catch {
    return { reason: 'not a JSON object' }
  }
}

/** A line, from 1, without its line break; `bytes` is undefined where it is longer than LONGEST_ROW. */
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
