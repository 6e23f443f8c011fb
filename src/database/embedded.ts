/** Starts the embedded database, or connects to it: one process runs it, others reach it through its socket. */
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { URL } from 'node:url' // `Worker` wants this one: to Deno's types the global one is another.
import { MessageChannel, Worker } from 'node:worker_threads'
import { connect, type Database } from './client.ts'
import {
  DataDirError,
  failedToStart,
  makeDataDir,
  prepareDatabase,
  reasonOf,
  removeLeftCopies,
  socketPathOf,
  takeLock,
} from './data-dir.ts'
import { openSocket } from './driver.ts'
import type { FromWorker, ToWorker, WorkerOptions } from './embedded-worker.ts'
import { type PgliteSession, PgliteStream, type RunMessages, sessionOf } from './pglite-stream.ts'

const START_WAIT_MS = 30_000

/** Connections of other processes. */
const MAX_CLIENTS = 100

/** How long another process may be silent in a transaction: one that was stopped with Ctrl-Z would hold up calls for ever. */
export const SILENCE_MS = 2_000

/** How long a database may take to stop by itself. */
const STOP_MS = 10_000

/** Between attempts to start a database that gave up. */
const RESTART_MS = 1_000

export type EmbeddedDatabase = Awaited<ReturnType<typeof openEmbedded>>

/**
 * Runs the embedded database of `dataDir`, or finds the one that another process runs: `owned` says which.
 * `address` is what `connect` takes.
 * @param onTrouble called with a text for the log when the database fails later. @throws DataDirError
 */
export async function openEmbedded(dataDir: string, onTrouble?: (what: string) => void) {
  const socketPath = socketPathOf(dataDir)
  await makeDataDir(dataDir)
  const lock = takeLock(dataDir)
  if (!lock) {
    await waitForSocket(socketPath)
    return { socketPath, address: { socketPath }, owned: false, stop: async () => {} }
  }
  try {
    await removeLeftCopies(dataDir)
    const folder = await prepareDatabase(dataDir)
    const database = await startDatabase({ folder, socketPath }, onTrouble)
    const stop = async () => {
      await database.stop()
      lock.close()
    }
    return { socketPath, address: { openStream: database.openStream }, owned: true, stop }
  } catch (error) {
    lock.close()
    throw error
  }
}

export interface EmbeddedData {
  /** The cluster's folder, which exists. */
  folder: string
  socketPath: string
}

/**
 * Starts the database of a folder, whose lock is held, and again whenever it gives up, as it does on a full disk.
 * `openStream` opens a connection of this process.
 * @param engineOf starts PostgreSQL on the folder. @throws DataDirError when the first start fails.
 */
export async function startDatabase(
  data: EmbeddedData,
  onTrouble: (what: string) => void = () => {},
  engineOf: typeof startEngine = startEngine,
) {
  let stopping = false
  let restarting: Promise<void> | undefined
  let running: Running | undefined = await start(data, engineOf, restart)

  function restart() {
    if (stopping || restarting) return
    onTrouble('the embedded database gave up: it is started again')
    restarting = (async () => {
      const failed = running
      running = undefined
      await failed?.kill()
      while (!stopping && !running) {
        try {
          running = await start(data, engineOf, restart)
        } catch (error) {
          onTrouble(error instanceof DataDirError ? error.message : reasonOf(error))
          await setTimeout(RESTART_MS)
        }
      }
      restarting = undefined
    })()
  }

  return {
    openStream(): Duplex {
      if (running) return running.openStream()
      const reason = new Error('the embedded database is being started again')
      throw Object.assign(reason, { code: 'ECONNREFUSED' })
    },
    async stop() {
      stopping = true
      await restarting
      await running?.stop()
      await rm(data.socketPath, { force: true })
    },
  }
}

/** Starts the database of a folder, whose lock is held, for as long as `work` takes. @throws DataDirError */
export async function withDatabaseIn<T>(
  folder: string,
  dataDir: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { openStream, stop } = await startDatabase({ folder, socketPath: socketPathOf(dataDir) })
  const database = connect({ openStream, connections: 1 })
  try {
    return await work(database)
  } finally {
    await database.close()
    await stop()
  }
}

type Running = Awaited<ReturnType<typeof start>>

/**
 * One run of the database: its thread, its socket, and the connections of this process.
 * @param onPanic called when it gives up once it is whole. @throws DataDirError where it does before, and nothing of it is left
 */
