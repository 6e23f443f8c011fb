/**
 * Rows without id, externalId and slug get the id of the record that they mean:
 *
 * 1. the one of their name that has one of their channels: e-mail, LinkedIn, Telegram, X handle (of companies: domain, X handle),
 * 2. without a channel, the only one of their name, for people at their company,
 * 3. a new one, where no other record has the name than those that rows of the file mean by a channel or at another company.
 *
 * Other rows are refused, and what they may mean is named. A telephone, which people share, counts in rows that have no other
 * channel. Rows are decided in the order of the file, those with a telephone or a name alone behind all others, and none of them clears a
 * channel: a blank may be another row's. The same file again changes nothing, so a row is refused that would take away by what
 * a row above it is known.
 */
import { createHash } from 'node:crypto'
import type { Connection } from '../../database/client.ts'
import type { Values } from './fields/types.ts'
import { refusedRow } from './findings.ts'
import { findNamesakes, type KeylessRow, type Namesake, type Seen } from './namesakes.ts'
import type { CleanRow, Matching, RecordSchema } from './schema.ts'
import { type Finding, placeOf, type Reason } from './summary.ts'
import { uuidV7 } from './uuid-v7.ts'

/** Tells whether values have a key. A slug of null says that the record has none. */
export const hasKey = ({ id, externalId, slug }: Values) =>
  id !== undefined || externalId !== undefined || typeof slug === 'string'

/**
 * Rank of a row in its file: 0 with a key or a channel, and of kinds without channels; 1 with a telephone alone; 2 with nothing but
 * its name. Rows of a higher rank are decided behind all others, so that their place in the file decides nothing.
 */
export function rankOf({ matching: { channels } }: RecordSchema, { values }: CleanRow): number {
  if (channels.length === 0 || hasKey(values)) return 0
  const said = channels.filter((field) => (values[field] ?? null) !== null)
  if (said.length === 0) return 2
  return said.every((field) => field === 'phone') ? 1 : 0
}

/** Rows of one name are looked up one by one, among all records of that name. */
const MOST_OF_ONE_NAME = 1_000
export const TOO_MANY: Reason = {
  reason: `more than ${MOST_OF_ONE_NAME} rows without a key have this name; give each an externalId`,
}

/** Parts with one row of a name each: a row finds the records that those before it made. */
export function inTurns(rows: readonly KeylessRow[]): KeylessRow[][] {
  const counts = new Map<string, number>()
  const turns = Map.groupBy(rows, ({ name }) => {
    const turn = counts.get(name) ?? 0
    counts.set(name, turn + 1)
    return turn
  })
  return [...turns.values()]
}

/** A row of the file without a key, as later rows of its name are compared with it. */
interface RowBefore {
  /** Its record; none or several where it was refused because it may mean others. */
  ids: readonly string[]
  tells: readonly string[]
  company: string | null
  /** Digest of the values of a row without a channel. */
  values: string
  row: number
  line: number | undefined
}

/** Rows without a key of one import: some 500 MB of what is kept of them. */
const MOST_ROWS = 1_000_000

/** Rows without a key of one import so far, by their name. */
export class RowsBefore {
  readonly #byName = new Map<string, { count: number; rows: RowBefore[] }>()
  #count = 0

  /** Counts a row. @returns false where too many have its name. @throws Error where there are too many in all */
  countRow({ name }: KeylessRow): boolean {
    if (++this.#count > MOST_ROWS) {
      throw new Error(
        `more than ${MOST_ROWS} rows have no id, externalId or slug: give them an externalId, or split the file`,
      )
    }
    const known = this.#byName.get(name) ?? { count: 0, rows: [] }
    this.#byName.set(name, known)
    return ++known.count <= MOST_OF_ONE_NAME
  }

  of(name: string): readonly RowBefore[] {
    return this.#byName.get(name)?.rows ?? []
  }

  add({ row, ids }: DecidedRow) {
    const { name, tells, company, number, line } = row
    const values = tells.length > 0 ? '' : digestOf(row)
    this.#byName.get(name)?.rows.push({ ids, tells, company, values, row: number, line })
  }
}

const digestOf = ({ values }: CleanRow) =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64')

/** A row with the id of its record; with none or several it is refused. */
export interface DecidedRow {
  row: KeylessRow
  ids: readonly string[]
}

interface DecidedRows {
  /** Rows with the id of their record. */
  rows: CleanRow[]
  refusals: Finding[]
  decided: DecidedRow[]
  seen: Seen
}

/** Decides which records rows mean, each of another name. */
export async function decideRows(
  connection: Connection,
  { matching }: RecordSchema,
  rows: readonly KeylessRow[],
  rowsBefore: RowsBefore,
): Promise<DecidedRows> {
  const known = rows.flatMap((row) =>
    rowsBefore.of(row.name).flatMap(({ ids, tells }) => {
      const isAlike = tells.some((tell) => row.tells.includes(tell))
      return isAlike ? ids.map((id) => ({ name: row.name, id })) : []
    }),
  )
  const { position, namesakes } = await findNamesakes(connection, matching, rows, known)
  const namesakesOf = Map.groupBy(namesakes, ({ name }) => name)
  const names = rows.map(({ name }) => name)
  const done: DecidedRows = {
    rows: [],
    refusals: [],
    decided: [],
    seen: { kind: matching.kind, position, names, ids: [] },
  }
  for (const row of rows) {
    const of = namesakesOf.get(row.name) ?? []
    const { ids, reason } = decide(row, of, rowsBefore.of(row.name), matching)
    done.decided.push({ row, ids })
    const [id] = ids
    if (reason || id === undefined) {
      done.refusals.push(refusedRow(row, null, reason ?? notTold(of, matching)))
      continue
    }
    done.rows.push(withId(row, id, matching))
    done.seen.ids.push(id)
  }
  return done
}

