/**
 * So many requests a second, whatever the answers take (an open loop): a server that stalls is not spared the requests
 * that would have come meanwhile. Latency counts from when a request was due. It speaks HTTP by itself, over connections
 * that it keeps, because `fetch` takes more of the processor for a request than the server for its answer.
 */
import type { LoadRequest } from './http-load.ts'
import { openConnection, type SteadyConnection } from './steady-connection.ts'

export interface SteadyFigures {
  asked: number
  p50Ms: number
  p99Ms: number
  longestMs: number
  /** How late requests were sent, at the 99th percentile: by this process, or because every connection waited. */
  lateP99Ms: number
  /** Answers that were no 200. */
  failed: number
  /** Their statuses, 0 where the connection ended. */
  statuses: string
}

export interface SteadyLoad {
  stop(): Promise<SteadyFigures>
}

/** More than a server has in hand at a rate that it can keep up with. */
const CONNECTIONS = 128

interface Due {
  dueAt: number
  request: string
}

/** @param most connections */
export function startSteadyLoad(
  base: string,
  requests: readonly LoadRequest[],
  perSecond: number,
  most = CONNECTIONS,
): SteadyLoad {
  const texts = requests.map((request) => asText(base, request))
  const tookMs: number[] = []
  const lateMs: number[] = []
  const waiting: Due[] = []
  const idle: SteadyConnection[] = []
  let pending = 0
  let sent = 0
  const failures: number[] = []
  let finished = () => {}

  async function ask(connection: SteadyConnection, { dueAt, request }: Due) {
    lateMs.push(performance.now() - dueAt)
    const status = await connection.ask(request)
    tookMs.push(performance.now() - dueAt)
    if (status !== 200) failures.push(status)
    const next = waiting.shift()
    if (next) return ask(connection, next)
    idle.push(connection)
    if (--pending === 0) finished()
  }

  function send(due: Due) {
    const connection = idle.pop()
    if (!connection) return waiting.push(due)
    pending++
    void ask(connection, due)
  }

  const opening = Promise.all(Array.from({ length: most }, () => openConnection(base)))
  let timer: ReturnType<typeof setInterval> | undefined
  const started = opening.then((connections) => {
    idle.push(...connections)
    const startedAt = performance.now()
    timer = setInterval(() => {
      for (;;) {
        const dueAt = startedAt + (sent * 1_000) / perSecond
        const request = texts[sent % texts.length]
        if (dueAt > performance.now() || request === undefined) return
        sent++
        send({ dueAt, request })
      }
    }, 1)
  })
  return {
    async stop() {
      await started
      clearInterval(timer)
      const { promise, resolve } = Promise.withResolvers<void>()
      finished = resolve
      if (pending > 0) await promise
      for (const connection of idle) connection.close()
      return {
        asked: sent,
        p50Ms: percentile(tookMs, 0.5),
        p99Ms: percentile(tookMs, 0.99),
        longestMs: percentile(tookMs, 1),
        lateP99Ms: percentile(lateMs, 0.99),
        failed: failures.length,
        statuses: [...new Set(failures)].join(' '),
      }
    },
  }
}

function percentile(values: number[], share: number): number {
  values.sort((a, b) => a - b)
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}

function asText(base: string, { method, path, headers }: LoadRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: ${new URL(base).host}\r\n${lines.join('')}\r\n`
}
