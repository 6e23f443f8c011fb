/**
 * The same calls by several programs at once on one account each time, through faults, and their bill. The client is the one
 * that the package has: plain JavaScript, made by the compiler.
 */
import { expect } from 'bun:test'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DENO, PROJECT_ROOT, temporaryDirectory } from '../../../test/helpers/command.ts'
import { startDirectory, type TestAccount, type TestDirectory } from '../../testing/start.ts'

const run = promisify(execFile)
const MAIN = join(import.meta.dirname, 'programs/main.js')

export interface Job {
  /** Each for one of the accounts that are used at once. */
  urls: string[]
  keys: string[]
  /** On each account. */
  calls: number
  /** Share of each pause that is really waited. */
  pace: number
  /** Below which each tenth call is made, where no first attempt is answered; '' for none. */
  silentPath: string
}

/** How a call ended, as its program says. */
export interface End {
  /** Prefixes of its attempts' request ids; several if it was continued after it had given up. */
  ids: string[]
  end: string
  expected: string
  charged: number | null
}

/** Makes the calls of a job. @param client the file of the client */
export type Program = (client: string, job: Job) => Promise<End[]>

const command =
  (program: string, ...args: string[]): Program =>
  async (client, job) => {
    const all = [...args, MAIN, client, JSON.stringify(job)]
    const { stdout } = await run(program, all, { maxBuffer: 64 * 1024 * 1024 })
    return JSON.parse(stdout)
  }

/** The runtimes that are installed. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  Bun: command(process.execPath),
  Node: command('node'),
  ...(existsSync(DENO) && {
    Deno: command(DENO, 'run', '--no-config', '--no-lock', '--allow-net', '--allow-read'),
  }),
}

/** Compiles the client as `npm pack` does. @returns the file that the package's `./sdk` names */
export async function compileClient(folder: string): Promise<string> {
  const tsc = join(PROJECT_ROOT, 'node_modules/.bin/tsc')
  const project = join(PROJECT_ROOT, 'src/sdk')
  await run(tsc, ['-p', project, '--outDir', folder])
  return join(folder, 'chainkin.js')
}

/** Accounts that a program uses at once: a call that meets silence holds up no others but those of its account. */
const AT_ONCE = 5

export interface Extent {
  /** Calls of each program on each of its accounts, all at once. */
  calls: number
  /** Accounts of each program; without it all programs share one. */
  accounts?: number
  /** Share of each pause that is really waited. */
  pace: number
}

/**
 * Lets all programs make their calls at once, and holds what they say of them against the ledgers: each answered call was
 * charged once, each refused one not at all, and every call ended as it must.
 */
export async function expectChargedOnce(
  programs: readonly Program[],
  { calls, accounts, pace }: Extent,
): Promise<void> {
  const { path, remove } = await temporaryDirectory()
  const dir = await startDirectory({ environment: { CORS_ORIGINS: '*' } })
  let proxy: FaultyProxy | undefined
  try {
    const client = await compileClient(path)
    proxy = await startFaultyProxy(dir, accounts ? AT_ONCE : 1)
    const { urls } = proxy
    const newAccount = () => dir.account({ tier: 'team', credits: 100_000 })
    const newAccounts = () => Promise.all(Array.from({ length: accounts ?? 0 }, newAccount))
    const shared = accounts ? [] : [await newAccount()]
    const all: TestAccount[] = [...shared]
    const ends = await Promise.all(
      programs.map(async (program) => {
        const own = accounts ? await newAccounts() : shared
        if (accounts) all.push(...own)
        const keys = await Promise.all(own.map((account) => account.newKey()))
        return program(client, { urls, keys, calls, pace, silentPath: accounts ? SILENT_PATH : '' })
      }),
    )
    const made = ends.flat()
    expect(made).toHaveLength(programs.length * (accounts ?? 1) * calls)
    expect(made.filter(({ end, expected }) => end !== expected)).toEqual([])
    const ledgers = await Promise.all(all.map((account) => account.ledger()))
    expect(wrongCharges(made, ledgers.flat())).toEqual([])
  } finally {
    proxy?.stop()
    await dir.stop()
    await remove()
  }
}

interface Entry {
  kind: string
  credits: number
  requestId: string | null
}

/** Calls whose ledger says something else than they do. */
function wrongCharges(ends: readonly End[], ledger: readonly Entry[]) {
  const charges = new Map<string, number[]>()
  for (const { kind, credits, requestId } of ledger) {
    if (kind !== 'charge') continue
    const [id = ''] = (requestId ?? '').split('.')
    charges.set(id, [...(charges.get(id) ?? []), -credits])
  }
  const known = new Set(ends.flatMap(({ ids }) => ids))
  const strange = [...charges.keys()].filter((id) => !known.has(id))
  const wrong = ends
    .map((end) => ({ ...end, ledger: end.ids.flatMap((id) => charges.get(id) ?? []) }))
    .filter(({ end, charged, ledger: taken }) => {
      if (end !== 'answered' || charged === 0) return taken.length > 0
      return taken.length !== 1 || (charged !== null && taken[0] !== charged)
    })
  return [...strange, ...wrong]
}

// A proxy that meets calls with faults in turn: before the service has them, after it has charged them, and half-way.

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
const SILENT_PATH = '/silent'
const SILENCE: Fault = async ({ ask }) => {
  await ask()
}

interface FaultyProxy {
  /** Several addresses, because browsers open six connections to each host. */
  urls: string[]
  stop(): void
}

/**
 * Starts it. Calls get the faults in turn, some in two attempts one after the other; later attempts pass. A fault of the
 * service may hit the call of another program that comes first: there are no more of them for that.
 */
async function startFaultyProxy(dir: TestDirectory, addresses: number): Promise<FaultyProxy> {
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
