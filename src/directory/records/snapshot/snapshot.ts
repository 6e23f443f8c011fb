/** The directory to and from a snapshot file (`file.ts`). */
import { type Database, DatabaseUnavailable } from '../../../database/client.ts'
import type { Batch } from '../batch.ts'
import { logBounds, momentOf } from '../changes.ts'
import { indexThreadFor } from '../index-thread.ts'
import { loadBeside, loadState, putAll, type State } from '../load.ts'
import { ALONE, inTurns, type Pace } from '../pace.ts'
import { LOAD_DEADLINE } from '../rows.ts'
import { Store } from '../store.ts'
import {
  type Manifest,
  readSnapshotFile,
  type SnapshotCounts,
  SnapshotRefused,
  writeSnapshotFile,
} from './file.ts'
import type { SnapshotContent } from './lines.ts'
import { RECORD_FIELDS, savedBatch, savedRows } from './saved-records.ts'

/**
 * Reads the directory and writes it to `file`, as it was no earlier than when this was called.
 * @param hasThread whether a thread of its own may make the search index of many records.
 */
export async function writeSnapshot(
  database: Database,
  file: string,
  { hasThread = false } = {},
): Promise<SnapshotCounts> {
  const { identity } = await logOf(database)
  const thread = hasThread ? await indexThreadFor(database) : null
  const { store, position, positionAt } = await loadState(database, ALONE, thread)
  const manifest = { database: identity, fields: RECORD_FIELDS, position, positionAt }
  return writeSnapshotFile(file, manifest, contents(store))
}

/** The records in the order of their slots, and then the index and the orders that a start would make of them. */
function* contents(store: Store): Generator<SnapshotContent> {
  yield* savedRows(store)
  yield* store.indexParts()
}

/** The log's bounds, and what tells databases apart: the microsecond in which the first migration ran. */
export function logOf(database: Database) {
  return database.use(async ({ sql }) => {
    const [row] = await sql<{ since: string }[]>`
      select extract(epoch from min(applied_at))::text as since from chainkin_migrations`
    return { identity: row?.since ?? '', ...(await logBounds(sql)) }
  }, LOAD_DEADLINE)
}

/**
 * The state that the file holds; its reader follows the change log on from its position.
 * @param isShared whether other processes start from the file as well and nobody writes to it: then it is mapped, so
 * that what each has of it is the same memory.
 * @throws SnapshotRefused where it is not whole, or not of this database, these options, this log.
 */
export async function loadSnapshot(
  database: Database,
  file: string,
  pace: Pace,
  { isShared = false } = {},
): Promise<State> {
  const { content, end } = await openSnapshot(database, file, isShared)
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
  return { store, ...end() }
}

/**
 * Reads the file to its end, as a start would, and keeps nothing of it.
 * @returns the change-log position that it holds.
 * @throws SnapshotRefused
 */
export async function checkSnapshot(database: Database, file: string): Promise<number> {
  const { content, end } = await openSnapshot(database, file, true)
  for await (const _value of content);
  return end().position
}

/** Where its log ends is known once the first record has been read. */
async function openSnapshot(database: Database, file: string, isShared: boolean) {
  const { identity, first, last } = await logOf(database)
  let end: Pick<State, 'position' | 'positionAt'> = { position: 0 }
  const check = async (manifest: Manifest) => {
    if (manifest.fields !== RECORD_FIELDS) throw new SnapshotRefused('of records with other fields')
    if (manifest.database !== identity) throw new SnapshotRefused('of another database')
    const { position, positionAt } = manifest
    if (position > last) throw new SnapshotRefused('newer than the database')
    if (position < first) throw new SnapshotRefused('older than the change log reaches back')
    // After a failover that lost changes, or a return to an earlier moment, others have their numbers.
    if (positionAt !== undefined && positionAt !== (await momentThere(position))) {
      throw new SnapshotRefused('of changes that the database has no more')
    }
    end = { position, positionAt }
  }
  const momentThere = (position: number) =>
    database.use(({ sql }) => momentOf(sql, position), LOAD_DEADLINE)
  const content = readSnapshotFile(file, check, isShared)
  return { content, end: () => end }
}

/** The records in batches as they were written; the store takes index and orders. */
async function* batches(
  content: AsyncIterable<SnapshotContent>,
  store: Store,
): AsyncGenerator<Batch> {
  for await (const value of content) {
    if (!('rows' in value)) store.takeIndex(value)
    else yield { ...savedBatch(value), isIndexed: true, isOrdered: true }
  }
}
