/** Rows without id, externalId and slug, from being read to having the id of the record that they mean. */
import type { Connection } from '../../database/client.ts'
import { companiesNamed } from './company-references.ts'
import { decide } from './decide.ts'
import type { Values } from './fields/types.ts'
import { refusedRow } from './findings.ts'
import { findNamesakes, type KeylessRow, readNames, type Seen } from './namesakes.ts'
import type { CleanRow, RecordSchema } from './schema.ts'
import type { Finding } from './summary.ts'

/** A slug of null says that the record has none: it is no key. */
export const hasKey = ({ id, externalId, slug }: Values) =>
  id !== undefined || externalId !== undefined || typeof slug === 'string'

/** As UTF-16 units of JSON: some 300,000 rows of people with every field. */
const MOST_HELD = 256 * 2 ** 20
/** Rows of one name that are decided together. */
const MOST_OF_ONE_NAME = 1_000

/** The keyless rows of a file, by name: whose they are is known once all rows of their name are. */
export class HeldRows {
  /** As JSON text, which takes a third of the memory of objects. */
  readonly #byName = new Map<string, string[]>()
  #length = 0
  #count = 0

  /** How many rows wait. */
  get count() {
    return this.#count
  }

  /** @throws Error where they are too many. */
  add(rows: readonly KeylessRow[]): void {
    for (const row of rows) {
      const text = JSON.stringify(row)
      this.#length += text.length
      const rowsOfName = this.#byName.get(row.name)
      if (rowsOfName) rowsOfName.push(text)
      else this.#byName.set(row.name, [text])
      this.#count++
    }
    if (this.#length <= MOST_HELD) return
    throw new Error(
      'more than 256 MB of rows have no id, externalId or slug: give them an externalId, or split the file',
    )
  }

  /** Gives all rows, about as many at a time as `most` says then; those of one name are in one batch. */
  *batches(most: () => number): Generator<KeylessRow[]> {
    let batch: KeylessRow[] = []
    for (const texts of this.#byName.values()) {
      // One by one: spread, a great many rows of one name would be more arguments than a call takes.
      for (const text of texts) batch.push(JSON.parse(text))
      this.#count -= texts.length
      if (batch.length < most()) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }
}

/** Rows without a key, with what tells them from others; `nameless` are those that no record can be found or made of. */
export interface NamedRows {
  named: KeylessRow[]
  nameless: CleanRow[]
}

/** Reads what tells these rows from others. */
export async function nameRows(
  connection: Connection,
  schema: RecordSchema,
  rows: readonly CleanRow[],
): Promise<NamedRows> {
  const done: NamedRows = { named: [], nameless: [] }
  if (rows.length === 0) return done
  const companies = await companiesNamed(connection, rows)
  const found = await readNames(
    connection,
    schema,
    rows.map(({ values }) => {
      const companyId = values.company ? companies.find(values.company) : undefined
      return companyId ? { ...values, companyId } : values
    }),
  )
  for (const [index, row] of rows.entries()) {
    const { name = null, tells = [] } = found[index] ?? {}
    if (name === null) done.nameless.push(row)
    else done.named.push({ row, name, tells })
  }
  return done
}

interface DecidedBatch {
  /** Each with the id of its record. The first rows of all records come before the second ones. */
  rows: CleanRow[]
  refusals: Finding[]
  seen: Seen
}

/** Decides whose rows these are. All rows of a name are among them. */
export async function decideBatch(
  connection: Connection,
  schema: RecordSchema,
  batch: readonly KeylessRow[],
): Promise<DecidedBatch> {
  const { matching } = schema
  const names = Map.groupBy(
    batch.map((row, index) => ({ ...row, index })),
    ({ name }) => name,
  )
  const refusals: Finding[] = []
  for (const [name, rows] of names) {
    if (rows.length <= MOST_OF_ONE_NAME) continue
    names.delete(name)
    const reason = `more than ${MOST_OF_ONE_NAME} rows without a key have this name; give each an externalId`
    for (const { row } of rows) refusals.push(refusedRow(row, null, { reason }))
  }
  const asked = [...names.values()].flat()
  const { position, namesakes } = await findNamesakes(connection, matching, asked)
  const namesakesOf = Map.groupBy(namesakes, ({ name }) => name)
  const decisions = [...names].map(([name, rows]) =>
    decide(rows, namesakesOf.get(name) ?? [], matching),
  )
  const rows = inLayers(decisions.flatMap((decision) => decision.rows))
  return {
    rows,
    refusals: refusals.concat(decisions.flatMap((decision) => decision.refusals)),
    seen: {
      kind: matching.kind,
      position,
      names: [...names.keys()],
      ids: rows.flatMap(({ values }) => values.id ?? []),
    },
  }
}

/** The first row of each record in the file's order, then the second ones: one statement writes a record once. */
function inLayers(rows: readonly CleanRow[]): CleanRow[] {
  const counts = new Map<string | undefined, number>()
  const placed = rows.map((row) => {
    const layer = counts.get(row.values.id) ?? 0
    counts.set(row.values.id, layer + 1)
    return { row, layer }
  })
  placed.sort((a, b) => a.layer - b.layer || a.row.number - b.row.number)
  return placed.map(({ row }) => row)
}
