/** The directory to and from a snapshot file (`index-build/snapshot.ts`). */
import { companyDocument, personDocument } from '../../index-build/documents.ts'
import {
  readSnapshotFile,
  type SnapshotCounts,
  type SnapshotRecord,
  SnapshotRefused,
  writeSnapshotFile,
} from '../../index-build/snapshot.ts'
import type { Database } from '../database/client.ts'
import { logBounds } from './changes.ts'
import { fillStore, type Pace, readTables, type State } from './load.ts'
import { TABLES } from './rows.ts'
import type { Batch } from './store.ts'

/** Reads the directory and writes it to `file`, as it was no earlier than when this was called. */
export async function writeSnapshot(database: Database, file: string): Promise<SnapshotCounts> {
  const { identity, last } = await logOf(database)
  return writeSnapshotFile(file, { database: identity, position: last }, records(database))
}

async function* records(database: Database): AsyncGenerator<SnapshotRecord> {
  for await (const { companies, rounds, people } of readTables(database, BATCH_RECORDS)) {
    for (const row of companies.values()) {
      if (row) yield { kind: 'company', row, document: companyDocument(row) }
    }
    for (const row of rounds.values()) {
      if (row) yield { kind: 'round', row, document: null }
    }
    for (const row of people.values()) {
      if (row) yield { kind: 'person', row, document: personDocument(row) }
    }
  }
}

/** The log's bounds, and what tells databases apart: the microsecond in which the first migration ran. */
function logOf(database: Database) {
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
  const snapshot = await openSnapshot(database, file)
  const store = await fillStore(database, batches(snapshot.records), pace)
  return { store, position: snapshot.position() }
}

/**
 * Reads the file to its end, as a start would, and keeps nothing of it.
 * @returns the change-log position that it holds.
 * @throws SnapshotRefused
 */
export async function checkSnapshot(database: Database, file: string): Promise<number> {
  const snapshot = await openSnapshot(database, file)
  for await (const _record of snapshot.records);
  return snapshot.position()
}

/** The position is known once the first record has been read. */
async function openSnapshot(database: Database, file: string) {
  const { identity, first, last } = await logOf(database)
  let position = 0
  const records = readSnapshotFile(file, (manifest) => {
    if (manifest.database !== identity) throw new SnapshotRefused('of another database')
    position = manifest.position
    if (position > last) throw new SnapshotRefused('newer than the database')
    if (position < first) throw new SnapshotRefused('older than the change log reaches back')
  })
  return { records, position: () => position }
}

const BATCH_RECORDS = 500

async function* batches(records: AsyncIterable<SnapshotRecord>): AsyncGenerator<Batch> {
  let batch = newBatch()
  for await (const { kind, row, document } of records) {
    if (document) batch.documents.set(row.id, document)
    batch[TABLES[kind]].set(row.id, row)
    if (++batch.size < BATCH_RECORDS) continue
    yield batch
    batch = newBatch()
  }
  yield batch
}

const newBatch = () => ({
  companies: new Map(),
  rounds: new Map(),
  people: new Map(),
  documents: new Map(),
  size: 0,
})
