/**
 * Connections of clients of protocol 2025-* over HTTP. Each begins with a handshake, from which the server knows whether somebody can be
 * asked, and keeps numbers of calls apart, so that a client cancels its own. Newer clients say all of that in each request.
 */
import {
  isInitializeRequest,
  isLegacyRequest,
  type McpServer,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import { canAsk } from './reveal.ts'
import type { Session } from './session.ts'

export interface ConnectionLimits {
  /** A connection ends when nothing was sent on it for so long. */
  idleMs: number
  maxRequestBytes: number
}

const MOST_CONNECTIONS = 2_000
/** One key takes no more, so that it ends nobody else's. */
const MOST_OF_A_KEY = 100

/** Begins the id of a connection whose client can't ask anybody: where the id is no longer known, its requests are answered one by one. */
const MUTE = 'mute-'

interface Connection {
  session: Session
  server: McpServer
  transport: WebStandardStreamableHTTPServerTransport
}

export class Connections {
  readonly #newServer: (session: Session) => McpServer
  readonly #limits: ConnectionLimits
  readonly #connections: LRUCache<string, Connection>

  constructor(newServer: (session: Session) => McpServer, limits: ConnectionLimits) {
    this.#newServer = newServer
    this.#limits = limits
    this.#connections = new LRUCache({
      max: MOST_CONNECTIONS,
      ttl: limits.idleMs,
      updateAgeOnGet: true,
      // Aborts the calls in hand, as when a client goes away.
      dispose: ({ server }) => void server.close().catch(() => {}),
    })
  }

  /** Answers what belongs to a connection or begins one. @returns undefined for any other request, which is answered by itself */
  async answer(request: Request, session: Session): Promise<Response | undefined> {
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const connection = this.#connections.get(id)
      if (connection?.session === session) return connection.transport.handleRequest(request)
      return id.startsWith(MUTE) ? undefined : sessionNotFound()
    }
    const capabilities = await this.#handshake(request)
    return capabilities && this.#begin(request, session, canAsk(capabilities) ? '' : MUTE)
  }

  /** Ends streams on which nothing is in hand: they would keep a listener from stopping. */
  closeIdleStreams(): void {
    for (const { transport } of this.#connections.values()) transport.closeStandaloneSSEStream()
  }

  close(): void {
    this.#connections.clear()
  }

  /** Capabilities of the client that a handshake names; undefined where the request is none. */
  async #handshake(request: Request) {
    // Requests of newer clients name their method in a header.
    if (request.method !== 'POST' || request.headers.has('mcp-method')) return undefined
    const body = await readRequestBody(request.clone(), this.#limits.maxRequestBytes)
      .then((read) => (read.tooLarge ? undefined : JSON.parse(read.text)))
      .catch(() => undefined)
    if (!isInitializeRequest(body) || !(await isLegacyRequest(request, body))) return undefined
    return body.params.capabilities
  }

  async #begin(request: Request, session: Session, prefix: string): Promise<Response> {
    const server = this.#newServer(session)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => `${prefix}${crypto.randomUUID()}`,
      onsessioninitialized: (id) => {
        this.#makeRoom(session)
        this.#connections.set(id, { session, server, transport })
      },
      onsessionclosed: (id) => void this.#connections.delete(id),
      maxRequestBodySize: this.#limits.maxRequestBytes,
    })
    await server.connect(transport)
    const response = await transport.handleRequest(request)
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  /** Ends what was not used for too long, and the connection of the key that was not used for longest, where it has as many as it may. */
  #makeRoom(session: Session): void {
    this.#connections.purgeStale()
    const ids = [...this.#connections.entries()].filter(([, it]) => it.session === session)
    const [oldest] = ids.at(-1) ?? []
    if (ids.length >= MOST_OF_A_KEY && oldest !== undefined) this.#connections.delete(oldest)
  }
}

/** The protocol's answer to an id that is not known (any more): clients begin anew. */
function sessionNotFound(): Response {
  const error = { code: -32_001, message: 'Session not found: initialize again.' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}
