/** Reads the directory's tables into a store: all of them, or the records that changes name. */
import type { Database } from '../../database/client.ts'
import type { Batch, RowsById } from './batch.ts'
import { type LoggedChange, logEnd } from './changes.ts'
import { type IndexThread, IndexThreadFailed } from './index-thread.ts'
import { notBefore } from './load-source.ts'
import { inTurns, type Pace } from './pace.ts'
import { applyPictures, loadPictures } from './pictures.ts'
import { readRedirects } from './redirects.ts'
import { LOAD_DEADLINE, type Rows, readRows, TABLES, type TableName } from './rows.ts'
import { Store } from './store.ts'

/** A store and the place in the change log up to which it holds everything. */
export interface State {
  store: Store
  position: number
  /** When the change of that position was made, in seconds since the epoch, as the log dates it; undefined where the log was empty. */
  positionAt?: number | undefined
}

/**
 * Loads the whole directory. The log's position is read first: a change made while the tables are
 * read comes after it, and the follower applies it once more.
 * @param thread makes the search index, and is closed.
 * @param onFailure told why where the thread fails: then all is loaded anew, with the index made here.
 */
export async function loadState(
  database: Database,
  pace: Pace,
  thread: IndexThread | null = null,
  onFailure: (reason: string) => void = () => {},
): Promise<State> {
  const { position, positionAt } = await database.use(({ sql }) => logEnd(sql), LOAD_DEADLINE)
  try {
    const store = await loadStore(notBefore(database, position), pace, thread)
    return { store, position, positionAt: positionAt ?? undefined }
  } catch (error) {
    if (!(error instanceof IndexThreadFailed)) throw error
    onFailure(error.message)
    return await loadState(database, pace)
  } finally {
    await thread?.close()
  }
}

async function loadStore(database: Database, pace: Pace, thread: IndexThread | null) {
  const store = new Store()
  await Promise.all([loadBeside(database, store, pace), loadRecords(database, store, pace, thread)])
  store.commit()
  if (thread) {
    for (const part of await thread.parts()) store.takeIndex(part)
    store.commit()
    if (!store.isIndexed) throw new IndexThreadFailed('its index is of other records')
  }
  for (const records of [store.companies, store.people]) {
    // The first search of a kind numbers its records by followers, which takes milliseconds: callers search from the swap on.
    records.matches('a')
    await pace.pause()
  }
  return store
}

async function loadRecords(
  database: Database,
  store: Store,
  pace: Pace,
  thread: IndexThread | null,
) {
  const batches = readTables(database, pace.slice)
  for await (const batch of putAll(database, store, batches, pace, thread !== null)) {
    await thread?.add(batch)
    await pace.pause()
  }
  thread?.end()
}

/** All rows, in the order of `TABLES`; the next slice of a table is read while one is applied. */
export async function* readTables(database: Database, limit: number): AsyncGenerator<RowsById> {
  for (const table of Object.values(TABLES)) {
    let next = readRows(database, table, { after: null, limit })
    for (;;) {
      const rows = await next
      const after = rows.at(-1)?.id
      if (after === undefined) break
      next = readRows(database, table, { after, limit })
      // It is awaited only after this slice: a failure before that must not count as unhandled.
      next.catch(() => {})
      yield batchOf(table, rows)
    }
  }
}

/**
 * Puts the batches, which come in the order of `readTables`, and yields each with the companies that it lacked.
 * @param isIndexed whether their search index comes beside them.
 */
export async function* putAll<B extends Batch>(
  database: Database,
  store: Store,
  batches: AsyncIterable<B>,
  pace: Pace,
  isIndexed = false,
): AsyncGenerator<B> {
  for await (const batch of batches) {
    await addMissingCompanies(database, store, batch)
    const parts = putInParts(store, { isIndexed, isLoaded: true, ...batch }, pace.part)
    await inTurns(parts, pace)
    yield batch
  }
}

function* putInParts(store: Store, batch: Batch, length: number): Generator<void> {
  for (const part of partsOf(batch, length)) yield store.put(part)
}

/** Readers see each part whole: lists show it in the same step as the records. */
function* applyInParts(store: Store, batch: Batch, length: number): Generator<void> {
  for (const part of partsOf(batch, length)) yield store.apply(part)
}

