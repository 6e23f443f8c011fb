/** The server over streamable HTTP, for many callers: each brings its own API key. */
import { setTimeout as pause } from 'node:timers/promises'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import { type Listener, listen } from '../runtime.ts'
import { ChainkinError } from '../sdk/chainkin.ts'
import { Connections } from './connections.ts'
import { mcpServer, notUnderstood, stackOf } from './server.ts'
import { Session, type SessionOptions, sessionId } from './session.ts'
import type { Shared } from './tool.ts'

export interface HttpOptions
  extends Omit<SessionOptions, 'key'>,
    Pick<Shared, 'showsSamples' | 'log'> {
  host: string
  /** 0 takes a free one. */
  port: number
  /** Names beside those of this machine under which it is reached, without ports. */
  allowedHosts: readonly string[]
}

export interface McpListener {
  port: number
  /** Takes no more connections and lets calls in hand finish, for ten seconds at most. */
  stop(): Promise<void>
}

/** Where the protocol is spoken. */
export const MCP_PATH = '/mcp'

/** A session ends when its key has not been seen for so long; what it has spent is then forgotten. */
const SESSION_MS = 3_600_000
const MOST_SESSIONS = 10_000
const MAX_REQUEST_BYTES = 256 * 1024
/** How long calls in hand may take to finish, in milliseconds. */
const FINISH_MS = 10_000
/** A tool may take longer than runtimes keep a silent connection. */
const IDLE_SECONDS = 120

/** @throws the system's error where the address is taken or not allowed */
export function startHttp(options: HttpOptions): McpListener {
  const { host, port, allowedHosts, log, showsSamples } = options
  const names = [
    ...localhostAllowedHostnames(),
    ...[host, ...allowedHosts].filter(isName).map(hostnameOf),
  ]
  const sessions = new Sessions(options)
  const shared = { showsSamples, log }
  const handler = createMcpHandler(
    ({ requestInfo }): McpServer => {
      const session = requestInfo && sessions.of(requestInfo)
      if (!session) throw new Error('a request came through without a session')
      return mcpServer(session, shared)
    },
    { maxRequestBodySize: MAX_REQUEST_BYTES, onerror: notUnderstood(log) },
  )
  const limits = { idleMs: SESSION_MS, maxRequestBytes: MAX_REQUEST_BYTES }
  const connections = new Connections((session) => mcpServer(session, shared), limits)
  const listener: Listener = listen({
    host,
    port,
    idleSeconds: IDLE_SECONDS,
    async fetch(request) {
      // A page of another site reaches this machine by a name that it made lead here; its browser says which.
      const rejected =
        hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names)
      if (rejected) return rejected
      if (request.headers.get('host')?.includes('@')) return refusal(400, 'Host is no name.')
      if (URL.parse(request.url)?.pathname !== MCP_PATH) {
        return refusal(404, `There is nothing here: the protocol is spoken at ${MCP_PATH}.`)
      }
      const refused = await sessions.refusalOf(request)
      if (refused) return refused
      const session = sessions.of(request)
      const answer = session && (await connections.answer(request, session))
      return answer ?? handler.fetch(request)
    },
  })
  return {
    port: listener.port,
    async stop() {
      const finished = new AbortController()
      const { signal } = finished
      connections.closeIdleStreams()
      const over = pause(FINISH_MS, undefined, { signal }).catch(() => {})
      await Promise.race([listener.stop(), over])
      finished.abort()
      connections.close()
      await handler.close()
      await listener.stop(true)
    },
  }
}

/** Addresses that stand for all of a machine are nobody's name for it. */
const isName = (host: string) => host !== '0.0.0.0' && host !== '::'

/** As a `Host` header writes it, once it is read: in lower case, and an address in its shortest form. */
const hostnameOf = (host: string) =>
  new URL(`http://${host.includes(':') ? `[${host}]` : host}`).hostname

/** Sessions by their keys, each made once the API has taken the key. */
class Sessions {
  readonly #options: HttpOptions
  readonly #sessions = new LRUCache<string, Session>({
    max: MOST_SESSIONS,
    ttl: SESSION_MS,
    updateAgeOnGet: true,
  })

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /** The session of a request, if its key was taken. */
  of(request: Request): Session | undefined {
    const key = keyOf(request)
    return key === undefined ? undefined : this.#sessions.get(sessionId(key))
  }

  /** Why a request is not answered; undefined where its key is in force. */
  async refusalOf(request: Request): Promise<Response | undefined> {
    const key = keyOf(request)
    if (key === undefined) {
      return unauthorized('Send your own API key as Authorization: Bearer <API_KEY>.')
    }
    const id = sessionId(key)
    const known = this.#sessions.get(id)
    if (known && !known.isRefused) return undefined
    const { url, maxCredits, fetch, log } = this.#options
    try {
      // Credits spent stay counted although the key was refused for a while.
      const session = known ?? new Session({ url, key, maxCredits, fetch })
      await session.account(request.signal)
      // A concurrent request of the same key may have made a session: its spending counts.
      if (!this.#sessions.has(id)) this.#sessions.set(id, session)
      return undefined
    } catch (error) {
      if (error instanceof TypeError)
        return unauthorized('The key has characters that no API key has.')
      if (!(error instanceof ChainkinError)) {
        log.error('a session could not begin', { error: stackOf(error) })
        return refusal(500, 'This server failed, and its log says why.')
      }
      const { code, message, status, retryAfter } = error
      if (code === 'unauthorized') return unauthorized(message)
      const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
      return refusal(status === 403 || status === 429 ? status : 503, `${code}: ${message}`, wait)
    }
  }
}

/** The key of a request; undefined where none is sent, or two. */
function keyOf(request: Request): string | undefined {
  return /^Bearer +([^\s,]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

function unauthorized(message: string): Response {
  return refusal(401, message, { 'www-authenticate': 'Bearer' })
}

/** A refusal before any message was read, in the protocol's form. */
function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  const error = { code: status === 401 || status === 403 ? -32_001 : -32_000, message }
  const body = { jsonrpc: '2.0', error, id: null }
  return Response.json(body, { status, headers: { ...headers, 'cache-control': 'no-store' } })
}
