/** Seeds a database with the given records, or with the fixed ones. */
import { connect, type Database } from '../database/client.ts'
import { type MemoryDatabase, type MemoryFile, startMemoryDatabase } from '../database/memory.ts'
import { migrate } from '../database/migrate.ts'
import { importRows } from '../import/import.ts'
import { KINDS, type KindName } from '../import/summary.ts'
import { fixtures } from './fixtures.ts'

/** Import rows by kind (README, "Import"). */
export type Rows = { readonly [kind in KindName]?: Iterable<object> | undefined }

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
  const database = connect({ openMemory: memory.open, connections: 1, deadlineMs: 30_000 })
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

async function importAll(database: Database, given: Rows) {
  for (const kind of KINDS) {
    const rows = given[kind]
    if (!rows) continue
    const { refusals, refused, ignoredFields } = await importRows(database, kind, rows)
    const [first] = refusals
    if (first) {
      const field = first.field === null ? '' : `, ${first.field}`
      throw new Error(
        `${kind}: ${refused} refused, the first of them row ${first.row}${field}: ${first.reason}`,
      )
    }
    if (ignoredFields.length > 0) {
      throw new Error(`${kind}: the import does not know ${ignoredFields.join(', ')}`)
    }
  }
}
