/** Differences between Bun and Deno. No other file of `src`, besides the build, may name either. */
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import { setImmediate } from 'node:timers'
import { setTimeout as pause } from 'node:timers/promises'

/** A request with the address and port of the socket's other end. */
export interface IncomingRequest extends Request {
  readonly socketAddress: string
  readonly socketPort?: number
  /** True while its connection is open; absent where the runtime doesn't know. */
  readonly isOpen?: () => boolean
}

/** Adds the socket's address and state to a request. */
export function incoming(
  request: Request & { socketAddress?: string; socketPort?: number; isOpen?: () => boolean },
  socketAddress: string,
  socketPort?: number,
  isOpen?: () => boolean,
): IncomingRequest {
  if (isOpen) request.isOpen = isOpen
  request.socketAddress = socketAddress
  if (socketPort !== undefined) request.socketPort = socketPort
  return request as IncomingRequest
}

/** True while a request can be answered, and where the runtime doesn't know. */
export function isAnswerable(request: Request & { isOpen?: () => boolean }): boolean {
  return request.isOpen?.() ?? true
}

/** The socket's address of a request that passed a framework as a plain `Request`; '' if unknown. */
export function socketAddressOf(request: Request): string {
  return 'socketAddress' in request && typeof request.socketAddress === 'string'
    ? request.socketAddress
    : ''
}

/** A listening server. */
export interface Listener {
  port: number
  /** Takes no more connections and lets requests in hand finish; `atOnce` cuts them off. */
  stop(atOnce?: boolean): Promise<void>
}

export interface ListenOptions {
  host: string
  /** 0 takes a free port. */
  port: number
  /** True where other processes of this service share the port: see `CAN_SHARE_PORTS`. */
  isShared?: boolean
  /** Seconds for which a connection may be silent during an answer. Default: the runtime's. */
  idleSeconds?: number
  fetch: (request: IncomingRequest) => Response | Promise<Response>
}

/** The request line and headers that reach `fetch`, in bytes; beyond it Bun answers 431 by itself, and Deno 400. */
const MAX_HEAD_BYTES = 64 * 1024

/** From this many bytes on Bun sends what a promise answers with in four writes for each field of its head. */
const LARGE_BODY_BYTES = 15 * 1024
/** UTF-8 has this many bytes for a UTF-16 unit at most. */
const BYTES_A_UNIT = 3

/** A piece of a body: constant bytes, or a text that is sent in UTF-8. */
export type Piece = string | Uint8Array<ArrayBuffer>

export function joinedPieces(pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  )
}

/** The body of a response that sends these pieces one after the other. */
export function bodyOf(pieces: readonly Piece[]): Blob | ReadableStream | Uint8Array<ArrayBuffer> {
  // Deno reads a blob as a stream.
  if (deno) return joinedPieces(pieces)
  let [units, most] = [0, 0]
  for (const piece of pieces) {
    units += piece.length
    most += typeof piece === 'string' ? piece.length * BYTES_A_UNIT : piece.length
  }
  // Bun copies bytes once more when it makes a response of them; a blob it takes as it is.
  return units < LARGE_BODY_BYTES ? new Blob([...pieces]) : sentAtOnce(pieces, most)
}

/** A stream source of Bun that writes by itself, besides the standard's. */
interface DirectSource {
  type: 'direct'
  pull(sink: { write(piece: Piece): void; end(): void }): void
}

/**
 * A body that Bun puts behind the head, which has its length, and sends in one write. Forty small ones, each of which wakes
 * the client, take more of the processor than all the rest of a call for a list.
 * @param most the bytes that the pieces have at most
 */
function sentAtOnce(pieces: readonly Piece[], most: number): ReadableStream {
  const source: DirectSource = {
    type: 'direct',
    pull(sink) {
      for (const piece of pieces) sink.write(piece)
      sink.end()
    },
  }
  // From its mark on it would be sent in chunks, without its length.
  return new ReadableStream(source as unknown as UnderlyingDefaultSource, {
    highWaterMark: most + 1,
  })
}

