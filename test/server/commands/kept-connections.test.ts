/**
 * Behind what `print` writes for proxies, clients that keep their connections make calls of an instance that dies in the
 * middle of one. The instances are no service here: they count calls, and end a connection as the end of a process does.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { keptClients } from '../../helpers/kept-clients.ts'
import { freePort } from '../../helpers/postgres.ts'
import { API_HOST, installed, PROXIES, startProxy } from '../../helpers/proxies.ts'

/** Instances are told apart by their address alone, as machines are. */
const HOSTS = ['127.0.0.1', '127.0.0.9']
const DEADLY = '/v1/deadly'

/** How often each call arrived at some instance. */
const arrivals = new Map<string, number>()
const servers: Server[] = []
let ports: { port: string; appPort: string }

beforeAll(async () => {
  ports = { port: String(await freePort()), appPort: String(await freePort()) }
  for (const host of HOSTS) for (const port of Object.values(ports)) await startInstance(host, port)
})
afterAll(() => {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
})

async function startInstance(host: string, port: string) {
  const server = createServer(({ headers, url, socket }, answer) => {
    const id = String(headers['x-request-id'])
    arrivals.set(id, (arrivals.get(id) ?? 0) + 1)
    if (url === DEADLY) setImmediate(() => socket.destroy())
    else answer.setHeader('x-request-id', id).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(Number(port), host, resolve))
  servers.push(server)
}

/** Calls on one connection: two that are answered, and one that kills its instance. @returns the last one's end */
async function callUntilDeath(proxy: { port: number }, [name, client]: Client) {
  const id = `${proxy.port}-${name.replaceAll(/\W/g, '')}`
  const route = { url: `http://127.0.0.1:${proxy.port}`, host: API_HOST, connections: 1 }
  const calls = ['/v1/people', '/v1/people', DEADLY].map((path, n) => ({
    id: `${id}-${n}`,
    path,
    key: 'k',
  }))
  const ends = await client(route, calls)
  expect(ends.map(({ status }) => status).slice(0, 2)).toEqual([200, 200])
  return { end: ends[2], arrived: arrivals.get(`${id}-2`) }
}

/** Sends calls on one connection in one write. @returns the ids of the answers, in their order */
async function pipeline(port: number, ids: readonly string[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1')
  let answers = ''
  socket.on('data', (data) => {
    answers += data
  })
  const requests = ids.map((id, n) => {
    const connection = n === ids.length - 1 ? 'close' : 'keep-alive'
    return `GET /v1/people HTTP/1.1\r\nHost: ${API_HOST}\r\nX-Request-Id: ${id}\r\nConnection: ${connection}\r\n\r\n`
  })
  socket.write(requests.join(''))
  await once(socket, 'close')
  return [...answers.matchAll(/^x-request-id: (\S+)/gim)].map(([, id]) => id ?? '')
}

const CLIENTS = keptClients()
type Client = (typeof CLIENTS)[number]

/** nginx takes no HTTP/2 without encryption beside HTTP/1.1, and nobody here has a certificate. */
const clientsOf = (proxy: string) =>
  CLIENTS.filter(([name]) => proxy !== 'nginx' || !name.endsWith('/2'))

const PLACES = PROXIES.flatMap((name) => [
  { name, hosts: HOSTS },
  { name, hosts: HOSTS.slice(0, 1) },
])

for (const { name, hosts } of PLACES) {
  const program = installed(name)
  const title = `behind ${name}, with ${hosts.length} of them`
  describe.skipIf(!program || process.platform !== 'linux')(title, () => {
    let proxy: Awaited<ReturnType<typeof startProxy>>
    beforeAll(async () => {
      proxy = await startProxy(name, program ?? '', hosts, ports)
    })
    afterAll(() => proxy.stop())

    test.each(clientsOf(name))(
      'on a kept connection, a call whose instance dies is answered, and sent again by nginx alone: %s',
      async (clientName, client) => {
        const { end, arrived } = await callUntilDeath(proxy, [clientName, client])
        expect([502, 503]).toContain(end?.status ?? 0)
        expect(JSON.parse(end?.body ?? '').error.charged).toBeNull()
        // By another instance, or a new connection to the only one: its file says so. No client adds to that.
        expect(arrived).toBe(name === 'nginx' ? 2 : 1)
      },
    )

    test('calls that one client sends in one write are answered in order, each made once', async () => {
      const ids = Array.from({ length: 25 }, (_, n) => `${name}-${proxy.port}-in-order-${n}`)
      const heard = await pipeline(proxy.port, ids)
      expect(heard).toEqual(ids)
      expect(ids.map((id) => arrivals.get(id))).toEqual(ids.map(() => 1))
    })
  })
}
