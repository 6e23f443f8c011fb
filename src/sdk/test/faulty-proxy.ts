/** A proxy that meets calls with faults in turn: before the service has them, after it has charged them, and half-way. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestDirectory } from '../../testing/start.ts'

/** Fate of one attempt. */
type Fault = (exchange: Exchange) => Promise<void>

interface Exchange {
  dir: TestDirectory
  response: ServerResponse
  /** Asks the service. */
  ask(): Promise<{ status: number; headers: Record<string, string>; body: Buffer }>
}

const pass: Fault = async ({ ask, response }) => {
  const { status, headers, body } = await ask()
  response.writeHead(status, headers).end(body)
}

const page = (status: number, { response }: Exchange, headers = {}) => {
  response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>Proxy</h1>')
}

const NAMED_FAULTS = {
  'reset before charge': async ({ response }) => {
    response.socket?.destroy()
  },
  'reset after charge': async ({ ask, response }) => {
    await ask()
    response.socket?.destroy()
  },
  'half of the body': async ({ ask, response }) => {
    const { status, headers, body } = await ask()
    response.writeHead(status, { ...headers, 'content-length': String(body.length) })
    response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy())
  },
  '502 before charge': async (exchange) => page(502, exchange),
  '504 after charge': async (exchange) => {
    await exchange.ask()
    page(504, exchange)
  },
  '429 of a proxy': async (exchange) => page(429, exchange, { 'retry-after': '1' }),
  '500 of the service': async (exchange) => {
    exchange.dir.failNext()
    await pass(exchange)
  },
  '503 of the service': async (exchange) => {
    exchange.dir.fault({ kind: 'status', status: 503, count: 1 })
    await pass(exchange)
  },
  '503 after charge': async (exchange) => {
    exchange.dir.fault({ kind: 'status', status: 503, charged: true, count: 1 })
    await pass(exchange)
  },
  'a slow answer': async (exchange) => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    await pass(exchange)
  },
} satisfies Record<string, Fault>

const FAULTS: readonly Fault[] = Object.values(NAMED_FAULTS)

/** Holds a call up for the whole of its time limit, as the first attempt of each does below this path. */
export const SILENT_PATH = '/silent'
const SILENCE: Fault = async ({ ask }) => {
  await ask()
}

export interface FaultyProxy {
  /** Several addresses, because browsers open six connections to each host. */
  urls: string[]
  stop(): void
}

/**
 * Starts it. Calls get the faults in turn, some in two attempts one after the other; later attempts pass. A fault of the
 * service may hit the call of another program that comes first: there are no more of them for that.
 */
export async function startFaultyProxy(
  dir: TestDirectory,
  addresses: number,
): Promise<FaultyProxy> {
  let calls = 0
  /** The faults that are left for a call, by the id that its attempts share. */
  const left = new Map<string, Fault[]>()

  function nextFaults(): Fault[] {
    const first = calls++
    const turns = first % 3 === 0 ? [first, first + 1] : [first]
    return turns.flatMap((turn) => FAULTS[turn % FAULTS.length] ?? [])
  }

  function faultOf({ method, headers, url = '' }: IncomingMessage): Fault {
    const [id = ''] = String(headers['x-request-id'] ?? '').split('.')
    if (method !== 'GET' || id === '') return pass
    const plan = left.get(id) ?? (url.startsWith(SILENT_PATH) ? [SILENCE] : nextFaults())
    left.set(id, plan)
    return plan.shift() ?? pass
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const ask = async () => {
      const { method = 'GET', headers } = request
      const given = new Headers(headers as Record<string, string>)
      const path = String(request.url).replace(SILENT_PATH, '')
      const asked = await dir.fetch(dir.url + path, { method, headers: given })
      const body = Buffer.from(await asked.arrayBuffer())
      return { status: asked.status, headers: Object.fromEntries(asked.headers), body }
    }
    await faultOf(request)({ dir, response, ask }).catch(() => response.socket?.destroy())
  }
  const servers = Array.from({ length: addresses }, () => createServer(answer))
  const listening = servers.map(async (server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  return {
    urls: await Promise.all(listening),
    stop() {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}
