/**
 * An open-loop load: so many requests a second however long answers take, so that a stalled server is not spared the
 * requests that come meanwhile. Latency counts from when a request was due. It speaks HTTP/1.1 over its own kept
 * connections, because `fetch` takes more processor time for a request than the server for its answer.
 */
import type { Socket } from 'bun'
import { percentile } from './figures.ts'
import type { LoadRequest } from './load.ts'

export interface SteadyFigures {
  calls: number
  p50Ms: number
  p99Ms: number
  p999Ms: number
  longestMs: number
  /** Delay from due to sent at the 99th percentile: this process was late, or every connection was in use. */
  lateP99Ms: number
  /** Answers other than 200. */
  failed: number
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

export function startSteadyLoad(
  base: string,
  requests: readonly LoadRequest[],
  perSecond: number,
): SteadyLoad {
  const texts = requests.map((request) => asText(base, request))
  const tookMs: number[] = []
  const lateMs: number[] = []
  const waiting: Due[] = []
  const idle: SteadyConnection[] = []
  let pending = 0
  let sent = 0
  let failed = 0
  let finished = () => {}

  async function ask(connection: SteadyConnection, { dueAt, request }: Due) {
    lateMs.push(performance.now() - dueAt)
    const status = await connection.ask(request)
    tookMs.push(performance.now() - dueAt)
    if (status !== 200) failed++
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

  const opening = Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(base)))
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
        calls: sent,
        p50Ms: percentile(tookMs, 0.5),
        p99Ms: percentile(tookMs, 0.99),
        p999Ms: percentile(tookMs, 0.999),
        longestMs: percentile(tookMs, 1),
        lateP99Ms: percentile(lateMs, 0.99),
        failed,
      }
    },
  }
}

function asText(base: string, { method, path, headers }: LoadRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: ${new URL(base).host}\r\n${lines.join('')}\r\n`
}

interface SteadyConnection {
  /** Sends a request as text. @returns the status once the whole answer has arrived; 0 where the connection ended */
  ask(request: string): Promise<number>
  close(): void
}

const HEAD_END = '\r\n\r\n'

/** Opens a connection, and reopens it when it ends. Answers must have a `Content-Length`. */
async function openConnection(base: string): Promise<SteadyConnection> {
  const { hostname, port } = new URL(base)
  let answered: (status: number) => void = () => {}
  let isClosed = false
  let status = 0
  /** An incomplete head. */
  let head = Buffer.alloc(0)
  /** Bytes of the body that have not arrived. */
  let missing = 0

  function end(how: number) {
    head = Buffer.alloc(0)
    missing = 0
    const tell = answered
    answered = () => {}
    tell(how)
  }

  function take(bytes: Buffer) {
    if (missing > 0) {
      missing -= bytes.length
      if (missing === 0) end(status)
      return
    }
    const all = head.length > 0 ? Buffer.concat([head, bytes]) : bytes
    const headEnd = all.indexOf(HEAD_END)
    if (headEnd < 0) {
      head = Buffer.from(all)
      return
    }
    const text = all.toString('latin1', 0, headEnd)
    status = Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
    missing = headEnd + HEAD_END.length + length - all.length
    if (!(missing > 0)) end(missing === 0 ? status : 0)
  }

  const connect = () =>
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (_, bytes) => take(bytes),
        close: () => end(0),
        error: () => end(0),
      },
    })

  let socket: Socket | undefined = await connect()
  return {
    async ask(request) {
      if (socket?.readyState !== 1 && !isClosed) socket = await connect().catch(() => undefined)
      if (!socket) return 0
      const answer = new Promise<number>((resolve) => {
        answered = resolve
      })
      if (socket.write(request) !== request.length) end(0)
      return answer
    },
    close() {
      isClosed = true
      socket?.end()
    },
  }
}
