/** Locks that are held for minutes, by one process at a time, and end with it however it ends. */
import { createHash } from 'node:crypto'
import { takeLock } from './data-dir.ts'
import { type Address, clientFactory } from './driver.ts'
import { scalar } from './scalar.ts'

export interface LongLock {
  /** True if it is still held: the connection that holds it may have broken. */
  isHeld(): boolean
  release(): Promise<void>
}

/** Takes the lock of a name. @returns undefined while another process holds it. */
export type TakeLongLock = (name: string) => Promise<LongLock | undefined>

/**
 * On a PostgreSQL: an advisory lock of a transaction that stays open on a connection of its own. A transaction, because poolers
 * lend a connection for that long; it reads nothing more, so that it holds nobody up.
 */
export function lockInPostgres(address: Address): TakeLongLock {
  const client = clientFactory(address)
  return async (name) => {
    let isOver = false
    const sql = client({ isOver: () => isOver })
    const taken = Promise.withResolvers<boolean>()
    const released = Promise.withResolvers<void>()
    const transaction = sql.begin(async (held) => {
      await held`set local idle_in_transaction_session_timeout = 0`
      const isTaken = await scalar<boolean>(
        held`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`,
      )
      taken.resolve(isTaken === true)
      if (isTaken) await released.promise
    })
    let isLost = false
    transaction.catch((error: unknown) => {
      isLost = true
      taken.reject(error)
    })
    const release = async () => {
      isOver = true
      released.resolve()
      await transaction.catch(() => {})
      await sql.end({ timeout: 0 })
    }
    const isTaken = await taken.promise.catch(async (error: unknown) => {
      await release()
      throw error
    })
    if (!isTaken) {
      await release()
      return undefined
    }
    return { isHeld: () => !isLost, release }
  }
}

/** On an embedded database, which is one session for all: a lock of the operating system on a file beside it. */
export function lockInDirectory(dataDir: string): TakeLongLock {
  return async (name) => {
    const hash = createHash('sha256').update(name).digest('hex').slice(0, 16)
    const lock = takeLock(dataDir, `${hash}-lock`)
    return lock && { isHeld: () => true, release: async () => lock.close() }
  }
}

/** On a database in memory, which one process has alone. */
export function lockInMemory(): TakeLongLock {
  const held = new Set<string>()
  return async (name) => {
    if (held.has(name)) return undefined
    held.add(name)
    return { isHeld: () => true, release: async () => void held.delete(name) }
  }
}