/** The used part of Deno's interface, whose own types would clash with Bun's. */
interface DenoRuntime {
  serve(
    options: {
      hostname: string
      port: number
      reusePort: boolean
      onListen: () => void
      signal: AbortSignal
    },
    handler: (
      request: Request,
      info: { remoteAddr: { hostname: string; port: number } },
    ) => Response | Promise<Response>,
  ): { addr: { port: number }; finished: Promise<void>; shutdown(): Promise<void> }
}

const deno = (globalThis as { Deno?: DenoRuntime }).Deno

/** Methods that Deno hands on but the `Request` constructor refuses. */
const FORBIDDEN_METHOD = /^(CONNECT|TRACE|TRACK)$/i

/** Deno gives the URL as it was sent, and neither makes one with a Host header like `a b`. Resolved: `/v1/people/../me`. */
function withResolvedUrl(request: Request): Request {
  const hostless = () => request.url.replace(/^(https?:\/\/[^/]*)?/, 'http://localhost')
  const url = URL.parse(request.url) ?? URL.parse(hostless())
  const isResolved = !url || url.href === request.url || FORBIDDEN_METHOD.test(request.method)
  return isResolved ? request : new Request(url, request)
}

/** @throws the runtime's error when the address is taken or not allowed; its `code` says which. */
export function listen({
  host,
  port,
  isShared = false,
  idleSeconds,
  fetch,
}: ListenOptions): Listener {
  if (deno) {
    const abort = new AbortController()
    const server = deno.serve(
      { hostname: host, port, reusePort: isShared, onListen: () => {}, signal: abort.signal },
      async (request, { remoteAddr }) => {
        const { hostname, port } = remoteAddr
        const answer = await fetch(incoming(withResolvedUrl(request), hostname, port))
        closeUnlessRead(request, answer)
        return request.method === 'HEAD' ? withoutLength(answer) : answer
      },
    )
    const stop = async (atOnce = false) => {
      if (!atOnce) return server.shutdown()
      abort.abort()
      await server.finished
    }
    return { port: server.addr.port, stop }
  }
  // Our own limits answer with a body; the runtime's would come first with none.
  Object.assign(http, { maxHeaderSize: MAX_HEAD_BYTES })
  const arrived = nextTurn()
  const server = Bun.serve({
    hostname: host,
    port,
    reusePort: isShared,
    ...(idleSeconds !== undefined && { idleTimeout: idleSeconds }),
    fetch: async (request, bun) => {
      requests++
      await arrived()
      const socket = bun.requestIP(request)
      // Bun closes a connection on which a request comes while the one before it is being answered.
      if (!socket) return UNHEARD
      const readable = URL.canParse(request.url) ? request : withResolvedUrl(request)
      const isOpen = () => bun.requestIP(request) !== null
      const answer = await fetch(incoming(readable, socket.address, socket.port, isOpen))
      closeUnlessRead(request, answer)
      if (request.method !== 'HEAD') return answer
      // Bun leaves it out of answers to HEAD.
      answer.headers.set('date', new Date().toUTCString())
      return withoutLength(answer)
    },
  })
  const stop = async (atOnce = false) => {
    if (atOnce) return server.stop(true)
    await gapBetween()
    const stopped = server.stop()
    // Bun would also wait until connections on which no request came are too old, for ten seconds.
    while (server.pendingRequests > 0) await pause(GAP_MS)
    await Promise.race([stopped, server.stop(true)])
  }
  return { port: server.port ?? port, stop }
}

/** Requests so far at all listeners, so that they find the same gap and close together. */
let requests = 0

/** Length of a gap: a request follows its connection sooner, unless the machine is so busy that timers are late as well. */
const GAP_MS = 3
/** Longest wait for a gap. */
const GAP_WAIT_MS = 1_000

