/** A small file of names and what each stands for: a JSON object, or CSV of two columns. */
import type { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { decode, LONGEST_ROW } from './bytes.ts'
import { objectOf } from './json.ts'

/** @throws Error where the file is neither, naming the line of CSV that is at fault. */
export async function readPairs(stream: Readable): Promise<[string, string | null][]> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of decode(stream)) {
    length += chunk.length
    if (length > LONGEST_ROW) throw new Error('more than a megabyte')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString().trim()
  if (text.startsWith('{')) {
    const read = objectOf(text)
    if ('reason' in read) throw new Error('not JSON')
    return Object.entries(read.fields).map(([name, value]) => {
      if (value !== null && typeof value !== 'string')
        throw new Error(`"${name}" is not a text or null`)
      return [name.trim(), value === null ? null : value.trim()]
    })
  }
  const rows: string[][] = parse(text, {
    delimiter: [',', ';', '\t'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  })
  return rows.map(([name = '', value = '', ...others], i) => {
    if (name === '' || others.some((cell) => cell !== '')) {
      throw new Error(
        `row ${i + 1} is not a column and its field; a column with a delimiter in it stands in quotes`,
      )
    }
    return [name, value || null]
  })
}
