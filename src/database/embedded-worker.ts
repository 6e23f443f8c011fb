/** The embedded database: PGlite in a worker of its own, behind a Unix socket that speaks PostgreSQL's protocol. */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { DURABLE_START, DurableFiles } from './durable-files.ts'
import { engine } from './engine.ts'

export interface EmbeddedData {
  /** The cluster's folder, which exists. */
  folder: string
  socketPath: string
}

/** What the worker tells the thread that started it. `panicked`: only a new thread can start PostgreSQL again. */
export interface EmbeddedMessage {
  type: 'ready' | 'failed' | 'panicked' | 'stopped'
  /** Why it failed. */
  reason?: string
}

/** Message types of the extended protocol after which more of the same exchange must follow: P B D E C H. */
const OPENS_EXCHANGE = new Set([...'PBDECH'].map((letter) => letter.charCodeAt(0)))

/**
 * PGlite is one session, and the socket server queues its clients' messages one by one: between one
 * client's Bind and its Execute another's Bind could come, and the first would execute the second's
 * statement. The server serves one client alone while `isInTransaction()`, so this reports a transaction
 * from the first message of an exchange to its Sync.
 */
class ExclusivePGlite extends PGlite {
  #inExchange = false

  override isInTransaction(): boolean {
    return this.#inExchange || super.isInTransaction()
  }

  override async execProtocolRawStream(
    ...[message, options]: Parameters<PGlite['execProtocolRawStream']>
  ): Promise<void> {
    this.#inExchange = OPENS_EXCHANGE.has(message[0] ?? 0)
    await super.execProtocolRawStream(message, options)
  }

  /** The socket server calls this with ROLLBACK for a client that left in the middle of an exchange. */
  override async exec(...args: Parameters<PGlite['exec']>): ReturnType<PGlite['exec']> {
    this.#inExchange = false
    return super.exec(...args)
  }
}

async function start({ folder, socketPath }: EmbeddedData) {
  const database = new ExclusivePGlite({
    ...(await engine()),
    fs: new DurableFiles(folder, () => tell({ type: 'panicked' })),
    startParams: DURABLE_START,
  })
  await database.waitReady
  const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: 100 })
  await server.start()
  parentPort?.on('message', async () => {
    await server.stop()
    await database.close()
    tell({ type: 'stopped' })
  })
  tell({ type: 'ready' })
}

function tell(message: EmbeddedMessage) {
  parentPort?.postMessage(message)
}

start(workerData as EmbeddedData).catch((error: unknown) => {
  tell({ type: 'failed', reason: error instanceof Error ? error.message : String(error) })
})
