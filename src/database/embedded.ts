/**
 * Starting the embedded database, and sharing it: the first process takes the directory's lock and
 * runs it, others reach it through the socket.
 */
import { chmod, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { URL } from 'node:url' // `Worker` wants this one: to Deno's types the global one is another.
import { Worker } from 'node:worker_threads'
import {
  DataDirError,
  databaseFolders,
  makeDataDir,
  prepareDatabase,
  reasonOf,
  socketPathOf,
  takeLock,
} from './data-dir.ts'
import type { EmbeddedData, EmbeddedMessage } from './embedded-worker.ts'

const START_WAIT_MS = 30_000

export interface EmbeddedDatabase {
  socketPath: string
  /** Whether this process runs the database; otherwise another one does. */
  owned: boolean
  stop(): Promise<void>
}

/**
 * Runs the embedded database of `dataDir`, or finds the one that another process runs.
 * @throws DataDirError
 */
export async function openEmbedded(dataDir: string): Promise<EmbeddedDatabase> {
  const socketPath = socketPathOf(dataDir)
  await makeDataDir(dataDir)
  const lock = takeLock(dataDir)
  if (!lock) {
    await waitForSocket(socketPath)
    return { socketPath, owned: false, stop: async () => {} }
  }
  try {
    await prepareDatabase(dataDir)
    const { current: folder } = databaseFolders(dataDir)
    const stopDatabase = await startDatabase({ folder, socketPath })
    const stop = async () => {
      await stopDatabase()
      lock.close()
    }
    return { socketPath, owned: true, stop }
  } catch (error) {
    lock.close()
    throw error
  }
}

/**
 * Starts the database of a folder, which exists. Needs the data directory's lock.
 * @returns what stops it.
 * @throws DataDirError
 */
export async function startDatabase(data: EmbeddedData): Promise<() => Promise<void>> {
  await rm(data.socketPath, { force: true })
  const stopWorker = await startWorker(data)
  // Whoever opens the socket is the database's superuser.
  await chmod(data.socketPath, 0o600)
  return async () => {
    await stopWorker()
    await rm(data.socketPath, { force: true })
  }
}

async function startWorker(data: EmbeddedData): Promise<() => Promise<void>> {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: data })
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  const { promise: stopped, resolve: onStopped } = Promise.withResolvers<void>()
  const failed = (reason: string) =>
    reject(
      new DataDirError(
        `the embedded database in ${data.folder} did not start: ${reason}. If the directory was damaged, restore a backup of it, or start on an empty one`,
      ),
    )
  worker.on('message', (message: EmbeddedMessage) => {
    if (message.type === 'ready') resolve()
    else if (message.type === 'failed') failed(message.reason)
    else onStopped()
  })
  worker.on('error', (error) => failed(reasonOf(error)))
  worker.on('exit', () => {
    failed('it stopped')
    onStopped()
  })
  await ready
  return async () => {
    worker.postMessage('stop')
    await stopped
    await worker.terminate()
  }
}

/** The process that holds the lock may still be starting. */
async function waitForSocket(socketPath: string): Promise<void> {
  const deadline = performance.now() + START_WAIT_MS
  while (!(await answers(socketPath))) {
    if (performance.now() > deadline) {
      throw new DataDirError(
        `another process holds the data directory, but does not answer at ${socketPath}`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path: socketPath })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
