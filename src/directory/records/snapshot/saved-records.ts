/** Records to the rows of a snapshot and back. Their texts stay on their pages, which the snapshot has as they are. */
import type { SavedById } from '../batch.ts'
import { COMPANY_FIELDS, savedCompany } from '../company-record.ts'
import { PERSON_FIELDS, savedPerson } from '../person.ts'
import { TABLES } from '../rows.ts'
import type { Store } from '../store.ts'
import { type TextPage, TextPages, type TextPlace, textAt } from '../text-pages.ts'
import type { SnapshotRows } from './lines.ts'

/** Fields of the records' texts. */
export const RECORD_FIELDS = [...PERSON_FIELDS, ...COMPANY_FIELDS].join()

/** Records in one line of a snapshot. */
const ROWS = 500

type Saved = { id: string; place: TextPlace }
/** `page` is the number of one of the line's pages. */
type SavedRow = { id: string; page: number; start: number; end: number }

/** All records, in the order in which a load puts them. */
export function* savedRows({ companies, rounds, people }: Store): Generator<SnapshotRows> {
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
export function savedBatch({ kind, rows, arrays, isAscii }: SnapshotRows): SavedById {
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
