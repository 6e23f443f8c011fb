/** A host of pictures that does everything a host can do wrong, on this machine, and pictures to serve. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'
import type { Reach } from '../../../src/directory/pictures/addresses.ts'

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG of one colour. @param claims what its header says of its size instead */
export function png(side: number, claims = side): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(claims)
  header.writeUInt32BE(claims, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const rows = Buffer.alloc((side * 4 + 1) * side, 120)
  for (let y = 0; y < side; y++) rows[y * (side * 4 + 1)] = 0
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', new Uint8Array()),
    ]),
  )
}

export const GIF = Buffer.from('R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=', 'base64')
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'

const send = (type: string, body: string | Uint8Array) => (answer: ServerResponse) => {
  answer.writeHead(200, { 'content-type': type })
  answer.end(body)
}
const redirect = (location: string) => (answer: ServerResponse) => {
  answer.writeHead(302, { location })
  answer.end()
}

/** What is served, by path. */
const ANSWERS: Readonly<Record<string, (answer: ServerResponse) => void>> = {
  '/good.png': send('image/png', png(200)),
  '/good.gif': send('text/plain', GIF),
  '/gone': (answer) => answer.writeHead(410).end(),
  '/error': (answer) => answer.writeHead(500).end(),
  '/busy': (answer) => answer.writeHead(429).end(),
  '/huge': (answer) => {
    answer.writeHead(200, { 'content-type': 'image/png' })
    const more = () => {
      while (!answer.destroyed && answer.write(Buffer.alloc(65_536)));
      if (!answer.destroyed) answer.once('drain', more)
    }
    more()
  },
  '/hints': ({ socket }) => {
    socket?.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(80_000))
  },
  '/claims-huge': (answer) => {
    answer.writeHead(200, { 'content-length': '9999999999' })
    answer.write('x')
  },
  '/slow': (answer) => {
    answer.writeHead(200)
    const drip = setInterval(() => answer.write('.'), 20)
    answer.on('close', () => clearInterval(drip))
  },
  '/silent': () => {},
  '/other-protocol': (answer) => {
    answer.socket?.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    )
  },
  '/broken-off': (answer) => {
    answer.writeHead(200, { 'content-length': '1000' })
    answer.write(png(200).subarray(0, 50), () => answer.destroy())
  },
  '/truncated.png': send('image/png', png(200).subarray(0, 200)),
  '/bomb.png': send('image/png', png(1, 60_000)),
  '/script.svg': send('image/svg+xml', SVG),
  '/page.png': send('image/png', '<!doctype html><script>alert(1)</script>'),
  '/empty': send('image/png', ''),
  '/loop': redirect('/loop'),
  '/twice': redirect('/once'),
  '/once': redirect('/good.png'),
  '/to-private': redirect('http://10.0.0.1/a.png'),
  '/to-metadata': redirect('http://169.254.169.254/latest'),
  '/to-own-name': redirect('http://inside.example/a.png'),
  '/to-port': redirect('http://far.example:6379/a.png'),
  '/to-file': redirect('file:///etc/passwd'),
}

/** Starts it. `requests` are those that it got; `reach` leads every name but one to it. */
export async function startHostileHost() {
  /** Requests for `/held` that wait, by their host's name, and the most that there were: of all hosts, of one. */
  const held: { name: string; answer: ServerResponse }[] = []
  let most = [0, 0]
  function hold(name: string, answer: ServerResponse) {
    held.push({ name, answer })
    most = [
      Math.max(most[0] ?? 0, held.length),
      Math.max(most[1] ?? 0, held.filter((one) => one.name === name).length),
    ]
  }
  const requests: { path: string; headers: Record<string, unknown> }[] = []
  const server = createServer((request, answer) => {
    const path = request.url ?? ''
    requests.push({ path, headers: request.headers })
    if (path === '/held') return hold(request.headers.host ?? '', answer)
    const { etag = '', answerWith } = path.startsWith('/tagged')
      ? TAGGED
      : { answerWith: ANSWERS[path] }
    if (etag && request.headers['if-none-match'] === etag) answer.writeHead(304).end()
    else if (answerWith) answerWith(answer)
    else answer.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const reach: Reach = {
    resolve: async (name) => [name === 'inside.example' ? '127.0.0.2' : '127.0.0.1'],
    isAllowed: (address) => address === '127.0.0.1',
  }
  return {
    requests,
    reach,
    url: (path: string, name = 'pictures.example') => `http://${name}:${port}${path}`,
    /** Does work while `/held` answers each request only after a while. @returns the most that waited at once: of all hosts, of one. */
    async whileHolding(work: () => Promise<unknown>): Promise<number[]> {
      most = [0, 0]
      const releasing = setInterval(() => held.shift()?.answer.end(png(20)), 10)
      await work().finally(() => clearInterval(releasing))
      return most
    },
    /** Waits until nobody is connected any more. */
    async isLeft(): Promise<boolean> {
      for (;;) {
        const open = await new Promise<number>((done) => server.getConnections((_, n) => done(n)))
        if (open === 0) return true
        await new Promise((done) => setTimeout(done, 5))
      }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A picture with a tag. */
const TAGGED = {
  etag: '"1"',
  answerWith(answer: ServerResponse) {
    answer.writeHead(200, { etag: '"1"' })
    answer.end(png(20))
  },
}
