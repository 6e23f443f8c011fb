/**
 * Rows without id, externalId and slug get the id of the record that they mean:
 *
 * 1. the one of their name that has one of their channels: e-mail, LinkedIn, Telegram, X handle (of companies: domain, X handle),
 * 2. without a channel, the only one of their name, for people at their company,
 * 3. a new one, where no other record has the name than those that rows of the file mean by a channel.
 *
 * Other rows are refused, and what they may mean is named. A telephone, which people share, counts in rows that have no other
 * channel. Rows are decided in the order of the file, and none of them clears a channel: a blank may be another row's.
 */
import { createHash } from 'node:crypto'
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
  const companyOf = ({ company }: Values) => (company ? companies.find(company) : undefined)
  const found = await readNames(
    connection,
    schema,
    rows.map(({ values }) => ({ ...values, companyId: companyOf(values) })),
  )
  for (const [index, row] of rows.entries()) {
    const { name = null, tells = [] } = found[index] ?? {}
    if (name === null) done.nameless.push(row)
    else done.named.push({ row, name, tells, company: companyOf(row.values) ?? null })
  }
  return done
}

/** Rows of one name are looked up one by one, among all records of that name. */
const MOST_OF_ONE_NAME = 1_000
export const TOO_MANY: Reason = {
  reason: `more than ${MOST_OF_ONE_NAME} rows without a key have this name; give each an externalId`,
}

interface Turns {
  /** Rows in parts with one row of a name: a row finds the records that those before it made. */
  turns: KeylessRow[][]
  /** Rows of a name that has too many. */
  refused: KeylessRow[]
}

/** @param meant counts the rows of each name in the import */
export function inTurns(rows: readonly KeylessRow[], meant: MeantRecords): Turns {
  const turns: KeylessRow[][] = []
  const refused: KeylessRow[] = []
  const counts = new Map<string, number>()
  for (const row of rows) {
    const turn = counts.get(row.name) ?? 0
    counts.set(row.name, turn + 1)
    if (meant.countRow(row.name) > MOST_OF_ONE_NAME) {
      refused.push(row)
      continue
    }
    const rowsOfTurn = turns[turn]
    if (rowsOfTurn) rowsOfTurn.push(row)
    else turns[turn] = [row]
  }
  return { turns, refused }
}

/** A record that a row without a key means. */
export interface Meant {
  id: string
  row: KeylessRow
}

/** A record that a row of the file means, and the first such row, or the first that has a channel. */
interface MeantBefore {
  id: string
  hasChannel: boolean
  company: string | null
  /** Digest of the values of a row without a channel. */
  values: string
  row: number
  line: number | undefined
}

/** Rows without a key of one import: some 300 MB of what is kept of them. */
const MOST_ROWS = 1_000_000

/** Records that rows without a key of one import mean so far, by their name. */
export class MeantRecords {
  readonly #byName = new Map<string, { rows: number; meant: MeantBefore[] }>()
  #rows = 0

  /** Counts a row. @returns how many of its name there are. @throws Error where there are too many */
  countRow(name: string): number {
    if (++this.#rows > MOST_ROWS) {
      throw new Error(
        `more than ${MOST_ROWS} rows have no id, externalId or slug: give them an externalId, or split the file`,
      )
    }
    const known = this.#byName.get(name) ?? { rows: 0, meant: [] }
    this.#byName.set(name, known)
    return ++known.rows
  }

  of(name: string): readonly MeantBefore[] {
    return this.#byName.get(name)?.meant ?? []
  }

  add({ id, row: { row, name, tells, company } }: Meant) {
    const meant = this.#byName.get(name)?.meant ?? []
    const at = meant.findIndex((one) => one.id === id)
    const hasChannel = tells.length > 0
    if (at >= 0 && (!hasChannel || meant[at]?.hasChannel)) return
    const values = hasChannel ? '' : digestOf(row)
    const one = { id, hasChannel, company, values, row: row.number, line: row.line }
    meant.splice(at < 0 ? meant.length : at, 1, one)
  }
}

const digestOf = ({ values }: CleanRow) =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64')

interface DecidedRows {
  /** Rows with the id of their record. */
  rows: CleanRow[]
  refusals: Finding[]
  meant: Meant[]
  seen: Seen
}

