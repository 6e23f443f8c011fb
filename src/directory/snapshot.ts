/** The directory to and from a snapshot file (`index-build/snapshot.ts`). */
import {
  readSnapshotFile,
  type SnapshotContent,
  type SnapshotCounts,
  SnapshotRefused,
  writeSnapshotFile,
} from '../../index-build/snapshot.ts'
import { type Database, DatabaseUnavailable } from '../database/client.ts'
import { logBounds } from './changes.ts'
import { loadBeside, putAll, readTables, type State } from './load.ts'
import { ALONE, inTurns, type Pace } from './pace.ts'
import { TABLES } from './rows.ts'
import { type Batch, Store } from './store.ts'

/** Reads the directory and writes it to `file`, as it was no earlier than when this was called. */
export async function writeSnapshot(database: Database, file: string): Promise<SnapshotCounts> {
  const { identity, last } = await logOf(database)
  return writeSnapshotFile(file, { database: identity, position: last }, contents(database))
}

/** The records in the order of their slots, and then the index and the orders that a start would make of them. */
async function* contents(database: Database): AsyncGenerator<SnapshotContent> {
  const store = new Store()
  const batches = readTables(database, ALONE.slice)
  for await (const batch of putAll(database, store, batches, ALONE)) {
    for (const kind of ['company', 'round', 'person'] as const) {
      const rows = [...batch[TABLES[kind]].values()].filter((row) => row !== null)
      if (rows.length > 0) yield { kind, rows }
    }
  }
  for (const _step of store.commit());
  yield* store.indexParts()
}

/** The log's bounds, and what tells databases apart: the microsecond in which the first migration ran. */
export function logOf(database: Database) {
  return database.use(async ({ sql }) => {
    const [row] = await sql<{ since: string }[]>`
      select extract(epoch from min(applied_at))::text as since from chainkin_migrations`
    return { identity: row?.since ?? '', ...(await logBounds(sql)) }
  })
}

/**
 * The state that the file holds; its reader follows the change log on from its position.
 * @throws SnapshotRefused where it is not whole, or not of this database, these options, this log.
 */
export async function loadSnapshot(database: Database, file: string, pace: Pace): Promise<State> {
  const { content, position } = await openSnapshot(database, file)
  const store = new Store()
  await loadBeside(database, store, pace)
  try {
    for await (const _batch of putAll(database, store, batches(content, store), pace)) {
      await pace.pause()
    }
  } catch (error) {
    if (error instanceof SnapshotRefused || error instanceof DatabaseUnavailable) throw error
    // A line can be JSON and still lack what the store reads of it, or name an id that is none.
    const reason = error instanceof Error ? error.message : String(error)
    throw new SnapshotRefused(`a line of another shape: ${reason}`, { cause: error })
  }
  // A record came or went since: the index's slots would be those of others.
  if (!store.isIndexed) throw new SnapshotRefused('its index is of other records')
  await inTurns(store.commit(), pace)
  return { store, position: position() }
}

/**
 * Reads the file to its end, as a start would, and keeps nothing of it.
 * @returns the change-log position that it holds.
 * @throws SnapshotRefused
 */
export async function checkSnapshot(database: Database, file: string): Promise<number> {
  const { content, position } = await openSnapshot(database, file)
  for await (const _value of content);
  return position()
}

/** The position is known once the first record has been read. */
async function openSnapshot(database: Database, file: string) {
  const { identity, first, last } = await logOf(database)
  let position = 0
  const content = readSnapshotFile(file, (manifest) => {
    if (manifest.database !== identity) throw new SnapshotRefused('of another database')
    position = manifest.position
    if (position > last) throw new SnapshotRefused('newer than the database')
    if (position < first) throw new SnapshotRefused('older than the change log reaches back')
  })
  return { content, position: () => position }
}

/** The records in batches as they were written; the store takes index and orders. */
async function* batches(
  content: AsyncIterable<SnapshotContent>,
  store: Store,
): AsyncGenerator<Batch> {
  for await (const value of content) {
    if (!('rows' in value)) {
      store.takeIndex(value)
      continue
    }
    const tables = { companies: new Map(), rounds: new Map(), people: new Map() }
    const batch = { ...tables, isIndexed: true, isOrdered: true }
    const rows: Map<string, object> = batch[TABLES[value.kind]]
    for (const row of value.rows) rows.set(row.id, row)
    yield batch
  }
}
