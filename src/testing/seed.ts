/** Seeds a database with the given records, or with the fixed ones. */
import { connect } from '../database/client.ts'
import { type MemoryDatabase, type MemoryFile, startMemoryDatabase } from '../database/memory.ts'
import { migrate } from '../database/migrate.ts'
import { importAll, type Rows } from '../import/import.ts'
import { KINDS } from '../import/summary.ts'
import { fixtures } from './fixtures.ts'

const FIXED: Rows = {
  companies: Object.values(fixtures.companies),
  people: Object.values(fixtures.people),
  rounds: Object.values(fixtures.rounds),
}

/** The files of a database with the fixed directory, kept because importing it again takes longer. */
let fixed: readonly MemoryFile[] | undefined

/**
 * Starts a database and imports the rows into it; where none are given, the fixed directory.
 * @throws Error naming the first row that the import refuses.
 */
export async function startWithRecords(rows: Rows): Promise<MemoryDatabase> {
  const isFixed = KINDS.every((kind) => rows[kind] === undefined)
  if (isFixed && fixed) return startMemoryDatabase(fixed)
  const memory = await startMemoryDatabase()
  const database = connect({ openStream: memory.open, connections: 1, deadlineMs: 30_000 })
  try {
    await migrate(database)
    await importAll(database, isFixed ? FIXED : rows)
    await database.close()
    if (isFixed) fixed = await memory.files()
    return memory
  } catch (error) {
    await database.close()
    await memory.close()
    throw error
  }
}
