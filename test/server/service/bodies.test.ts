/** Bodies of the listener's answers, put together of pieces: whole, and with their length in the head, whatever their size. */
import { afterAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { bodyOf, listen, type Piece } from '../../../src/runtime.ts'

/** A body like the API's: kept bytes, with the caller's own texts between them. */
const piecesOf = (size: number): Piece[] => [
  '{"é',
  Buffer.from('ü'.repeat(size / 2)),
  '比特币',
  '"}',
]
const joined = (size: number) =>
  Buffer.concat(piecesOf(size).map((piece) => Buffer.from(piece as string)))

const server = listen({
  host: '127.0.0.1',
  port: 0,
  fetch: async ({ method, url }) => {
    if (method === 'HEAD') {
      const counted = url.endsWith('0') ? { 'content-length': '0' } : {}
      return new Response(null, { headers: { 'x-one': '1', ...counted } })
    }
    // As after a charge: the answer is made in another turn than the request came in.
    await Bun.sleep(1)
    const body = bodyOf(piecesOf(Number(new URL(url).searchParams.get('size'))))
    return new Response(body, { headers: { 'content-type': 'application/json', 'x-one': '1' } })
  },
})
afterAll(() => server.stop(true))
const addressOf = (size: number) => `http://127.0.0.1:${server.port}/?size=${size}`

/** Sends one request by itself, and reads nothing before it is told to. */
async function ask(size: number): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1').pause()
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(`GET /?size=${size} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  return socket
}

describe('a body of pieces', () => {
  // Around the size from which on Bun would send each piece of the head by itself.
  const around = [0, 2, 15_000, 15_340, 15_342, 15_350, 15_360, 16_384]
  test.each([...around, 100_000, 3_000_000])(
    'of %d bytes comes whole, after its length',
    async (size) => {
      const expected = joined(size)
      const response = await fetch(addressOf(size))
      expect(response.headers.get('content-length')).toBe(String(expected.length))
      expect(response.headers.get('transfer-encoding')).toBeNull()
      expect(response.headers.get('x-one')).toBe('1')
      expect(expected.equals(Buffer.from(await response.arrayBuffer()))).toBe(true)
    },
  )

  test('comes whole to a client that reads late, and others are answered meanwhile', async () => {
    const size = 6_000_000
    const socket = await ask(size)
    expect((await fetch(addressOf(100_000))).status).toBe(200)
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk)
    const answer = Buffer.concat(chunks)
    const expected = joined(size)
    expect(answer.subarray(answer.indexOf('\r\n\r\n') + 4).equals(expected)).toBe(true)
  })

  test('to a client that goes away before its end keeps nobody else from theirs', async () => {
    for (const size of [16_384, 6_000_000]) {
      const socket = await ask(size)
      await new Promise((resolve) => socket.once('readable', resolve))
      socket.destroy()
    }
    const answers = await Promise.all([1, 2, 3].map(() => fetch(addressOf(100_000))))
    const expected = joined(100_000).length
    for (const answer of answers) expect((await answer.arrayBuffer()).byteLength).toBe(expected)
  })

  test.each([2, 100_000])('of %d bytes is read in the same process as it is sent', async (size) => {
    expect(await new Response(bodyOf(piecesOf(size))).text()).toBe(joined(size).toString())
  })
})

test('a body that nobody reads ends with the answer: its connection is closed, and the next one is answered', async () => {
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {})
  let heard = ''
  socket.on('data', (data) => {
    heard += data
  })
  // More is announced than ever comes.
  socket.write(
    `POST /?size=2 HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(100_000)}`,
  )
  await new Promise((resolve) => socket.once('close', resolve))
  expect(heard).toStartWith('HTTP/1.1 200 OK\r\n')
  expect(heard).toMatch(/^connection: close\r$/im)
  const posted = await fetch(addressOf(2), { method: 'POST', body: 'x' })
  expect([posted.status, (await posted.arrayBuffer()).byteLength]).toEqual([200, joined(2).length])
})

test('an answer to HEAD has no body and says of no length that it were one, and the connection goes on', async () => {
  const socket = connect(server.port, '127.0.0.1')
  const head = 'HEAD /?size=9 HTTP/1.1\r\nHost: x\r\n\r\n'
  let heard = ''
  let hasAskedAgain = false
  socket.on('data', (data) => {
    heard += data
    if (hasAskedAgain || !heard.endsWith('\r\n\r\n')) return
    hasAskedAgain = true
    socket.write(head.replace('9 HTTP/1.1', '0 HTTP/1.1\r\nConnection: close'))
  })
  socket.write(head)
  await new Promise((resolve) => socket.once('close', resolve))
  const answers = heard.split('HTTP/1.1 ').slice(1)
  for (const answer of answers) {
    expect(answer).toStartWith('200 OK\r\n')
    expect(answer).not.toMatch(/content-length/i)
    expect(answer.slice(answer.indexOf('\r\n\r\n'))).toBe('\r\n\r\n')
  }
  expect(answers).toHaveLength(2)
  expect((await fetch(addressOf(9), { method: 'HEAD' })).headers.get('x-one')).toBe('1')
})

test.each(['a b', 'a:99999', '[::1', 'ex%zz', 'a/b', ''])(
  'a request whose Host header is %j, which makes no URL, is answered by its path',
  async (host) => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`GET /x/../y?size=2 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toStartWith('HTTP/1.1 200 OK\r\n')
  },
)
