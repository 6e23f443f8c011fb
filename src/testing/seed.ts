/** Seeds a database with the given records, or with the fixed ones. */
import { connect, type Database, DatabaseUnavailable } from '../database/client.ts'
import { type MemoryDatabase, type MemoryFile, startMemoryDatabase } from '../database/memory.ts'
import { migrate } from '../database/migrate.ts'
import { importAll, type Rows } from '../import/import.ts'
import { KINDS } from '../import/summary.ts'
import { fixtures } from './fixtures.ts'
import { WrongOption } from './options.ts'

const FIXED: Rows = {
  companies: Object.values(fixtures.companies),
  people: Object.values(fixtures.people),
  rounds: Object.values(fixtures.rounds),
}

/** The files of a database with the fixed directory, kept because importing it again takes longer. */
let fixed: readonly MemoryFile[] | undefined

/**
 * Starts a database and imports the rows into it; where none are given, the fixed directory.
 * @param isOnly whether no other one follows, so that its files need not be kept
 * @throws WrongOption naming the first row that the import refuses.
 */
export async function startWithRecords(rows: Rows, isOnly: boolean): Promise<MemoryDatabase> {
  const isFixed = KINDS.every((kind) => rows[kind] === undefined)
  if (isFixed && fixed) return startMemoryDatabase(fixed)
  const memory = await startMemoryDatabase()
  const database = connect({ openStream: memory.open, connections: 1, deadlineMs: 30_000 })
  try {
    await migrate(database)
    await importGiven(database, isFixed ? FIXED : rows)
    await database.close()
    if (isFixed && !isOnly) fixed = await memory.files()
    return memory
  } catch (error) {
    await database.close()
    await memory.close()
    throw error
  }
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
