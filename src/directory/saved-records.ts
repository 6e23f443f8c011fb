/** Records to the rows of a snapshot and back. Their texts stay on their pages, which the snapshot has as they are. */
import type { SnapshotPage, SnapshotRows } from '../../index-build/snapshot-lines.ts'
import type { SavedById } from './batch.ts'
import { COMPANY_FIELDS, savedCompany } from './company-record.ts'
import { PERSON_FIELDS, savedPerson } from './person.ts'
import { TABLES } from './rows.ts'
import type { Store } from './store.ts'
import { type TextPage, TextPages, type TextPlace, textAt } from './text-pages.ts'

/** What the records' texts consist of. */
export const RECORD_FIELDS = [...PERSON_FIELDS, ...COMPANY_FIELDS].join()

/** Records in one line of a snapshot. */
const ROWS = 500

type Saved = { id: string; place: TextPlace }

/** All records, in the order in which a load puts them. */
export function* savedRows(store: Store): Generator<SnapshotRows> {
  const writer = new SavedWriter()
  yield* writer.rows('company', mapped(store.companies.slots.records, savedCompany))
  for (const rows of chunks(store.rounds.values())) yield { kind: 'round', rows, pages: [] }
  yield* writer.rows('person', mapped(store.people.slots.records, savedPerson))
}

class SavedWriter {
  /** For texts that have no page. */
  readonly #own = new TextPages()
  readonly #pages = new Map<TextPage, SnapshotPage>();

  *rows(kind: SnapshotRows['kind'], records: Iterable<Saved>): Generator<SnapshotRows> {
    for (const chunk of chunks(records)) {
      const pages: SnapshotPage[] = []
      const rows = chunk.map(({ place: given, ...head }) => {
        const place = typeof given.page === 'string' ? this.#own.add(textAt(given)) : given
        const page = this.#page(place.page as TextPage)
        if (!pages.includes(page)) pages.push(page)
        return { ...head, page: pages.indexOf(page), start: place.start, end: place.end }
      })
      yield { kind, rows, pages }
    }
  }

  #page(page: TextPage): SnapshotPage {
    const known = this.#pages.get(page)
    if (known) return known
    const { buffer, byteOffset, length } = page.bytes
    const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, length)
    const made = { bytes, isAscii: page.isAscii }
    this.#pages.set(page, made)
    return made
  }
}

/** Reads the rows of one snapshot. */
export class SavedReader {
  readonly #pages = new Map<Uint8Array, TextPage>()

  records({ kind, rows, pages }: SnapshotRows): SavedById {
    const batch: SavedById = { companies: new Map(), rounds: new Map(), people: new Map() }
    const records: Map<string, object> = batch[TABLES[kind]]
    if (kind === 'round') for (const row of rows) records.set(row.id, row)
    else for (const row of rows) records.set(row.id, this.#record(row as SavedRow, pages))
    return batch
  }

  #record({ page: number, start, end, ...head }: SavedRow, pages: readonly SnapshotPage[]): Saved {
    const page = pages[number]
    if (!page || !(0 <= start && start <= end && end <= page.bytes.length))
      throw new Error('a text without a place')
    return { ...head, place: { page: this.#page(page), start, end } }
  }

  #page({ bytes, isAscii }: SnapshotPage): TextPage {
    const known = this.#pages.get(bytes)
    if (known) return known
    const page = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), isAscii }
    this.#pages.set(bytes, page)
    return page
  }
}

type SavedRow = { id: string; page: number; start: number; end: number }

/** Of the slots that have a record. */
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
