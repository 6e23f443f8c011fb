/** Seeds a database with the given records, or with the fixed ones. */
import { connect, type Database, DatabaseUnavailable } from '../database/client.ts'
import { type MemoryDatabase, startMemoryDatabase } from '../database/memory.ts'
import { migrate } from '../database/migrate.ts'
import { importAll, type Rows } from '../import/import.ts'
import { KINDS } from '../import/summary.ts'
import { emptyAccounts, installClock, installReset } from './database.ts'
import { fixtures } from './fixtures.ts'
import { WrongOption } from './options.ts'
import { fixedFiles } from './prepared.ts'

const FIXED: Rows = {
  companies: Object.values(fixtures.companies),
  people: Object.values(fixtures.people),
  rounds: Object.values(fixtures.rounds),
}

/**
 * Starts a database with these rows; where none are given, with the fixed directory.
 * @throws WrongOption naming the first row that the import refuses.
 */
export async function startWithRecords(rows: Rows): Promise<MemoryDatabase> {
  if (KINDS.every((kind) => rows[kind] === undefined))
    return startMemoryDatabase(await fixedFiles())
  const memory = await startMemoryDatabase()
  const database = connect({ openStream: memory.open, connections: 1, deadlineMs: 30_000 })
  try {
    await migrate(database)
    await seed(database, rows)
    await database.close()
    return memory
  } catch (error) {
    await database.close()
    await memory.close()
    throw error
  }
}

/** Makes of an empty, migrated database what a directory with the fixed records starts from: `bun run image` keeps it. */
export async function seedFixed(database: Database): Promise<void> {
  await seed(database, FIXED)
  // When the image was made is nothing that the journal of a directory should tell.
  await emptyAccounts(database)
}

async function seed(database: Database, rows: Rows): Promise<void> {
  await installClock(database)
  await installReset(database)
  await importGiven(database, rows)
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