interface Decision {
  ids: readonly string[]
  /** Reason of a refusal. */
  reason?: Reason
}

/**
 * Decides which record a row means.
 * @param namesakes stored records of its name, as `findNamesakes` returns them
 * @param before rows of its name that the file has above it
 */
function decide(
  row: KeylessRow,
  namesakes: readonly Namesake[],
  before: readonly RowBefore[],
  matching: Matching,
): Decision {
  const refused = (records: readonly Namesake[], by?: RowBefore): Decision => ({
    ids: [],
    reason: notTold(records, matching, by),
  })
  const settled = (record: Namesake | undefined): Decision => {
    const unsettled = unsettledBy(row, record, before)
    if (!unsettled) return { ids: [record?.id ?? uuidV7()] }
    const its = namesakes.filter(({ id }) => unsettled.ids.includes(id))
    return refused(its.length > 0 ? its : namesakes, unsettled)
  }
  const [fit, ...others] = fitting(row, namesakes, before)
  if (fit && others.length > 0) {
    const several = [fit, ...others]
    return { ids: several.map(({ id }) => id), reason: fitsSeveral(several) }
  }
  if (fit) return settled(fit)
  if (row.tells.length === 0) {
    const [only, another] = atCompany(row, namesakes)
    if (another) return refused(namesakes)
    if (only) {
      const rows = before.filter((one) => means(one, only.id))
      const [first] = rows
      const isSame = !first || rows.some(hasChannel) || first.values === digestOf(row)
      return isSame ? settled(only) : refused([only], first)
    }
  }
  const accounted = new Set(
    before
      .filter((one) => hasChannel(one) || isElsewhere(one.company, row.company))
      .flatMap(({ ids }) => (ids.length === 1 ? ids : [])),
  )
  if (accounted.size === (namesakes[0]?.count ?? 0)) return settled(undefined)
  const left = namesakes.filter(({ id }) => !accounted.has(id))
  return refused(left.length > 0 ? left : namesakes)
}

const hasChannel = ({ tells }: RowBefore) => tells.length > 0

const means = ({ ids }: RowBefore, id: string | undefined) => ids.length === 1 && ids[0] === id

const isElsewhere = (company: string | null, other: string | null) =>
  company !== null && other !== null && company !== other

/**
 * Finds a row above that would mean something else, if this row changed its record: the same file would bring something else
 * when it is imported again.
 * @param record the row's; undefined for a new one
 */
function unsettledBy(
  row: KeylessRow,
  record: Namesake | undefined,
  before: readonly RowBefore[],
): RowBefore | undefined {
  if (row.tells.length === 0) {
    const isMoved = row.company !== null && row.company !== record?.company
    return before.find((one) => {
      if (hasChannel(one)) return false
      if (one.ids.length === 1) return one.company === null && record === undefined
      return isMoved && one.company === row.company
    })
  }
  const added = row.tells.filter((tell) => !record?.shared.includes(tell))
  const same = before.filter((one) => means(one, record?.id))
  const latest = new Map(
    [...same, row].flatMap(({ tells }) => tells.map((tell) => [fieldOf(tell), tell])),
  )
  return before.find((one) => {
    if (!hasChannel(one)) return false
    const own = ownTells(one)
    if (means(one, record?.id)) return !own.some((tell) => latest.get(fieldOf(tell)) === tell)
    if (one.ids.length === 1) return false
    const isCandidate = record !== undefined && one.ids.includes(record.id)
    return added.some((tell) => isCandidate || own.includes(tell))
  })
}

const fieldOf = (tell: string) => tell.slice(0, tell.indexOf(':'))

/** A telephone counts only in rows that have no other channel. */
function ownTells({ tells }: Pick<KeylessRow, 'tells'>): readonly string[] {
  const own = tells.filter((tell) => !tell.startsWith('phone:'))
  return own.length > 0 ? own : tells
}

/**
 * Records that have a value of the row, or had it by a row above. A value that several have counts only where no value has a
 * single holder.
 */
function fitting(
  row: KeylessRow,
  namesakes: readonly Namesake[],
  before: readonly RowBefore[],
): Namesake[] {
  const holders = ownTells(row)
    .map((tell) =>
      namesakes.filter(
        ({ id, shared }) =>
          shared.includes(tell) || before.some((one) => means(one, id) && one.tells.includes(tell)),
      ),
    )
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

/** @param namesakes that the row may mean. @param by row of the file that may be the same */
function notTold(namesakes: readonly Namesake[], { words }: Matching, by?: RowBefore): Reason {
  const verb = by?.ids.length === 1 ? 'means' : 'may mean'
  const place = by ? `, which ${placeOf(by)} of this file ${verb}` : ''
  return {
    reason: `can't be told from ${listed(namesakes)}${place}: ${words}; give the row that record's slug or id, or, if it is another, an externalId`,
    alike: "can't be told from others",
  }
}

function listed(records: readonly Namesake[]): string {
  const shown = records.slice(0, 2).map(({ label }) => label)
  const more =
    records.length > 1 ? Math.max(records.length, records[0]?.count ?? 0) - shown.length : 0
  return shown.join(' and ') + (more > 0 ? ` and ${more} more` : '')
}
