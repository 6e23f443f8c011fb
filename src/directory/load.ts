/** Reads the directory's tables into a store: all of them, or the records that changes name. */
import type { Database } from '../database/client.ts'
import { type LoggedChange, logBounds } from './changes.ts'
import {
  type CompanyRow,
  companyRows,
  type PersonRow,
  personRows,
  type RoundRow,
  roundRows,
  type Selection,
} from './rows.ts'
import { type Batch, Store } from './store.ts'

/** A store and the place in the change log up to which it holds everything. */
export interface State {
  store: Store
  position: number
}

/** How much is done at a time, and what happens in between. */
export interface Pace {
  /** Records read by one statement, and then applied without a pause. */
  slice: number
  pause(): Promise<void>
}

const READ_DEADLINE_MS = 30_000

type Read<Row> = (selection: Selection) => Promise<Row[]>

interface Readers {
  companies: Read<CompanyRow>
  rounds: Read<RoundRow>
  people: Read<PersonRow>
}

function readersOf(database: Database): Readers {
  const deadline = { deadlineMs: READ_DEADLINE_MS }
  return {
    companies: (selection) => database.use(({ sql }) => companyRows(sql, selection), deadline),
    rounds: (selection) => database.use(({ sql }) => roundRows(sql, selection), deadline),
    people: (selection) => database.use(({ sql }) => personRows(sql, selection), deadline),
  }
}

/**
 * Loads the whole directory. The log's position is read first: a change made while the tables are
 * read comes after it, and the follower applies it once more.
 */
export async function loadState(database: Database, pace: Pace): Promise<State> {
  const { last: position } = await database.use(({ sql }) => logBounds(sql))
  const store = await fillStore(database, readTables(database, pace.slice), pace)
  return { store, position }
}

/** All rows of the tables, companies first, then rounds, then people. */
export async function* readTables(
  database: Database,
  slice: number,
): AsyncGenerator<Partial<Batch>> {
  const readers = readersOf(database)
  for await (const rows of slicesOf(readers.companies, slice)) yield { companies: byId(rows) }
  for await (const rows of slicesOf(readers.rounds, slice)) yield { rounds: byId(rows) }
  for await (const rows of slicesOf(readers.people, slice)) yield { people: byId(rows) }
}

/** A new store with all of the batches, in the order of `readTables`. */
export async function fillStore(
  database: Database,
  batches: AsyncIterable<Partial<Batch>>,
  pace: Pace,
): Promise<Store> {
  const store = new Store()
  const readers = readersOf(database)
  for await (const batch of batches) {
    store.put(await completed(store, readers, batch))
    await pace.pause()
  }
  for (const _step of store.commit()) await pace.pause()
  return store
}

/** Reads a table in the order of its ids; the next slice is read while one is applied. */
async function* slicesOf<Row extends { id: string }>(
  read: Read<Row>,
  limit: number,
): AsyncGenerator<Row[]> {
  let next = read({ after: null, limit })
  for (;;) {
    const rows = await next
    const after = rows.at(-1)?.id
    if (after === undefined) return
    next = read({ after, limit })
    // It is awaited only after this slice: a failure before that must not count as unhandled.
    next.catch(() => {})
    yield rows
  }
}

/** Applies the records that the changes name, as the database has them now: companies, rounds, people. */
export async function applyChanges(
  database: Database,
  store: Store,
  changes: readonly LoggedChange[],
  pace: Pace,
): Promise<void> {
  const readers = readersOf(database)
  function* slices(kind: LoggedChange['kind']) {
    const ids = [...new Set(changes.filter((it) => it.kind === kind).map(({ id }) => id))]
    while (ids.length > 0) yield ids.splice(0, pace.slice)
  }
  const apply = async (batch: Partial<Batch>) => {
    store.apply(await completed(store, readers, batch))
    await pace.pause()
  }
  for (const ids of slices('company')) {
    await apply({ companies: await current(readers.companies, ids) })
  }
  for (const ids of slices('round')) await apply({ rounds: await current(readers.rounds, ids) })
  for (const ids of slices('person')) await apply({ people: await current(readers.people, ids) })
}

async function current<Row extends { id: string }>(read: Read<Row>, ids: string[]) {
  const rows = new Map<string, Row | null>(ids.map((id) => [id, null]))
  for (const row of await read({ ids })) rows.set(row.id, row)
  return rows
}

/**
 * The batch with the companies that its rows name and the store doesn't have yet: they were made after
 * the companies were read, and nobody may be shown without their company.
 */
async function completed(store: Store, readers: Readers, batch: Partial<Batch>): Promise<Batch> {
  const { companies = new Map(), rounds = new Map(), people = new Map(), documents } = batch
  const missing = unknownCompanies(store, companies, rounds, people)
  if (missing.length > 0) {
    for (const row of await readers.companies({ ids: missing })) companies.set(row.id, row)
  }
  return { companies, rounds, people, ...(documents ? { documents } : {}) }
}

function unknownCompanies(
  store: Store,
  companies: Batch['companies'],
  rounds: Batch['rounds'],
  people: Batch['people'],
): string[] {
  const named = new Set<string>()
  for (const person of people.values()) if (person?.companyId) named.add(person.companyId)
  for (const round of rounds.values()) {
    if (!round) continue
    named.add(round.companyId)
    for (const { investorId } of round.investors) named.add(investorId)
  }
  return [...named].filter((id) => !companies.has(id) && !store.company(id))
}

function byId<Row extends { id: string }>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}
