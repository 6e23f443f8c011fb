/**
 * Rows without id, externalId and slug: they wait until the file is read, and then get the id of the record that they mean.
 *
 * All rows of one name in a file are decided together, so their order
 * doesn't matter. What tells namesakes apart is e-mail, LinkedIn, Telegram, X handle (of companies: domain, X handle;
 * of rounds: nothing).
 *
 * | The row | Decision |
 * |---|---|
 * | has a telling value that exactly one stored namesake has | it means that record |
 * | has values of several namesakes | refused: it fits several |
 * | has values, none of them a namesake's, and other rows of the file mean every namesake | a new record |
 * | has values, none of them a namesake's, and another namesake is left | refused: it may be that one, changed |
 * | has none, is the file's only row of the name, and nobody has the name | a new record |
 * | has none, is the file's only row of the name, and changes no channel of the only namesake | it means that record |
 * | has none, otherwise | refused: by the name alone they can't be told apart |
 *
 * Rows that share a telling value are one, and so are rows without one that say the same in every field: two records of them
 * could not be told apart either. Where they contradict each other in a channel all of them are refused,
 * and a blank in one does not clear what another gives.
 */
import type { Connection } from '../../database/client.ts'
import { companiesNamed } from './company-references.ts'
import type { Values } from './fields/types.ts'
import { refusedRow } from './findings.ts'
import { findNamesakes, type KeylessRow, type Namesake, readNames, type Seen } from './namesakes.ts'
import type { CleanRow, Matching, RecordSchema } from './schema.ts'
import { type Finding, placeOf, type Reason } from './summary.ts'
import { uuidV7 } from './uuid-v7.ts'

/** Tells whether values have a key. A slug of null says that the record has none. */
export const hasKey = ({ id, externalId, slug }: Values) =>
  id !== undefined || externalId !== undefined || typeof slug === 'string'

/** Limit in UTF-16 units of JSON: some 300,000 rows of people with every field. */
const MOST_HELD = 256 * 2 ** 20
const MOST_OF_ONE_NAME = 1_000

/** Keyless rows of a file by name: they are decided once all rows of their name are read. */
export class HeldRows {
  /** JSON text takes a third of the memory of objects. */
  readonly #byName = new Map<string, string[]>()
  #length = 0
  #count = 0

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

  /** Yields all rows, about `most()` at a time; those of one name are in one batch. */
  *batches(most: () => number): Generator<KeylessRow[]> {
    let batch: KeylessRow[] = []
    for (const texts of this.#byName.values()) {
      // Pushed one by one: a spread of very many rows exceeds the arguments of a call.
      for (const text of texts) batch.push(JSON.parse(text))
      this.#count -= texts.length
      if (batch.length < most()) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }
}

/** Rows without a key; for `nameless` ones no record can be found or made. */
export interface NamedRows {
  named: KeylessRow[]
  nameless: CleanRow[]
}

/** Reads names and telling values of rows. */
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
  /** Rows with the id of their record. The first rows of all records come before the second ones. */
  rows: CleanRow[]
  refusals: Finding[]
  seen: Seen
}

/** Decides which records rows mean. A batch has all rows of its names. */
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

/** Puts the first row of each record before the second ones, because one statement writes a record once. */
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

export interface Decision {
  /** Rows with the id of their record, stored or new. */
  rows: CleanRow[]
  refusals: Finding[]
}

/** A row in the batch, with the records that share a telling value. */
interface Candidate extends KeylessRow {
  index: number
  fits: readonly Namesake[]
}

/**
 * Decides the rows of one name.
 * @param namesakes stored records of this name: all that share a value with a row, and two others.
 */
export function decide(
  rows: readonly (KeylessRow & { index: number })[],
  namesakes: readonly Namesake[],
  matching: Matching,
): Decision {
  const decision: Decision = { rows: [], refusals: [] }
  const refuse = (refused: readonly KeylessRow[], field: string | null, reason: Reason) => {
    decision.refusals.push(...refused.map(({ row }) => refusedRow(row, field, reason)))
  }
  const holders = holdersByValue(namesakes)
  const persons = connected(
    rows.map((row): Candidate => ({ ...row, fits: fitting(row, holders) })),
  ).map((members) => ({ members, records: [...new Set(members.flatMap(({ fits }) => fits))] }))
  const meant = new Set(persons.flatMap(({ records }) => (records.length === 1 ? records : [])))
  const left = namesakes.filter((one) => !meant.has(one))
  const isAnyLeft = (namesakes[0]?.count ?? 0) > meant.size
  for (const { members, records } of persons) {
    const [first] = members
    const [record] = records
    if (!first) continue
    if (records.length > 1) {
      refuse(members, null, fitsSeveral(records))
      continue
    }
    const contradiction = contradictionIn(members, matching)
    if (contradiction !== undefined) {
      refuse(members, contradiction, contradicting(members))
    } else if (record) {
      decision.rows.push(...withId(members, record.id, matching))
    } else if (first.tells.length === 0) {
      const [only] = namesakes
      const same = new Set(members.map(({ index }) => index))
      const others = rows.filter(({ index }) => !same.has(index))
      const isOnly = others.length === 0 && (only?.count ?? 0) <= 1
      if (isOnly && (!only || only.accepts.includes(first.index))) {
        decision.rows.push(...withId(members, only?.id ?? uuidV7(), matching))
      } else refuse(members, null, notTold(namesakes, others, matching))
    } else if (isAnyLeft) {
      refuse(members, null, notTold(left, [], matching))
    } else {
      decision.rows.push(...withId(members, uuidV7(), matching))
    }
  }
  return decision
}

