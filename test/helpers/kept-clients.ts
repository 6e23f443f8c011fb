/** Clients that keep their connections, and send a call again by themselves where one is closed without an answer. */
import { afterAll } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { installed } from './proxies.ts'

export interface SentCall {
  id: string
  path: string
  key: string
}

/** A call as its client saw it end; the status is 0 where no answer came. */
export interface HeardCall {
  id: string
  status: number
  body: string
}

/** Where a proxy listens, the host that is asked for, and how many connections the client keeps. */
export interface Route {
  url: string
  host: string
  connections: number
}

/** Makes the calls in their order, from as many connections as it keeps. */
export type KeptClient = (route: Route, calls: readonly SentCall[]) => Promise<HeardCall[]>

const GO_CLIENT = join(import.meta.dirname, 'kept-client/main.go')

let goClient: string | undefined

/** Compiles the client of Go's standard library, once for the tests of a file. */
function compiled(): string {
  if (goClient) return goClient
  const file = join(tmpdir(), `chainkin-kept-client-${process.pid}`)
  const { status, stderr } = spawnSync('go', ['build', '-o', file, GO_CLIENT], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`go build: ${stderr}`)
  goClient = file
  return file
}

function removeCompiled() {
  if (goClient) rmSync(goClient)
  goClient = undefined
}

const byGo =
  (protocol: 'h1' | 'h2'): KeptClient =>
  async ({ url, host, connections }, calls) => {
    const child = spawn(compiled(), [url, host, protocol, String(connections)])
    child.stdin.end(calls.map(({ id, path, key }) => `${id} ${path} ${key}\n`).join(''))
    const lines = (await text(child.stdout)).trimEnd().split('\n')
    return lines.map((line) => {
      const [, id = '', status, body = ''] = /^(\S+) (\d+) (.*)$/.exec(line) ?? []
      return { id, status: Number(status), body }
    })
  }

const byBun: KeptClient = async ({ url, host, connections }, calls) => {
  const heard: HeardCall[] = []
  const left = [...calls]
  async function connection() {
    for (let call = left.shift(); call; call = left.shift()) {
      const { id, path, key } = call
      const headers = { host, 'x-request-id': id, authorization: `Bearer ${key}` }
      const answer = await fetch(`${url}${path}`, { headers }).catch(() => undefined)
      const body = (await answer?.text().catch(() => '')) ?? ''
      heard.push({ id, status: answer?.status ?? 0, body })
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  return heard
}

/** Clients that this machine has, by name. Called where the tests are declared: what they need is removed after them. */
export function keptClients(): [name: string, client: KeptClient][] {
  const clients: [string, KeptClient][] = [['Bun’s fetch', byBun]]
  if (installed('go')) {
    afterAll(removeCompiled)
    clients.push(['Go’s client by HTTP/1.1', byGo('h1')], ['Go’s client by HTTP/2', byGo('h2')])
  }
  return clients
}
