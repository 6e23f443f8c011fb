/**
 * Proxy between the clients of a test directory and its listener. It breaks connections for faults, because a listener can't reset one
 * of its own.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { cannotListen } from '../embed-testing.ts'
import { wake } from './awake.ts'
import type { Carrier } from './carrier.ts'

/** How long a client may take to see that its idle connection ends. */
const CLOSE_MS = 250
const END_OF_HEAD = '\r\n\r\n'

export type Relay = Awaited<ReturnType<typeof startRelay>>

/**
 * @param port 0 takes a free one.
 * @returns `to` says where the listener is; until then clients wait. @throws CannotListen
 */
export async function startRelay({ host, port }: { host: string; port: number }) {
  /** By the port from which the listener sees them. */
  const connections = new Map<number, Connection>()
  const sockets = new Set<Socket>()
  const { promise: listener, resolve: to } = Promise.withResolvers<number>()
  const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host

  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true })
  const hold = (socket: Socket, other: () => Socket | undefined) => {
    sockets.add(socket)
    socket.on('error', () => other()?.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      // Bytes sent before are still delivered.
      other()?.destroySoon()
    })
  }
  server.on('connection', async (client) => {
    wake()
    let inner: Socket | undefined
    hold(client, () => inner)
    const innerPort = await listener
    if (client.destroyed) return
    const opened = connect({ host: target, port: innerPort, noDelay: true, allowHalfOpen: true })
    inner = opened
    hold(opened, () => client)
    opened.once('connect', () => {
      const seenAs = opened.localPort ?? 0
      connections.set(seenAs, new Connection(client, opened))
      opened.once('close', () => connections.delete(seenAs))
    })
  })
  server.listen({ host, port })
  await once(server, 'listening').catch((error: unknown) => {
    throw cannotListen('PORT', { host, port }, error)
  })

  return {
    port: (server.address() as AddressInfo).port,
    to,
    /** Carrier of the answer to a request from this port. */
    carrierOf: (seenAs: number): Carrier | undefined => connections.get(seenAs),
    /**
     * Ends connections that wait for another call. HTTP libraries repeat a GET by themselves where a connection that they
     * have used before is lost: whoever waits for a reset would not see it.
     */
    async closeIdle() {
      await Promise.all([...connections.values()].map((connection) => connection.closeIdle()))
    },
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
      if (server.listening) await once(server, 'close')
    },
  }
}

/** A client's connection, with the one to the listener that stands for it. */
class Connection implements Carrier {
  readonly #client: Socket
  readonly #inner: Socket
  /** Bytes of an answer that are held until its length is known. */
  #held: Buffer = Buffer.alloc(0)
  /** Body of the current answer: its length, and the part of it to pass on. */
  #body: { length: number; passed: number } | undefined
  /** No byte of a call has come since the last answer ended. */
  #isIdle = false
  /** A call has begun and isn't fully answered. */
  #isAsked = false
  /** The client sends nothing more, and waits for an answer. */
  #hasEnded = false

  constructor(client: Socket, inner: Socket) {
    this.#client = client
    this.#inner = inner
    inner.on('data', (bytes: Buffer) => this.#onAnswer(bytes))
    inner.on('end', () => client.end())
    client.on('drain', () => inner.resume())
    client.on('data', () => {
      wake()
      this.#isIdle = false
      this.#isAsked = true
    })
    client.pipe(inner, { end: false })
    // The listener answers nobody who has ended, though HTTP lets a client do so when its call is sent.
    client.once('end', () => {
      this.#hasEnded = true
      if (!this.#isAsked) inner.end()
    })
  }

  /** Resolves when its client has closed it as well; nothing that it sends meanwhile is a call. */
  async closeIdle(): Promise<void> {
    if (!this.#isIdle) return
    const client = this.#client
    client.unpipe(this.#inner)
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    client.once('end', () => client.destroy())
    client.once('data', () => client.resetAndDestroy())
    client.resume().end()
    const late = setTimeout(() => client.destroy(), CLOSE_MS)
    await closed
    clearTimeout(late)
  }

  reset(): Response {
    this.#inner.removeAllListeners('data').resume()
    this.#client.resetAndDestroy()
    return new Response(null, { status: 500 })
  }

  send(head: ResponseInit, body: Uint8Array<ArrayBuffer> | null): Response {
    const length = body?.length ?? 0
    this.#body = { length, passed: length }
    return new Response(body, head)
  }

  cut(head: ResponseInit, body: Uint8Array<ArrayBuffer>): Response {
    this.#body = { length: body.length, passed: body.length >> 1 }
    return new Response(body, head)
  }

  #onAnswer(bytes: Buffer) {
    const body = this.#body
    // Its length is not known: it came from the listener itself, or comes in pieces, and ends the connection.
    if (!body) return this.#pass(bytes)
    this.#held = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes
    const head = this.#held.indexOf(END_OF_HEAD)
    const end = head + END_OF_HEAD.length + body.passed
    if (head < 0 || this.#held.length < end) return
    const answer = this.#held
    this.#held = Buffer.alloc(0)
    this.#body = undefined
    if (body.passed < body.length) return this.#passLast(answer.subarray(0, end))
    this.#isIdle = true
    this.#isAsked = false
    this.#pass(answer)
    if (this.#hasEnded) this.#inner.end()
  }

  #pass(bytes: Buffer) {
    if (!this.#client.write(bytes)) this.#inner.pause()
  }

  #passLast(bytes: Buffer) {
    this.#inner.removeAllListeners('data').resume()
    this.#client.end(bytes, () => this.#client.destroy())
    this.#inner.destroy()
  }
}