/** Decides which records rows mean, each of another name. */
export async function decideRows(
  connection: Connection,
  { matching }: RecordSchema,
  rows: readonly KeylessRow[],
  meantBefore: MeantRecords,
): Promise<DecidedRows> {
  const { position, namesakes } = await findNamesakes(connection, matching, rows)
  const namesakesOf = Map.groupBy(namesakes, ({ name }) => name)
  const names = rows.map(({ name }) => name)
  const decided: DecidedRows = {
    rows: [],
    refusals: [],
    meant: [],
    seen: { kind: matching.kind, position, names, ids: [] },
  }
  for (const row of rows) {
    const of = namesakesOf.get(row.name) ?? []
    const meant = decide(row, of, meantBefore.of(row.name), matching)
    if (typeof meant !== 'string') {
      decided.refusals.push(refusedRow(row.row, null, meant))
      continue
    }
    decided.rows.push(withId(row.row, meant, matching))
    decided.meant.push({ id: meant, row })
    decided.seen.ids.push(meant)
  }
  return decided
}

/**
 * Decides which record a row means.
 * @param namesakes stored records of its name, as `findNamesakes` returns them
 * @param before those that rows of the file mean
 * @returns the id of the record, which may be a new one, or why there is none
 */
function decide(
  row: KeylessRow,
  namesakes: readonly Namesake[],
  before: readonly MeantBefore[],
  matching: Matching,
): string | Reason {
  const [fit, ...others] = fitting(row, namesakes)
  if (fit) return others.length > 0 ? fitsSeveral([fit, ...others]) : fit.id
  if (row.tells.length === 0) {
    const [only, another] = atCompany(row, namesakes)
    if (only) {
      if (another) return notTold(namesakes, matching)
      const first = before.find(({ id }) => id === only.id)
      const isSame = !first?.values || first.values === digestOf(row.row)
      return isSame ? only.id : notTold([only], matching, placeOf(first))
    }
  }
  const accounted = before.filter(
    ({ hasChannel, company }) => hasChannel || isElsewhere(company, row.company),
  )
  if (accounted.length === (namesakes[0]?.count ?? 0)) return uuidV7()
  const left = namesakes.filter((one) => !accounted.some(({ id }) => id === one.id))
  return notTold(left.length > 0 ? left : namesakes, matching)
}

const isElsewhere = (company: string | null, other: string | null) =>
  company !== null && other !== null && company !== other

/** A telephone counts only in rows that have no other channel. */
function ownTells({ tells }: KeylessRow): readonly string[] {
  const own = tells.filter((tell) => !tell.startsWith('phone:'))
  return own.length > 0 ? own : tells
}

/** Records that have a value of the row. One that several have counts only where no value has a single holder. */
function fitting(row: KeylessRow, namesakes: readonly Namesake[]): Namesake[] {
  const holders = ownTells(row)
    .map((tell) => namesakes.filter(({ shared }) => shared.includes(tell)))
    .filter(({ length }) => length > 0)
  const sole = holders.filter(({ length }) => length === 1)
  return sole.length > 0 ? [...new Set(sole.flat())] : (holders[0] ?? [])
}

/** Records at the row's company, else those whose company isn't known; all of them where the row names none. */
function atCompany({ company }: KeylessRow, namesakes: readonly Namesake[]): readonly Namesake[] {
  if (company === null) return namesakes
  const there = namesakes.filter((one) => one.company === company)
  return there.length > 0 ? there : namesakes.filter((one) => one.company === null)
}

function withId({ values, ...row }: CleanRow, id: string, { channels }: Matching): CleanRow {
  const said = Object.entries(values).filter(
    ([field, value]) => value !== null || !channels.includes(field),
  )
  return { ...row, values: { ...Object.fromEntries(said), id } }
}

const fitsSeveral = (records: readonly Namesake[]): Reason => ({
  reason: `fits several records: ${listed(records)}; give the row the slug or id of the one that it means`,
  alike: 'fits several records',
})

/** @param namesakes that the row may mean. @param place of a row of the file that may be the same */
const notTold = (namesakes: readonly Namesake[], { words }: Matching, place?: string): Reason => ({
  reason: `can't be told from ${listed(namesakes)}${place ? `, which ${place} of this file means` : ''}: ${words}; give the row that record's slug or id, or, if it is another, an externalId`,
  alike: "can't be told from others",
})

function listed(records: readonly Namesake[]): string {
  const shown = records.slice(0, 2).map(({ label }) => label)
  const more =
    records.length > 1 ? Math.max(records.length, records[0]?.count ?? 0) - shown.length : 0
  return shown.join(' and ') + (more > 0 ? ` and ${more} more` : '')
}
