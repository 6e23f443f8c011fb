/** A row or blank lines without an end are not read on: a packed file of a megabyte may hold gigabytes of them. */
import { expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { fieldsOf, rowsOf } from './files.ts'

const CHUNK = 65_536
const MB = 2 ** 20

/** Reads a file that begins so and goes on with this text for ever: what it gave, and how much of it was read. */
async function endless(start: string, text: string) {
  let read = 0
  async function* chunks() {
    yield Buffer.from(start)
    const chunk = Buffer.alloc(CHUNK, text)
    for (; read < 64 * MB; read += CHUNK) yield chunk
  }
  const rows = []
  let reason = ''
  try {
    for await (const row of rowsOf({ stream: Readable.from(chunks()) })) rows.push(row)
  } catch (error) {
    reason = error instanceof Error ? error.message : ''
  }
  return { rows: fieldsOf(rows), reason, megabytes: read / MB }
}

const FILES: [what: string, start: string, text: string, line: string][] = [
  ['a line of JSON', '{"name":"A"}\n{"name":"', 'x', 'line 2'],
  ['a value in a JSON list', '[{"name":"A"},\n{"name":"', 'x', 'line 2'],
  ['a number in a JSON list', '[{"name":"A"},\n1', '1', 'line 2'],
  ['a CSV cell', 'name,slug\nA,\n', 'x', 'row 2'],
  ['a CSV cell in quotes', 'name,slug\nA,\n"', 'x\n', 'row 2'],
  ['a CSV row of blank cells', 'name,slug\nA,\n', ',', 'row 2'],
  ['a run of empty lines of JSON', '{"name":"A"}\n', '\n', 'line 1048578'],
  ['a run of blank lines of JSON', '{"name":"A"}\n', ' \n', 'line 1048578'],
  ['a run of empty lines of CSV', 'name,slug\nA,\n', '\n', 'blank lines'],
  ['a run of blank CSV rows', 'name,slug\nA,\n', ' ,\n ', 'blank lines'],
]
for (const [what, start, text, place] of FILES) {
  test(`${what} that never ends stops the import soon, after the rows before it`, async () => {
    const { rows, reason, megabytes } = await endless(start, text)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ name: 'A' })
    expect(reason).toContain('broken at')
    expect(reason).toContain(place)
    expect(megabytes).toBeLessThan(12)
  })
}
