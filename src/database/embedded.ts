/**
 * Starting the embedded database, and sharing it: the first process takes the directory's lock and
 * runs it, others reach it through the socket.
 */
import { chmod, mkdir, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { URL } from 'node:url' // `Worker` wants this one: to Deno's types the global one is another.
import { Worker } from 'node:worker_threads'
import type { EmbeddedData, EmbeddedMessage } from './embedded-worker.ts'
import { databaseFolders, prepareFolder } from './folder.ts'

/** `psql -h DATA_DIR` finds a socket of this name. */
const SOCKET_NAME = '.s.PGSQL.5432'

/** The shortest of the operating systems' limits on a socket's path (macOS), in bytes. */
const MAX_SOCKET_PATH_BYTES = 103

const START_WAIT_MS = 30_000

/** The data directory can't be used; the message says why and what to do. */
export class DataDirError extends Error {
  override name = 'DataDirError'
}

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
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new DataDirError(`the data directory ${dataDir} can't be made: ${reasonOf(error)}`)
  })
  const lock = takeLock(dataDir)
  if (!lock) {
    await waitForSocket(socketPath)
    return { socketPath, owned: false, stop: async () => {} }
  }
  try {
    await rm(socketPath, { force: true })
    await prepareFolder(dataDir)
    const stopWorker = await startWorker({ folder: databaseFolders(dataDir).current, socketPath })
    // Whoever opens the socket is the database's superuser.
    await chmod(socketPath, 0o600)
    const stop = async () => {
      await stopWorker()
      await rm(socketPath, { force: true })
      lock.close()
    }
    return { socketPath, owned: true, stop }
  } catch (error) {
    lock.close()
    throw error
  }
}

/**
 * The directory's lock: an SQLite file held exclusively. SQLite locks through the operating system,
 * so the lock ends with the process however it ends, and no stale file ever needs a person.
 * @returns the held lock, or undefined while another process holds it.
 */
function takeLock(dataDir: string): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(join(dataDir, 'lock'))
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock?.close()
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined
    throw new DataDirError(`the data directory ${dataDir} can't be locked: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
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
  worker.on('error', (error) => failed(error instanceof Error ? error.message : String(error)))
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

function socketPathOf(dataDir: string): string {
  const absolute = join(dataDir, SOCKET_NAME)
  const fromHere = relative(process.cwd(), absolute)
  const shortest = fromHere.length < absolute.length ? fromHere : absolute
  if (Buffer.byteLength(shortest) > MAX_SOCKET_PATH_BYTES) {
    throw new DataDirError(
      `DATA_DIR: the path of the socket in it may have ${MAX_SOCKET_PATH_BYTES} bytes, and ${shortest} has ${Buffer.byteLength(shortest)}: choose a shorter one`,
    )
  }
  return shortest
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
