/** Forms with a large file: what comes before the file is known before it is read, and no more is read than is asked for. */
import { expect, test } from 'bun:test'
import { ClientLeft, PageError } from '../../src/site/http/page-error.ts'
import { readUpload } from '../../src/site/http/upload.ts'
import { expectRejection, rejection } from '../helpers/rejection.ts'

const BOUNDARY = 'in-between'
const MOST = 10_000

const part = (head: string, value: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
const CSRF = part('name="csrf"', 'a token')
const END = `--${BOUNDARY}--\r\n`
const fileOf = (content: string, name = 'companies.csv') =>
  part(`name="file"; filename="${name}"`, content)

/** A form that arrives in pieces. `asked` counts those that were taken so far. */
function arriving(sent: string, size: number, headers: Record<string, string> = {}) {
  const bytes = new TextEncoder().encode(sent)
  const state = { asked: 0, isLetGo: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = bytes.subarray(state.asked * size, ++state.asked * size)
        if (piece.length > 0) controller.enqueue(new Uint8Array(piece))
        else controller.close()
      },
      cancel() {
        state.isLetGo = true
      },
    },
    { highWaterMark: 0 },
  )
  const request = new Request('http://localhost/', {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
  } as RequestInit)
  return { request, state }
}

async function read(sent: string, size = 100) {
  const { form, file } = await readUpload(arriving(sent, size).request, MOST)
  const pieces: Uint8Array[] = []
  for await (const piece of file?.bytes ?? []) pieces.push(piece)
  return { form, name: file?.name, content: Buffer.concat(pieces).toString() }
}

/** The answer to what is refused. */
const refusal = async (sent: string, size?: number) => {
  const error = await read(sent, size).catch((thrown: unknown) => thrown)
  if (!(error instanceof PageError)) throw new Error(`not refused: ${JSON.stringify(error)}`)
  return error
}

test('the fields before the file and its bytes come through, however the form is cut on its way', async () => {
  const content = Array.from(
    { length: 200 },
    (_, i) => `a--in-between\r\n--in-betwee${i}\n\0é`,
  ).join('')
  for (const size of [1, 2, 3, 17, 64, 1_000, 100_000]) {
    const sent = await read(CSRF + fileOf(content) + part('name="late"', 'x') + END, size)
    expect(sent).toEqual({
      form: new URLSearchParams({ csrf: 'a token' }),
      name: 'companies.csv',
      content,
    })
  }
})

test('no more of a file is read than is asked for, and one that nobody wants is let go', async () => {
  const { request, state } = arriving(CSRF + fileOf('x'.repeat(5_000)) + END, 100)
  const { file } = await readUpload(request, MOST)
  expect(state.asked).toBeLessThan(5)
  for await (const _ of file?.bytes ?? []) break
  expect(state.asked).toBeLessThan(6)
  expect(state.isLetGo).toBe(true)
})

test('more bytes than allowed are refused by the length that is stated, before any is read', async () => {
  const { request, state } = arriving('', 1, { 'content-length': '2000000' })
  await expectRejection(readUpload(request, MOST), 'The file may have 0 MB.')
  expect(state.asked).toBe(0)
})

test('more bytes than allowed are refused where no length is stated, as they come', async () => {
  const { request, state } = arriving(CSRF + fileOf('x'.repeat(1_000_000)) + END, 1_000)
  const { file } = await readUpload(request, MOST)
  const reading = async () => {
    for await (const _ of file?.bytes ?? []);
  }
  expect(await rejection(reading())).toMatchObject({ status: 413 })
  expect([state.asked < 40, state.isLetGo]).toEqual([true, true])
})

test('a file that doesn’t come whole is told from one that does', async () => {
  const whole = CSRF + fileOf('a,b\n1,2\n3,4\n')
  for (const length of [whole.length, whole.length - 3, whole.length - 12])
    expect(await refusal(whole.slice(0, length))).toBeInstanceOf(ClientLeft)
})

test('what is no such form is refused: a second file, too many fields, a long one, no boundary, a long header', async () => {
  const twice = await refusal(CSRF + fileOf('a') + fileOf('b') + END)
  expect([twice.status, twice.title]).toEqual([400, 'One file at a time'])
  const wrong = [
    part('name="a"', 'x').repeat(30) + END,
    part('name="a"', 'x'.repeat(5_000)) + fileOf('a') + END,
    part(`name="${'x'.repeat(10_000)}"`, 'x'),
    'nothing of a form',
  ]
  for (const sent of wrong) expect((await refusal(sent)).title).toBe('The form could not be read')
  const type = { 'content-type': 'multipart/form-data; charset=utf-8' }
  const unbounded = await rejection(readUpload(arriving(END, 9, type).request, MOST))
  expect(unbounded).toMatchObject({ status: 400 })
})

test('a file is named without its folders and without what can’t be seen', async () => {
  const names = {
    'C:\\\\Users\\\\a\\\\b.csv': 'b.csv',
    '/etc/x.csv': 'x.csv',
    'a\u202eb\tc.csv': 'a b c.csv',
    [`${'x'.repeat(300)}`]: 'x'.repeat(200),
  }
  for (const [given, name] of Object.entries(names))
    expect((await read(CSRF + fileOf('a', given) + END, 1_000)).name).toBe(name)
})
