/** The first messages of PostgreSQL's protocol, for servers that a test can't have in earnest. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { freePort } from './postgres.ts'

/** A server that says what a PostgreSQL says first: it speaks no TLS, and begins a session of its version. */
export async function fakePostgres(answer: (socket: Socket, message: Buffer) => void) {
  const fake = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (message: Buffer) => {
      const isSslRequest = message.length === 8 && message.readUInt32BE(4) === 80877103
      if (isSslRequest) socket.write('N')
      else answer(socket, message)
    })
  })
  const port = await freePort()
  fake.listen(port, '127.0.0.1')
  await once(fake, 'listening')
  return { url: `postgres://u:p@127.0.0.1:${port}/d`, close: () => fake.close() }
}

/** A message of PostgreSQL's protocol. */
function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

const READY = message('Z', 'I')
const AUTHENTICATED = message('R', Buffer.alloc(4))
/** An error that ends the connection, with its SQLSTATE. */
export const refusal = (code: string, text = 'no') =>
  message('E', `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`)

/** Begins a session, and answers its first statement with the version. */
export function speakAs(version: string) {
  return (socket: Socket, sent: Buffer) => {
    if (sent[0] !== 'Q'.charCodeAt(0)) {
      const parameter = message('S', `server_version\0${version}\0`)
      return socket.write(Buffer.concat([AUTHENTICATED, parameter, READY]))
    }
    const length = Buffer.alloc(4)
    length.writeUInt32BE(version.length)
    const column = Buffer.concat([Buffer.from('server_version\0'), Buffer.alloc(18)])
    column.writeUInt32BE(25, column.length - 12)
    const answer = [
      message('T', Buffer.from([0, 1]), column),
      message('D', Buffer.from([0, 1]), length, version),
      message('C', 'SHOW\0'),
      READY,
    ]
    return socket.write(Buffer.concat(answer))
  }
}
