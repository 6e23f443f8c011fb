/** The server over HTTP is stopped while it is used. */
import { expect, test } from 'bun:test'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { shared } from '../../../test/helpers/shared.ts'
import { startDirectory } from '../../testing/start.ts'
import { httpServer, newClient, told } from './clients.ts'

const dir = shared(
  () => startDirectory({ listen: false }),
  (started) => started.stop(),
)

/** A server whose searches are asked for and held back until `answer` is called. */
function holdingServer() {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = httpServer(dir, {
    async fetch(url, init) {
      if (url.includes('/v1/search')) {
        asked.resolve()
        await answered.promise
      }
      return dir.fetch(url, init)
    },
  })
  return { server, asked: asked.promise, answer: answered.resolve }
}

test('a server that stops lets a call that it has begun finish, and its answer arrives', async () => {
  const { server, asked, answer } = holdingServer()
  const { key } = await dir.account({ tier: 'pro', credits: 100 })
  const client = await server.connect(key)
  const search = told(client, 'search', { q: 'aurora' })
  await asked
  const stopped = server[Symbol.asyncDispose]()
  // It takes no more calls by then.
  while (await fetch(server.url, { keepalive: false }).catch(() => undefined)) await Bun.sleep(5)
  answer()
  expect((await search).body.projects[0].slug).toBe('aurora-protocol')
  await stopped
})

test('a server that stops ends the streams on which clients of 2025-* listen, while a call is in hand', async () => {
  const { server, asked, answer } = holdingServer()
  const { key } = await dir.account({ tier: 'pro', credits: 100 })
  const transport = new StreamableHTTPClientTransport(server.url, {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    // The test listens itself.
    fetch: async (url, init) =>
      init?.method === 'GET' ? new Response(null, { status: 405 }) : fetch(url, init),
  })
  const client = newClient({ era: '2025-11-25' })
  await client.connect(transport)
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'text/event-stream',
    'mcp-session-id': transport.sessionId ?? '',
  }
  const listen = () => fetch(server.url, { headers })
  const streams = [listen(), listen()]
  // A connection has one such stream: the other request is refused at once, and this one is open by then.
  expect((await Promise.race(streams)).status).toBe(409)
  const search = told(client, 'search', { q: 'aurora' })
  await asked
  const stopped = server[Symbol.asyncDispose]()
  // A stream that is cut is an error, and no end.
  const ends = await Promise.all(streams.map(async (stream) => (await stream).text()))
  expect(ends).toContain('')
  answer()
  expect((await search).body.projects[0].slug).toBe('aurora-protocol')
  await client.close()
  await stopped
})
