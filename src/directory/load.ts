/** Reads the directory's tables into memory: all of them, or what a list of changes names. */
import type { Database } from '../database/client.ts'
import { type LoggedChange, logBounds } from './changes.ts'
import { type Batch, type Memory, newMemory } from './memory.ts'
import { inPieces, type Pace } from './pace.ts'
import {
  type CompanyRow,
  companyRows,
  type PersonRow,
  personRows,
  type RoundRow,
  roundRows,
  type Selection,
} from './rows.ts'

/** A memory and the place in the change log up to which it holds everything. */
export interface State {
  memory: Memory
  position: number
}

/**
 * Rows of one read. Each read is a statement of its own: nothing holds the database for long, and what
 * arrives is parsed in one turn of the event loop.
 */
const PAGE_ROWS = 250
/** Rows put in one step of a piece of work: a fraction of a millisecond. */
const STEP_ROWS = 10
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
 * Everything there is. The log's place is read first: what changes while the tables are read is
 * after it, and is read once more by whoever follows from there.
 */
export async function loadState(database: Database, pace: Pace): Promise<State> {
  const { last: position } = await database.use(({ sql }) => logBounds(sql))
  const memory = await fillMemory(database, readTables(database), pace)
  return { memory, position }
}

/** All rows of the tables, companies first, then rounds, then people. */
export async function* readTables(database: Database): AsyncGenerator<Partial<Batch>> {
  const readers = readersOf(database)
  for await (const rows of pages(readers.companies)) yield { companies: byId(rows) }
  for await (const rows of pages(readers.rounds)) yield { rounds: byId(rows) }
  for await (const rows of pages(readers.people)) yield { people: byId(rows) }
}

/** A new memory with all of the batches, in the order of `readTables`. */
export async function fillMemory(
  database: Database,
  batches: AsyncIterable<Partial<Batch>>,
  pace: Pace,
): Promise<Memory> {
  const memory = newMemory()
  const readers = readersOf(database)
  for await (const batch of batches) {
    await readMissing(memory, readers, batch)
    await inPieces(steps(memory, batch), pace)
  }
  await inPieces(memory.settleInSteps(), pace)
  return memory
}

/** Reads a table in the order of its ids; the next page is on its way while one is worked on. */
async function* pages<Row extends { id: string }>(read: Read<Row>): AsyncGenerator<Row[]> {
  let next = read({ after: null, limit: PAGE_ROWS })
  for (;;) {
    const rows = await next
    const after = rows.at(-1)?.id
    if (after === undefined) return
    next = read({ after, limit: PAGE_ROWS })
    // Awaited in the next turn; a failure before that must not count as unhandled.
    next.catch(() => {})
    yield rows
  }
}

/** Puts what the changes name, as the database has it now, into memory. */
export async function applyChanges(
  database: Database,
  memory: Memory,
  changes: readonly LoggedChange[],
  pace: Pace,
): Promise<void> {
  const readers = readersOf(database)
  for await (const batch of changedRows(readers, changes)) {
    await readMissing(memory, readers, batch)
    // Whoever reads the memory meanwhile sees each piece whole: it settles before anything is awaited.
    await inPieces(steps(memory, batch), pace, memory.settle)
  }
}

/** Companies first, then rounds, then people; each read when the one before it has been put. */
async function* changedRows(
  readers: Readers,
  changes: readonly LoggedChange[],
): AsyncGenerator<Partial<Batch>> {
  const ids = (kind: LoggedChange['kind']) =>
    changes.filter((change) => change.kind === kind).map(({ id }) => id)
  for await (const rows of current(readers.companies, ids('company'))) yield { companies: rows }
  for await (const rows of current(readers.rounds, ids('round'))) yield { rounds: rows }
  for await (const rows of current(readers.people, ids('person'))) yield { people: rows }
}

async function* current<Row extends { id: string }>(
  read: Read<Row>,
  ids: readonly string[],
): AsyncGenerator<Map<string, Row | null>> {
  for (const page of chunks(ids, PAGE_ROWS)) {
    const rows = new Map<string, Row | null>(page.map((id) => [id, null]))
    for (const row of await read({ ids: page })) rows.set(row.id, row)
    yield rows
  }
}

/**
 * Adds to the batch the companies that its rows name and nobody knows yet: they were made after the
 * companies were read, and nothing may be shown without its company.
 */
async function readMissing(memory: Memory, readers: Readers, batch: Partial<Batch>): Promise<void> {
  const { companies = new Map(), rounds = new Map(), people = new Map() } = batch
  const missing = unknownCompanies(memory, companies, rounds, people)
  if (missing.length === 0) return
  for (const row of await readers.companies({ ids: missing })) companies.set(row.id, row)
  batch.companies = companies
}

function unknownCompanies(
  memory: Memory,
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
  return [...named].filter((id) => !companies.has(id) && !memory.company(id))
}

/** Puts the batch, companies first, then rounds, then people, a few rows in each step. */
function* steps(memory: Memory, batch: Partial<Batch>): Generator<void> {
  const { companies = [], rounds = [], people = [], documents } = batch
  const put = (part: Partial<Batch>) => memory.put({ ...NOTHING, ...part, documents })
  for (const some of chunks([...companies], STEP_ROWS)) yield put({ companies: new Map(some) })
  for (const some of chunks([...rounds], STEP_ROWS)) yield put({ rounds: new Map(some) })
  for (const some of chunks([...people], STEP_ROWS)) yield put({ people: new Map(some) })
}

const NOTHING: Batch = { companies: new Map(), rounds: new Map(), people: new Map() }

function* chunks<V>(values: readonly V[], size: number): Generator<V[]> {
  for (let start = 0; start < values.length; start += size) {
    yield values.slice(start, start + size)
  }
}

function byId<Row extends { id: string }>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}