/**
 * Resolves in a gap between requests, if there is one soon. Bun closes connections when it stops to listen, among them new ones
 * whose first request is on its way.
 */
async function gapBetween() {
  const turn = nextTurn()
  const latestMs = performance.now() + GAP_WAIT_MS
  let before: number
  let isLate: boolean
  do {
    before = requests
    const startedMs = performance.now()
    await pause(GAP_MS)
    isLate = performance.now() - startedMs > 2 * GAP_MS
    // Where the thread was held up, connections wait to be taken, and then their requests to be read.
    await turn()
    await turn()
  } while ((requests !== before || isLate) && performance.now() < latestMs)
}

/**
 * Makes a function that waits until the runtime has read all arrived data. Requests that arrive together wait for the same
 * turn of the event loop.
 */
function nextTurn(): () => Promise<void> {
  let turn: Promise<void> | undefined
  return () => {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined
        resolve()
      })
    })
    return turn
  }
}

/** Methods whose bodies the runtime drops as they come. */
const BODILESS = new Set(['GET', 'HEAD'])

/** Ends the connection with the answer where nobody reads the request's body: the runtime would go on taking it in. */
function closeUnlessRead(request: Request, answer: Response) {
  if (BODILESS.has(request.method) || request.bodyUsed || request.body === null) return
  answer.headers.set('connection', 'close')
}

/** Removes a false `Content-Length: 0` from an answer to HEAD whose body was never made. Bun needs `Transfer-Encoding: chunked` for that. */
function withoutLength(response: Response): Response {
  const { status } = response
  const stated = response.headers.get('content-length')
  // A framework may have counted the bytes of the absent body.
  const isKnown = stated === null ? response.body !== null : stated !== '0'
  if (isKnown || status === 204 || status === 304) return response
  const headers = new Headers(response.headers)
  headers.delete('content-length')
  if (deno) return new Response(new Blob([]).stream(), { status, headers })
  headers.set('transfer-encoding', 'chunked')
  return new Response(null, { status, headers })
}

/** The result for a closed connection, which nobody gets. */
const UNHEARD = new Response(null, { status: 400 })

/** The value of `import file from '…' with { type: 'bytes' }`: bytes on Deno, a path on Bun. */
export type ImportedFile = string | Uint8Array<ArrayBuffer>

/** The content of an imported file, wherever it is: beside the sources, or inside a single binary. */
export async function readImported(file: ImportedFile): Promise<Uint8Array<ArrayBuffer>> {
  return typeof file === 'string' ? new Uint8Array(await readFile(file)) : file
}

/**
 * A file as memory that processes share for as long as they only read it; what one writes there is a copy of its own,
 * and the file stays as it is. Null on Deno, which maps no files. The file must not be cut short meanwhile.
 */
export function mapFile(file: string): Uint8Array<ArrayBuffer> | null {
  return deno ? null : Bun.mmap(file, { shared: false })
}

/** Collects garbage now, where the runtime can. Holds the event loop: a tenth of a second with 130,000 records. */
export function releaseMemory() {
  if (!deno) Bun.gc(true)
}

/**
 * True if several processes can listen at one port and get connections in turn: SO_REUSEPORT of Linux. Other systems
 * refuse it or give all connections to one of them.
 */
export const CAN_SHARE_PORTS = process.platform === 'linux'

/** Command that starts this program in another process; its arguments follow. */
export function programCommand(): [file: string, ...args: string[]] {
  const [, main = ''] = process.argv
  // Sharing a port is what Deno calls unstable there.
  if (deno) return [process.execPath, 'run', '-A', '--unstable-net', main]
  // The single binary is runtime and program in one.
  if (Bun.main.includes('$bunfs')) return [process.execPath]
  return [process.execPath, ...process.execArgv, main]
}

/** Ends the process at once. */
export function exit(code: number): never {
  process.exit(code)
}
