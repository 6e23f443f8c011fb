/** Gives a test directory its database, with the given records or with the fixed ones. */
import type { Duplex } from 'node:stream'
import {
  connect,
  type Database,
  DatabaseUnavailable,
  importAll,
  KINDS,
  type MemoryDatabase,
  type Rows,
  startMemoryDatabase,
} from '../embed-testing.ts'
import {
  emptyAccounts,
  endSession,
  installClock,
  installRecords,
  installReset,
  setRecords,
  stopClock,
} from './database.ts'
import { fixtures } from './fixtures.ts'
import { WrongOption } from './options.ts'
import { fixedFiles } from './prepared.ts'

const FIXED: Rows = {
  companies: Object.values(fixtures.companies),
  people: Object.values(fixtures.people),
  rounds: Object.values(fixtures.rounds),
}

/** Databases of directories that have stopped, the last one is had first: to empty one takes a fraction of a start. */
const idle: MemoryDatabase[] = []

/** The directory that a file's tests share, and one of a test's own: further ones would hold memory that is seldom used again. */
const MOST_IDLE = 2

/** A database for as long as a directory has it. */
export interface LentDatabase {
  /** Opens a connection: what `connect` takes as `openStream`. */
  open(): Duplex
  /** Closes its connections. Another directory may have the database then. */
  giveBack(): Promise<void>
}

/**
 * Lends a database with these rows; where none are given, with the fixed directory.
 * @param standsAt where its clock stands still, also for rows without times of their own; undefined for the real time
 * @param isReusable whether it may be one that a directory had before, and may be had by another one afterwards
 * @throws WrongOption naming the first row that the import refuses.
 */
export async function lendDatabase(
  rows: Rows,
  standsAt: Date | undefined,
  isReusable: boolean,
): Promise<LentDatabase> {
  const used = isReusable ? idle.pop() : undefined
  const memory = used ?? (await startMemoryDatabase(await fixedFiles()))
  const isFixed = KINDS.every((kind) => rows[kind] === undefined)
  try {
    if (used || standsAt || !isFixed) {
      await once(memory, async (database) => {
        if (used) await emptyAccounts(database)
        if (used || !isFixed) await setRecords(database, isFixed)
        if (standsAt) await stopClock(database, standsAt)
        if (!isFixed) await importGiven(database, rows)
      })
    }
  } catch (error) {
    await memory.close()
    throw error
  }

  const opened = new Set<Duplex>()
  let isLent = true
  return {
    open() {
      if (!isLent) throw new Error('the directory has stopped')
      const connection = memory.open()
      opened.add(connection)
      return connection.once('close', () => opened.delete(connection))
    },
    async giveBack() {
      isLent = false
      for (const connection of opened) connection.destroy()
      const hasRoom = () => isReusable && idle.length < MOST_IDLE
      const isKept = hasRoom() && (await once(memory, endSession).catch(() => false))
      // Others may have stopped meanwhile.
      if (!isKept || !hasRoom()) return memory.close()
      idle.push(memory)
    },
  }
}

/** Does work by a connection of its own. */
async function once<T>(memory: MemoryDatabase, work: (database: Database) => Promise<T>) {
  const database = connect({ openStream: memory.open, connections: 1, deadlineMs: 30_000 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Makes of an empty, migrated database what every directory starts from: `bun run image` keeps it. */
export async function seedFixed(database: Database): Promise<void> {
  await installClock(database)
  await installReset(database)
  await importGiven(database, FIXED)
  await installRecords(database)
  // When the image was made is nothing that the journal of a directory should tell.
  await emptyAccounts(database)
}

/** Imports rows that a test gives. @throws WrongOption naming the first that the import refuses. */
export async function importGiven(database: Database, rows: Rows): Promise<void> {
  for (const kind of KINDS) {
    const given: unknown = rows[kind] ?? []
    if (typeof given !== 'object' || given === null || !(Symbol.iterator in given)) {
      throw new WrongOption(`${kind}: expected rows in an array, got ${JSON.stringify(given)}`)
    }
  }
  await importAll(database, rows).catch((error: unknown) => {
    if (!(error instanceof Error) || error instanceof DatabaseUnavailable) throw error
    throw new WrongOption(error.message, { cause: error })
  })
}