/** A batch as batches of at most so many records of one table each, which come to the same in this order. */
function* partsOf(batch: Batch, length: number): Generator<Batch> {
  for (const table of Object.values(TABLES)) {
    const records: ReadonlyMap<string, unknown> = batch[table]
    const isPart = records.size <= length
    if (isPart && records.size > 0) yield { ...batch, ...noRows(), [table]: records }
    const rows = isPart ? [] : [...records]
    for (let start = 0; start < rows.length; start += length) {
      yield { ...batch, ...noRows(), [table]: new Map(rows.slice(start, start + length)) }
    }
  }
}

const noRows = (): RowsById => ({ companies: new Map(), rounds: new Map(), people: new Map() })

/** Takes in what stands beside the records: which were merged into others, all at once because there are few, and which have pictures. */
export async function loadBeside(database: Database, store: Store, pace: Pace): Promise<void> {
  for (const redirect of await readRedirects(database, null))
    store.redirects.put(redirect.id, redirect)
  await loadPictures(database, store.pictures, pace.pause)
}

/**
 * Takes in the redirects that the changes name, before the records: an id that goes means the other record from the same
 * moment on.
 * @returns the ids of those that ended. They end after the records: until its own record is back, an id means the other.
 */
async function applyRedirects(
  database: Database,
  { redirects }: Store,
  changes: readonly LoggedChange[],
): Promise<string[]> {
  const ids = [...new Set(changes.filter(({ kind }) => kind === 'redirect').map(({ id }) => id))]
  if (ids.length === 0) return []
  const found = await readRedirects(database, ids)
  for (const redirect of found) redirects.put(redirect.id, redirect)
  const stand = new Set(found.map(({ id }) => id))
  return ids.filter((id) => !stand.has(id))
}

/**
 * Applies the records that the changes name, as the database has them now, in the order of `TABLES`. Companies that are gone
 * go last: a merge gives their people and rounds to another, and until these are read nobody may be shown without a company.
 */
export async function applyChanges(
  database: Database,
  store: Store,
  changes: readonly LoggedChange[],
  pace: Pace,
): Promise<void> {
  const ended = await applyRedirects(database, store, changes)
  await applyPictures(database, store.pictures, changes)
  const gone = noRows()
  for (const [kind, table] of Object.entries(TABLES)) {
    const left = [...new Set(changes.filter((it) => it.kind === kind).map(({ id }) => id))]
    while (left.length > 0) {
      const ids = left.splice(0, pace.slice)
      const batch = batchOf(table, await readRows(database, table, { ids }), ids)
      await addMissingCompanies(database, store, batch)
      for (const [id, row] of batch.companies) {
        if (row) continue
        batch.companies.delete(id)
        gone.companies.set(id, null)
      }
      await inTurns(applyInParts(store, batch, pace.part), pace)
      await pace.pause()
    }
  }
  await inTurns(applyInParts(store, gone, pace.part), pace)
  for (const id of ended) store.redirects.put(id, null)
}

/** @param ids those that were asked for. */
function batchOf<T extends TableName>(
  table: T,
  rows: readonly Rows[T][],
  ids: string[] = [],
): RowsById {
  const batch = noRows()
  const known: Map<string, Rows[T] | null> = batch[table]
  for (const id of ids) known.set(id, null)
  for (const row of rows) known.set(row.id, row)
  return batch
}

/**
 * Adds the companies that the batch names and the store doesn't have yet: they were made after the
 * companies were read, and nobody may be shown without their company.
 */
async function addMissingCompanies(
  database: Database,
  store: Store,
  { companies, rounds, people }: Batch,
): Promise<void> {
  const ids = new Set<string>()
  // `store.company` would answer for a merged id with its survivor.
  const look = (id: string) => {
    if (!store.companies.get(id) && !companies.has(id)) ids.add(id)
  }
  for (const person of people.values()) if (person?.companyId) look(person.companyId)
  for (const round of rounds.values()) {
    if (!round) continue
    look(round.companyId)
    for (const { investorId } of round.investors) look(investorId)
  }
  if (ids.size === 0) return
  for (const row of await readRows(database, 'companies', { ids: [...ids] })) {
    // Saved records are there with those that they name; only a line of another shape lacks one.
    ;(companies as RowsById['companies']).set(row.id, row)
  }
}
