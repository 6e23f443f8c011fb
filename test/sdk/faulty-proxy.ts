/** A proxy that meets calls with faults in turn: before the service has them, after it has charged them, and half-way. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestDirectory } from '../../src/testing/start.ts'

/** What becomes of one attempt. */
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
    exchange.dir.outage(20)
    await pass(exchange)
  },
  'a slow answer': async (exchange) => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    await pass(exchange)
  },
} satisfies Record<string, Fault>

export const FAULTS: readonly Fault[] = Object.values(NAMED_FAULTS)

/** Takes longer than the rest together: each such call waits for its time limit. */
export const SILENCE: Fault = async ({ ask }) => {
  await ask()
}

export interface FaultyProxy {
  url: string
  stop(): void
}

/**
 * Starts it. Calls get the faults in turn, some in two attempts one after the other; later attempts pass.
 */
export async function startFaultyProxy(
  dir: TestDirectory,
  faults: readonly Fault[],
): Promise<FaultyProxy> {
  let calls = 0
  /** The faults that are left for a call, by the id that its attempts share. */
  const left = new Map<string, Fault[]>()

  function faultOf({ method, headers }: IncomingMessage): Fault {
    const [id = ''] = String(headers['x-request-id'] ?? '').split('.')
    if (method !== 'GET' || id === '') return pass
    const plan =
      left.get(id) ?? [0, calls % 2].flatMap((n) => faults[(calls + n) % faults.length] ?? [])
    if (!left.has(id)) calls++
    left.set(id, plan)
    return plan.shift() ?? pass
  }

  const server = createServer(async (request, response) => {
    const ask = async () => {
      const { method = 'GET', headers } = request
      const given = new Headers(headers as Record<string, string>)
      const answer = await dir.fetch(`${dir.url}${request.url}`, { method, headers: given })
      const body = Buffer.from(await answer.arrayBuffer())
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body }
    }
    await faultOf(request)({ dir, response, ask }).catch(() => response.socket?.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
