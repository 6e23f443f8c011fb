/** Starts the embedded database, or connects to it: one process runs it, others reach it through its socket. */
import { chmod, rm } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { URL } from 'node:url' // `Worker` wants this one: to Deno's types the global one is another.
import { Worker } from 'node:worker_threads'
import {
  DataDirError,
  makeDataDir,
  prepareDatabase,
  reasonOf,
  socketPathOf,
  takeLock,
} from './data-dir.ts'
import { openSocket } from './driver.ts'
import type { EmbeddedData, EmbeddedMessage } from './embedded-worker.ts'

const START_WAIT_MS = 30_000

/** How long a database may take to stop by itself. */
const STOP_MS = 10_000

/** Between attempts to start a database that gave up. */
const RESTART_MS = 1_000

export type EmbeddedDatabase = Awaited<ReturnType<typeof openEmbedded>>

/**
 * Runs the embedded database of `dataDir`, or finds the one that another process runs: `owned` says which.
 * @param onTrouble called with a text for the log when the database fails later. @throws DataDirError
 */
export async function openEmbedded(dataDir: string, onTrouble?: (what: string) => void) {
  const socketPath = socketPathOf(dataDir)
  await makeDataDir(dataDir)
  const lock = takeLock(dataDir)
  if (!lock) {
    await waitForSocket(socketPath)
    return { socketPath, owned: false, stop: async () => {} }
  }
  try {
    const folder = await prepareDatabase(dataDir)
    const stopDatabase = await startDatabase({ folder, socketPath }, onTrouble)
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
 * Starts the database of a folder, whose lock is held, and again whenever it gives up, as it does on a full disk.
 * @returns a function that stops it. @throws DataDirError when the first start fails.
 */
export async function startDatabase(
  data: EmbeddedData,
  onTrouble: (what: string) => void = () => {},
): Promise<() => Promise<void>> {
  let stopping = false
  let running = await startWorker(data, restart)
  let restarting: Promise<void> | undefined

  function restart() {
    if (stopping || restarting) return
    onTrouble('the embedded database gave up: it is started again')
    restarting = (async () => {
      await running.kill()
      while (!stopping) {
        try {
          running = await startWorker(data, restart)
          break
        } catch (error) {
          onTrouble(reasonOf(error))
          await setTimeout(RESTART_MS)
        }
      }
      restarting = undefined
    })()
  }

  return async () => {
    stopping = true
    await restarting
    await running.stop()
    await rm(data.socketPath, { force: true })
  }
}

async function startWorker(data: EmbeddedData, onPanic: () => void) {
  await rm(data.socketPath, { force: true })
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { workerData: data })
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  const { promise: stopped, resolve: onStopped } = Promise.withResolvers<void>()
  let isReady = false
  const failed = (reason: string) =>
    reject(
      new DataDirError(
        `the embedded database in ${data.folder} did not start: ${reason}. Look whether the disk is full; if the directory was damaged, restore a backup of it, or start on an empty one`,
      ),
    )
  worker.on('message', ({ type, reason = 'PostgreSQL gave up' }: EmbeddedMessage) => {
    if (type === 'ready') resolve()
    else if (type === 'failed' || !isReady) failed(reason)
    else {
      onStopped()
      if (type === 'panicked') onPanic()
    }
  })
  worker.on('error', (error) => failed(reasonOf(error)))
  worker.on('exit', () => {
    failed('it stopped')
    onStopped()
  })
  try {
    await ready
    // A client of the socket is the database's superuser.
    await chmod(data.socketPath, 0o600)
    isReady = true
  } catch (error) {
    await worker.terminate()
    throw error
  }
  async function stop() {
    worker.postMessage('stop')
    // Everything that was answered is on the disk: a worker that doesn't stop in time loses nothing.
    await Promise.race([stopped, setTimeout(STOP_MS)])
    await worker.terminate()
  }
  return { stop, kill: () => worker.terminate() }
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
