/** Reads the directory's tables into memory: all of them, or what a list of changes names. */
import type { Database } from '../database/client.ts'
import { type LoggedChange, logBounds } from './changes.ts'
import { type Batch, type Memory, newMemory } from './memory.ts'
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

/** How much is done at a time, and what happens in between. */
export interface Pace {
  /**
   * Records read, and then put, at a time: each of the two is a turn. Each read is a statement of its own,
   * so nothing holds the database for long.
   */
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
 * Everything there is. The log's place is read first: what changes while the tables are read is
 * after it, and is read once more by whoever follows from there.
 */
export async function loadState(database: Database, pace: Pace): Promise<State> {
  const { last: position } = await database.use(({ sql }) => logBounds(sql))
  const memory = await fillMemory(database, readTables(database, pace.slice), pace)
  return { memory, position }
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

/** A new memory with all of the batches, in the order of `readTables`. */
export async function fillMemory(
  database: Database,
  batches: AsyncIterable<Partial<Batch>>,
  pace: Pace,
): Promise<Memory> {
  const memory = newMemory()
  const readers = readersOf(database)
  for await (const batch of batches) await putSlice(memory, readers, batch, pace, () => {})
  for (const _step of memory.settleInSteps()) await pace.pause()
  return memory
}

/** Reads a table in the order of its ids; the next slice is on its way while one is worked on. */
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
    // Awaited in the next turn; a failure before that must not count as unhandled.
    next.catch(() => {})
    yield rows
  }
}

/** Puts what the changes name, as the database has it now, into memory: companies, then rounds, then people. */
export async function applyChanges(
  database: Database,
  memory: Memory,
  changes: readonly LoggedChange[],
  pace: Pace,
): Promise<void> {
  const readers = readersOf(database)
  const slices = (kind: LoggedChange['kind']) =>
    chunks([...new Set(changes.filter((it) => it.kind === kind).map(({ id }) => id))], pace.slice)
  // Whoever reads the memory meanwhile sees each slice whole: it settles before anything is awaited.
  const put = (batch: Partial<Batch>) => putSlice(memory, readers, batch, pace, memory.settle)
  for (const ids of slices('company'))
    await put({ companies: await current(readers.companies, ids) })
  for (const ids of slices('round')) await put({ rounds: await current(readers.rounds, ids) })
  for (const ids of slices('person')) await put({ people: await current(readers.people, ids) })
}

async function current<Row extends { id: string }>(read: Read<Row>, ids: string[]) {
  const rows = new Map<string, Row | null>(ids.map((id) => [id, null]))
  for (const row of await read({ ids })) rows.set(row.id, row)
  return rows
}

/**
 * Puts rows and pauses. Companies that they name and nobody knows yet are read first: they were
 * made after the companies were read, and nothing may be shown without its company.
 */
async function putSlice(
  memory: Memory,
  readers: Readers,
  batch: Partial<Batch>,
  pace: Pace,
  afterPut: () => void,
): Promise<void> {
  const { companies = new Map(), rounds = new Map(), people = new Map(), documents } = batch
  const missing = unknownCompanies(memory, companies, rounds, people)
  if (missing.length > 0) {
    for (const row of await readers.companies({ ids: missing })) companies.set(row.id, row)
  }
  memory.put({ companies, rounds, people, ...(documents ? { documents } : {}) })
  afterPut()
  await pace.pause()
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

function* chunks<T>(values: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size)
}

function byId<Row extends { id: string }>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}
