/** The listener's connections: none is closed whose request is on its way. */
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { listen } from '../../src/runtime.ts'

test('a connection that was made before the listener stops is answered, though its request comes afterwards', async () => {
  const server = listen({ host: '127.0.0.1', port: 0, fetch: () => new Response('heard') })
  const socket = connect(server.port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  socket.on('error', () => {})
  const stopped = server.stop()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await new Promise((resolve) => socket.once('close', resolve))
  await stopped
  expect(answer).toEndWith('heard')
})