const keyOf = (index: number, tell: string) => `${index} ${tell}`

/** Stored records by row and shared value. */
function holdersByValue(namesakes: readonly Namesake[]): Map<string, Namesake[]> {
  const holders = new Map<string, Namesake[]>()
  for (const namesake of namesakes) {
    for (const [row, tell] of namesake.shared) {
      const key = keyOf(row, tell)
      holders.set(key, [...(holders.get(key) ?? []), namesake])
    }
  }
  return holders
}

/** Records that match a row. A value that several records have counts only where no value has a single holder. */
function fitting(
  { index, tells }: KeylessRow & { index: number },
  holders: ReadonlyMap<string, Namesake[]>,
): readonly Namesake[] {
  const found = tells.flatMap((tell) => {
    const having = holders.get(keyOf(index, tell))
    return having ? [having] : []
  })
  const alone = found.filter(({ length }) => length === 1)
  return alone.length > 0 ? [...new Set(alone.flat())] : (found[0] ?? [])
}

/**
 * Groups rows that share a telling value or a record, and rows without values that are equal in every field; each in the
 * file's order.
 */
function connected(rows: readonly Candidate[]): Candidate[][] {
  const groupOf = new Map<string, Candidate[]>()
  const groups = new Set<Candidate[]>()
  const links = ({ tells, fits, row }: Candidate) =>
    tells.length > 0 ? [...tells, ...fits.map(({ id }) => id)] : [JSON.stringify(row.values)]
  for (const row of rows) {
    const met = new Set(
      links(row)
        .map((link) => groupOf.get(link))
        .filter((group) => group !== undefined),
    )
    const group = [row]
    for (const one of met) {
      groups.delete(one)
      group.push(...one)
    }
    groups.add(group)
    for (const one of group) for (const link of links(one)) groupOf.set(link, group)
  }
  return [...groups].map((group) => group.sort((a, b) => a.index - b.index))
}

/** Value of a channel in a row: folded where it tells namesakes apart. */
function said({ row, tells }: KeylessRow, field: string) {
  return tells.find((tell) => tell.startsWith(`${field}:`)) ?? row.values[field] ?? undefined
}

/** Finds the channel in which rows of one person contradict each other. */
function contradictionIn(
  members: readonly KeylessRow[],
  { channels }: Matching,
): string | undefined {
  return channels.find((field) => {
    const values = members.map((member) => said(member, field))
    return new Set(values.filter((value) => value !== undefined)).size > 1
  })
}

/** Gives rows of one person its id, and removes blanks that would clear what another row gives. */
function withId(members: readonly KeylessRow[], id: string, { channels }: Matching): CleanRow[] {
  const given = channels.filter((field) =>
    members.some((member) => said(member, field) !== undefined),
  )
  return members.map(({ row: { values, ...row } }) => {
    const kept = Object.entries(values).filter(
      ([field, value]) => value !== null || !given.includes(field),
    )
    return { ...row, values: { ...Object.fromEntries(kept), id } }
  })
}

const fitsSeveral = (records: readonly Namesake[]): Reason => ({
  reason: `fits several records: ${listed(records)}; give the row the slug or id of the one that it means`,
  alike: 'fits several records',
})

/** Limit of rows named in a refusal: each of a thousand would name all. */
const MOST_ROWS_NAMED = 5

function contradicting(members: readonly KeylessRow[]): Reason {
  const shown = members.slice(0, MOST_ROWS_NAMED).map(({ row }) => row)
  const more = members.length - shown.length
  const hasLines = shown.some(({ number, line = number }) => line !== number)
  const lines = hasLines ? ` (lines ${shown.map(({ line }) => line).join(', ')})` : ''
  const rows = shown.map(({ number }) => number).join(', ') + (more > 0 ? ` and ${more} more` : '')
  return {
    reason: `rows ${rows}${lines} are one by another channel and contradict each other in this one; keep one of them, or give each an externalId`,
    alike: 'contradicts another row',
  }
}

/** @param left namesakes that the row may mean. @param others rows of the file that may be the same. */
function notTold(
  left: readonly Namesake[],
  others: readonly KeylessRow[],
  { words }: Matching,
): Reason {
  const other = others[0]?.row
  const place = other && placeOf({ row: other.number, line: other.line })
  const from = [
    ...(left.length > 0 ? [listed(left)] : []),
    ...(place ? [`${place} of this file`] : []),
  ].join(' and ')
  return {
    reason: `can't be told from ${from}: ${words}; give the row that record's slug or id, or, if it is another, an externalId`,
    alike: "can't be told from others",
  }
}

function listed(records: readonly Namesake[]): string {
  const shown = records.slice(0, 2).map(({ label }) => label)
  const more = Math.max(records.length, records[0]?.count ?? 0) - shown.length
  return shown.join(' and ') + (more > 0 ? ` and ${more} more` : '')
}
