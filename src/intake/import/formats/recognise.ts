/** How a text holds its rows, told by its beginning. */
import { extname } from 'node:path'

export type Shape = 'csv' | 'lines' | 'objects' | { listAt: number }

/** What a file is by its name or by what the caller says. */
export type Format = 'jsonl' | 'json' | 'csv'

const FORMATS: Readonly<Record<string, Format>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'json',
  '.csv': 'csv',
  '.tsv': 'csv',
}

/** What a file is by the ending of its name, without `.gz`; undefined where that doesn't tell. */
export const formatOf = (name: string): Format | undefined =>
  FORMATS[extname(name.toLowerCase().replace(/\.gz$/, ''))]

/**
 * The shape of a text that begins with `head`.
 * @param isField whether a key is a field of a row: an object that has one is a row, and not an answer around rows.
 */
export function recognise(
  head: Buffer,
  format: Format | undefined,
  isField: (key: string) => boolean,
): Shape {
  if (format === 'csv') return 'csv'
  // One character a byte, so that places in the text are places in the file.
  const text = head.toString('latin1')
  const start = text.search(/\S/)
  if (text[start] === '[') return { listAt: start + 1 }
  if (format === 'jsonl') return 'lines'
  if (text[start] !== '{') return format === 'json' && start >= 0 ? 'lines' : 'csv'
  const [first = '', blank, next] = text.slice(start).split(/(\s*[\r\n]\s*)/, 3)
  const keys = keysOf(head.subarray(start, start + first.length))
  if (keys && (next || keys.some(isField))) return 'lines'
  // The next line of JSON Lines opens an object, and so may a row of an answer: its list is open by then.
  const isNextObject = next?.startsWith('{') === true
  const listAt = listIn(isNextObject ? `${text.slice(0, start)}${first}${blank}{` : text, isField)
  if (listAt !== undefined) return { listAt }
  return next && !isNextObject ? 'objects' : 'lines'
}

/** The keys of an object; `undefined` where the text is no object. */
function keysOf(text: Buffer): string[] | undefined {
  try {
    return Object.keys(JSON.parse(text.toString()))
  } catch {
    return undefined
  }
}

/** Texts, and whether each is a key; brackets, and what the first value of a list begins with. */
const TOKENS = /(?<string>"(?:[^"\\]|\\.)*")(?<colon>\s*:)?|[{}]|\[(?=\s*(?<next>[{\]])|)/g

/**
 * Where the first value of an answer's list of objects stands: `{"data": [{…}]}`, `{"data": {"people": [{…}]}}`. A list
 * that is empty counts where there is no other. `undefined` for an object that has a field itself.
 */
function listIn(text: string, isField: (key: string) => boolean): number | undefined {
  let depth = 0
  let empty: number | undefined
  for (const found of text.matchAll(TOKENS)) {
    const { string, colon, next } = found.groups ?? {}
    const [token] = found
    if (token === '{') depth++
    else if (token === '}') depth--
    else if (string !== undefined && colon !== undefined && depth === 1) {
      if (isField(unquoted(string))) return undefined
    } else if (token === '[' && next === '{') return found.index + 1
    else if (token === '[' && next === ']') empty ??= found.index + 1
  }
  return empty
}

function unquoted(string: string): string {
  try {
    return String(JSON.parse(Buffer.from(string, 'latin1').toString()))
  } catch {
    return ''
  }
}
