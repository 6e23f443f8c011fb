/** The listener's connections: none is closed whose request is on its way. */
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { listen } from '../../../src/runtime.ts'

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

test('a connection on which no request came does not hold up the stop until it is too old', async () => {
  const server = listen({ host: '127.0.0.1', port: 0, fetch: () => new Response('heard') })
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  // Bun itself closes those that were made within the last moments.
  await Bun.sleep(1_500)
  // It is too old after ten seconds or more.
  const stopped = server.stop().then(() => 'stopped')
  expect(await Promise.race([stopped, Bun.sleep(8_000)])).toBe('stopped')
  socket.destroy()
})

test('an answer on its way holds up the stop', async () => {
  const [asked, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = listen({
    host: '127.0.0.1',
    port: 0,
    fetch: async () => {
      asked.resolve()
      await ready.promise
      return new Response('heard')
    },
  })
  const answer = fetch(`http://127.0.0.1:${server.port}/`).then((response) => response.text())
  await asked.promise
  const stopped = server.stop().then(() => 'stopped')
  expect(await Promise.race([stopped, Bun.sleep(100)])).toBeUndefined()
  ready.resolve()
  expect([await answer, await stopped]).toEqual(['heard', 'stopped'])
})

test('a long answer that is read slowly comes whole, though the listener stops meanwhile', async () => {
  const length = 8_000_000
  const server = listen({
    host: '127.0.0.1',
    port: 0,
    fetch: () => new Response('x'.repeat(length)),
  })
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await new Promise((resolve) => socket.once('readable', resolve))
  const stopped = server.stop()
  let bytes = 0
  for await (const piece of socket) {
    bytes += piece.length
    await Bun.sleep(1)
  }
  await stopped
  expect(bytes).toBeGreaterThan(length)
})
