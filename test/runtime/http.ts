/** HTTP as it is on the wire: a client library would unpack, follow and tidy up what is to be compared. */
import { createConnection } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Received, Sent } from '../contract/world.ts'

const TIMEOUT_MS = 60_000

/**
 * One request on a connection of its own; the path goes out as written in `url`.
 * @throws what the socket does, or when an answer is cut off or its length is not the one it states.
 */
export async function send(url: string, { method = 'GET', headers, body }: Sent = {}) {
  const [, host = '', path = ''] = /^http:\/\/([^/]+)(\/.*)$/.exec(url) ?? []
  const lines = Object.entries({
    Host: host,
    Connection: 'close',
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  const request = [`${method} ${path} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n')
  return parse(await exchange(new URL(`http://${host}`), request), method)
}

/** Sends requests on one connection in one write. @returns the statuses of the answers, in their order. */
export async function pipeline(url: string, paths: readonly string[], key: string) {
  const { host, origin } = new URL(url)
  const requests = paths.map((path, index) => {
    const isLast = index === paths.length - 1
    const connection = isLast ? 'close' : 'keep-alive'
    const headers = [`Host: ${host}`, `Authorization: Bearer ${key}`, `Connection: ${connection}`]
    return [`GET ${path} HTTP/1.1`, ...headers, '', ''].join('\r\n')
  })
  const answer = await exchange(new URL(origin), requests.join(''))
  const statuses = answer.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)
  return [...statuses].map(([, status]) => Number(status))
}

/** A GET with a key. */
export function get(url: string, key: string, headers: Readonly<Record<string, string>> = {}) {
  return send(url, { headers: { Authorization: `Bearer ${key}`, ...headers } })
}

function exchange({ hostname, port }: URL, request: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const socket = createConnection({ host: hostname, port: Number(port) })
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')))
    socket.on('data', (part) => parts.push(Buffer.from(part)))
    socket.once('error', reject)
    socket.once('close', () => resolve(Buffer.concat(parts)))
    socket.write(request)
  })
}

function parse(answer: Buffer, method: string): Received {
  const end = answer.indexOf('\r\n\r\n')
  if (end < 0) throw new Error(`cut off after ${answer.length} bytes`)
  const [first = '', ...lines] = answer.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    const key = name.toLowerCase()
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value
  }
  let bytes = answer.subarray(end + 4)
  const hasNoBody = method === 'HEAD' || status === 204 || status === 304
  if (hasNoBody) {
    if (bytes.length > 0) throw new Error(`${bytes.length} bytes came where there is no body`)
  } else if (headers['transfer-encoding'] === 'chunked') {
    bytes = unchunk(bytes)
  } else {
    const stated = Number(headers['content-length'])
    if (stated !== bytes.length) throw new Error(`${bytes.length} bytes of ${stated} came`)
  }
  if (headers['content-encoding'] === 'gzip' && bytes.length > 0) bytes = gunzipSync(bytes)
  const text = bytes.toString('utf8')
  const isJson = text !== '' && headers['content-type']?.startsWith('application/json')
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined }
}

function unchunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) throw new Error('cut off between two chunks')
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

const AT_ONCE = 35

/** @returns the answers to `count` requests; `ask` sends the nth, and again where it waited too long and was charged nothing. */
export async function many(
  count: number,
  ask: (n: number) => Promise<Received>,
): Promise<Received[]> {
  const answers: Received[] = []
  while (answers.length < count) {
    const length = Math.min(AT_ONCE, count - answers.length)
    const group = Array.from({ length }, (_, n) => untilServed(() => ask(answers.length + n)))
    answers.push(...(await Promise.all(group)))
  }
  return answers
}

/** Sends again what waited too long on a busy machine and was charged nothing. */
export async function untilServed(ask: () => Promise<Received>): Promise<Received> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503 || answer.body?.error.charged !== 0) return answer
  }
}
