/** The directory to and from a snapshot file (`file.ts`). */
import { type Database, DatabaseUnavailable } from '../../../database/client.ts'
import type { Batch, SavedById } from '../batch.ts'
import { logBounds, momentOf } from '../changes.ts'
import { COMPANY_FIELDS, savedCompany } from '../company-record.ts'
import { indexThreadFor } from '../index-thread.ts'
import { loadBeside, loadState, putAll, type State } from '../load.ts'
import { ALONE, type Pace } from '../pace.ts'
import { PERSON_FIELDS, savedPerson } from '../person.ts'
import { LOAD_DEADLINE, TABLES } from '../rows.ts'
import { Store } from '../store.ts'
import { type TextPage, TextPages, type TextPlace, textAt } from '../text-pages.ts'
import {
  type Manifest,
  readSnapshotFile,
  type SnapshotCounts,
  SnapshotRefused,
  writeSnapshotFile,
} from './file.ts'
import type { SnapshotContent, SnapshotRows } from './lines.ts'

// Records to the rows of a snapshot and back. Their texts stay on their pages, which the snapshot has as they are.

/** Fields of the records' texts. */
const RECORD_FIELDS = [...PERSON_FIELDS, ...COMPANY_FIELDS].join()

/** Records in one line of a snapshot. */
const ROWS = 500

type Saved = { id: string; place: TextPlace }
/** `page` is the number of one of the line's pages. */
type SavedRow = { id: string; page: number; start: number; end: number }

/** All records, in the order in which a load puts them. */
function* savedRows({ companies, rounds, people }: Store): Generator<SnapshotRows> {
  // For texts that have no page.
  const own = new TextPages()
  yield* withTexts('company', mapped(companies.slots.records, savedCompany), own)
  for (const rows of chunks(rounds.values())) yield { kind: 'round', rows, arrays: [], isAscii: [] }
  yield* withTexts('person', mapped(people.slots.records, savedPerson), own)
}

function* withTexts(
  kind: SnapshotRows['kind'],
  records: Iterable<Saved>,
  own: TextPages,
): Generator<SnapshotRows> {
  for (const chunk of chunks(records)) {
    const pages: TextPage[] = []
    const rows = chunk.map(({ place: given, ...head }): SavedRow => {
      const place = typeof given.page === 'string' ? own.add(textAt(given)) : given
      const page = place.page as TextPage
      if (!pages.includes(page)) pages.push(page)
      return { ...head, page: pages.indexOf(page), start: place.start, end: place.end }
    })
    const arrays = pages.map(({ bytes }) => bytes)
    yield { kind, rows, arrays, isAscii: pages.map((page) => page.isAscii) }
  }
}

/** The records of such rows. @throws Error where one has no text */
function savedBatch({ kind, rows, arrays, isAscii }: SnapshotRows): SavedById {
  const batch: SavedById = { companies: new Map(), rounds: new Map(), people: new Map() }
  const records: Map<string, object> = batch[TABLES[kind]]
  const pages = arrays.map(({ buffer, byteOffset, length }, number) => ({
    bytes: Buffer.from(buffer, byteOffset, length),
    isAscii: isAscii[number] ?? false,
  }))
  for (const row of rows) {
    records.set(row.id, kind === 'round' ? row : savedRecord(row as SavedRow, pages))
  }
  return batch
}

/** @returns the row itself, because a copy of each takes as long as to read it. */
function savedRecord(row: SavedRow, pages: TextPage[]): Saved {
  const { start, end } = row
  const page = pages[row.page]
  if (!page || !(0 <= start && start <= end && end <= page.bytes.length))
    throw new Error('a text without a place')
  return Object.assign(row, { place: { page, start, end } })
}

/** Maps the slots that have a record. */
function* mapped<A, B>(values: Iterable<A | undefined>, change: (value: A) => B): Generator<B> {
  for (const value of values) if (value !== undefined) yield change(value)
}

function* chunks<T>(values: Iterable<T>): Generator<T[]> {
  let chunk: T[] = []
  for (const value of values) {
    chunk.push(value)
    if (chunk.length < ROWS) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

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
  store.commit()
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
