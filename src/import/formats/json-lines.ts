/** JSON Lines: one object a line. A line that can't be read costs only itself. */
import { asObject } from '../structures.ts'
import { checkSkipped, LONGEST_ROW, type RawRow } from './raw-row.ts'

const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** The rows of JSON Lines; blank lines are none. @param head the text's beginning, which tells its line break. */
export async function* readJsonLines(
  chunks: AsyncIterable<Buffer>,
  head: Buffer,
): AsyncGenerator<RawRow> {
  const lineBreak =
    head.includes(CARRIAGE_RETURN) && !head.includes(LINE_FEED) ? CARRIAGE_RETURN : LINE_FEED
  let line = 0
  for await (const bytes of linesOf(chunks, lineBreak)) {
    line++
    const text = bytes?.toString().trim()
    if (text === '') continue
    yield text === undefined
      ? { line, reason: `longer than ${LONGEST_ROW} bytes` }
      : { line, ...objectOf(text) }
  }
}

/** The object that a text is. The parser's own message may quote the text, so it is dropped. */
export function objectOf(text: string): { fields: Record<string, unknown> } | { reason: string } {
  try {
    return { fields: asObject(JSON.parse(text)) }
  } catch {
    return { reason: 'not a JSON object' }
  }
}

/** Lines without their line break; `undefined` for one that is longer than LONGEST_ROW. @throws Error as `checkSkipped` */
async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  lineBreak: number,
): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = []
  let length = 0
  let line = 1
  const add = (part: Buffer) => {
    length += part.length
    if (length <= LONGEST_ROW) parts.push(part)
    else parts = []
    checkSkipped(line, length)
  }
  const take = () => {
    const taken = length <= LONGEST_ROW ? Buffer.concat(parts) : undefined
    parts = []
    length = 0
    line++
    return taken
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(lineBreak); end >= 0; end = chunk.indexOf(lineBreak, start)) {
      add(chunk.subarray(start, end))
      yield take()
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  if (length > 0) yield take()
}
