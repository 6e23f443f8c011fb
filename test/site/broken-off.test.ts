/** A file or page that breaks off while it is sent: its head is out, so only the log can say why. */
import { expect, test } from 'bun:test'
import { DatabaseUnavailable } from '../../src/database/client.ts'
import { createLog } from '../../src/log.ts'
import { csvFile } from '../../src/site/http/csv-file.ts'

/** Reads a file to where it breaks off. @returns what came of it, and what was logged */
async function read(lines: AsyncIterable<string>, left?: AbortController) {
  const logged: { level: string; message: string }[] = []
  const log = createLog('debug', (line) => logged.push(JSON.parse(line)))
  const reader = csvFile(log, 'ledger', lines, left).body?.getReader()
  let text = ''
  let isWhole = false
  try {
    for (let piece = await reader?.read(); piece; piece = await reader?.read()) {
      isWhole = piece.done
      if (isWhole) break
      text += Buffer.from(piece.value ?? [])
    }
  } catch {
    // As the client sees it: the connection ends.
  }
  return { text, isWhole, logged }
}

async function* failing(error: unknown) {
  yield 'at,kind\r\n'
  throw error
}

test('where the database goes away the log says so, as of a page', async () => {
  const { text, isWhole, logged } = await read(failing(new DatabaseUnavailable('57P01')))
  expect([text, isWhole]).toEqual(['\uFEFFat,kind\r\n', false])
  expect(logged).toEqual([
    expect.objectContaining({
      level: 'warn',
      message: 'an answer broke off',
      reason: 'the database is unavailable: 57P01',
    }),
  ])
})

test('an error that nobody foresaw is logged with its place and without its message, which may repeat values', async () => {
  const { logged } = await read(failing(new TypeError('ada@private.example')))
  expect(logged).toMatchObject([{ level: 'error', error: expect.stringContaining('TypeError') }])
  expect(JSON.stringify(logged)).not.toContain('private.example')
})

test('one that comes whole is not logged', async () => {
  async function* whole() {
    yield 'at,kind\r\n'
  }
  expect(await read(whole())).toEqual({ text: '\uFEFFat,kind\r\n', isWhole: true, logged: [] })
})