async function start(
  { folder, socketPath }: EmbeddedData,
  engineOf: typeof startEngine,
  onPanic: () => void,
) {
  await rm(socketPath, { force: true })
  let [isWhole, gaveUp] = [false, false]
  const engine = await engineOf(folder, () => {
    // It may say so twice, the second time while it is killed for the first.
    if (gaveUp) return
    gaveUp = true
    if (isWhole) onPanic()
  }).catch((error: unknown) => {
    throw failedToStart(folder, error)
  })
  const session = sessionOf(engine.run)
  const streams = new Set<Duplex>()
  const opened = (stream: Duplex) => {
    streams.add(stream)
    return stream.once('close', () => streams.delete(stream))
  }
  let listener: Awaited<ReturnType<typeof listenAt>> | undefined
  try {
    // The lock says that nobody else runs here: whatever stands there by now is left over.
    await rm(socketPath, { force: true })
    listener = await listenAt(socketPath, session, opened)
    if (gaveUp) throw new Error('PostgreSQL gave up')
  } catch (error) {
    listener?.close()
    // Two on one folder would damage it.
    await engine.kill()
    throw failedToStart(folder, error)
  }
  isWhole = true
  const cutOff = (message: string, code: string) => {
    listener.close()
    for (const stream of streams) stream.destroy(Object.assign(new Error(message), { code }))
  }
  return {
    openStream: (): Duplex => opened(new PgliteStream(session)),
    async stop() {
      cutOff('the embedded database is stopping', 'ECONNRESET')
      await engine.stop()
    },
    async kill() {
      cutOff('the embedded database gave up', 'ECONNRESET')
      await engine.kill()
    },
  }
}

/** Listens for this program's other processes. @param onOpened called for the stream and the socket of each */
async function listenAt(
  path: string,
  session: PgliteSession,
  onOpened: (stream: Duplex) => unknown,
) {
  const server = createServer((socket: Socket) => {
    const stream = new PgliteStream(session, SILENCE_MS)
    onOpened(stream)
    onOpened(socket)
    pipeline(socket, stream, socket, () => {})
  })
  server.maxConnections = MAX_CLIENTS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  // A client of the socket is the database's superuser.
  await chmod(path, 0o600)
  return server
}

/** Waits for the process that holds the lock, which may still be starting. */
async function waitForSocket(path: string): Promise<void> {
  const deadline = performance.now() + START_WAIT_MS
  for (;;) {
    const socket = await openSocket({ path, host: [], port: [] }).catch(() => undefined)
    socket?.destroy()
    if (socket) return
    if (performance.now() > deadline) {
      throw new DataDirError(
        `another process holds the data directory, but does not answer at ${path}`,
      )
    }
    await setTimeout(100)
  }
}

export interface EmbeddedEngine {
  /** Runs whole messages, one call at a time. */
  run: RunMessages
  /** Stops it, once the messages that it was given have run. */
  stop(): Promise<void>
  kill(): Promise<unknown>
}

/**
 * Starts PostgreSQL on the cluster in `folder`, in a thread of its own.
 * @param onPanic called when it gives up later; what was running then never ends. @throws Error with the reason
 */
async function startEngine(folder: string, onPanic: () => void): Promise<EmbeddedEngine> {
  const { port1: port, port2 } = new MessageChannel()
  const workerData: WorkerOptions = { folder, port: port2 }
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    workerData,
    transferList: [port2],
  })
  const { promise: ready, resolve: onReady, reject } = Promise.withResolvers<void>()
  const { promise: stopped, resolve: onStopped } = Promise.withResolvers<void>()
  let isReady = false
  let running: { onAnswer: (bytes: Uint8Array) => void; onEnd: () => void } | undefined
  const send = (message: ToWorker) => port.postMessage(message)

  port.on('message', (message: FromWorker) => {
    if (message.type === 'answer') {
      const run = running
      if (message.isLast) running = undefined
      if (message.bytes.length > 0) run?.onAnswer(message.bytes)
      if (message.isLast) run?.onEnd()
    } else if (message.type === 'ready') {
      isReady = true
      onReady()
    } else if (!isReady) reject(new Error(message.reason ?? 'PostgreSQL gave up'))
    else {
      onStopped()
      if (message.type === 'panicked') onPanic()
    }
  })
  worker.on('error', reject)
  worker.on('exit', () => {
    reject(new Error('it stopped'))
    onStopped()
  })
  const kill = async () => {
    port.close()
    await worker.terminate()
  }
  await ready.catch(async (error: unknown) => {
    await kill()
    throw error
  })
  return {
    run: (messages, onAnswer) =>
      new Promise((onEnd) => {
        running = { onAnswer, onEnd }
        send(messages)
      }),
    async stop() {
      send('stop')
      // Everything that was answered is on the disk: a worker that doesn't stop in time loses nothing.
      await Promise.race([stopped, setTimeout(STOP_MS, undefined, { ref: false })])
      await kill()
    },
    kill,
  }
}
