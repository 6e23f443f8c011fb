/** Writes a batch: identified and stored whole or not at all. */
import postgres from 'postgres'
import { type Connection, type Database, errorCode } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import { textArray } from '../../database/text-array.ts'
import type { Change } from './change.ts'
import { differencesOf, onlyOnCopies } from './dry-run.ts'
import { refusedRow } from './findings.ts'
import { checkNames, identifyBatch } from './identify.ts'
import { type DecidedRow, decideRows, hasKey, inTurns, RowsBefore, TOO_MANY } from './keyless.ts'
import { type KeylessRow, nameRows, type Seen } from './namesakes.ts'
import type { CleanRow, RecordSchema } from './schema.ts'
import { runAsJson, type SourceRun } from './source-run.ts'
import { runPlanned } from './statements.ts'
import {
  type Difference,
  ERASED,
  type Finding,
  type KindSummary,
  MOST_DIFFERENCES_KEPT,
} from './summary.ts'

/**
 * Rows with a key, or rows without, each of another name. `seen` is the state of names by which rows with a key were
 * identified, which must still hold when they are written.
 */
type Part =
  | { rows: readonly CleanRow[]; seen?: Seen | undefined }
  | { keyless: readonly KeylessRow[] }

/** Result of one statement, with the findings of its rows. */
type Written = Pick<KindSummary, 'created' | 'updated' | 'unchanged' | 'warned' | 'pinned'> & {
  findings: Finding[]
  /** Names of refused rows without a key: the source may have any record of these. */
  refusedNames: string[]
}

const NOTHING_WRITTEN = { created: 0, updated: 0, unchanged: 0, warned: 0, pinned: 0 }

const BATCH_DEADLINE_MS = 60_000
const MAX_ATTEMPTS = 5
/** SQLSTATE of `refuse_change` in `drizzle/functions/intake/journal.sql`, whose reasons have no value of any row. */
export const REFUSED = 'CK409'
/** SQLSTATEs of a faster writer: a slug, key or company is not as it was when the rows were identified. */
const CONFLICT = /^(23505|23503|40001|40P01)$/

/** The kind and mode of a write. */
interface Writing {
  schema: RecordSchema
  isStrict: boolean
  /** Change of the journal to which the batches belong. */
  change: Change
  /** Run of the source. */
  run?: SourceRun | undefined
  /** Rows without a key so far; absent where all rows have one. */
  before?: RowsBefore | undefined
  /** Fields that a change by hand pins; existing pins don't hold it back. */
  pins?: readonly string[] | undefined
  /** Collects the changes of a dry run. */
  differences?: Difference[] | undefined
}

/**
 * Writes a batch: rows with a key, then the others in turns.
 * @throws Error as `writePart`
 */
export async function writeRows(
  database: Database,
  writing: Writing,
  rows: readonly CleanRow[],
  onWritten: (written: Written) => void,
): Promise<void> {
  const { schema } = writing
  const keyless = rows.filter(({ values }) => !hasKey(values))
  const named = await database
    .use((connection) => nameRows(connection, schema, keyless), { deadlineMs: BATCH_DEADLINE_MS })
    .catch(withoutValues)
  const numbers = new Set(named.map(({ number }) => number))
  // A row without a name is refused for that, like one that has a key.
  const others = rows.filter(({ number }) => !numbers.has(number))
  await writeBatch(database, writing, { rows: others }, onWritten)
  const before = writing.before ?? new RowsBefore()
  const few = new Set(named.filter((row) => before.countRow(row)))
  const refused = named.filter((row) => !few.has(row))
  const findings = refused.map((row) => refusedRow(row, null, TOO_MANY))
  const refusedNames = refused.map(({ name }) => name)
  if (refused.length > 0) onWritten({ ...NOTHING_WRITTEN, findings, refusedNames })
  for (const keyless of inTurns([...few]))
    await writeBatch(database, writing, { keyless }, onWritten)
}

/**
 * Writes rows, in several statements only where some of them name the same record.
 * @param onWritten called with the result of each statement, once it is committed
 * @throws Error where the database does not take the rows; the message has no value of any. Outdated where `seen` no longer
 * holds: nothing is written then
 */
export async function writeBatch(
  database: Database,
  writing: Writing,
  batch: Part,
  onWritten: (written: Written) => void,
): Promise<void> {
  let rest = batch
  // Rows without a key match by name, and by hand a record may get another name.
  const hasKeys = 'rows' in batch && writing.pins === undefined
  for (let attempt = 1; rowsOf(rest).length > 0; ) {
    const part = rest
    try {
      const {
        written,
        met,
        decided,
        rest: later,
      } = await database.use((connection) => writePart(connection, writing, part, hasKeys), {
        deadlineMs: BATCH_DEADLINE_MS,
      })
      writing.run?.met[writing.schema.matching.kind].add(met)
      const ids = new Set(met)
      for (const one of decided) {
        if (one.ids.length !== 1 || one.ids.some((id) => ids.has(id))) writing.before?.add(one)
      }
      onWritten(written)
      rest = { rows: later }
      attempt = 1
    } catch (error) {
      if (error instanceof Outdated && 'seen' in part && part.seen) throw error
      const code = errorCode(error)
      const isOvertaken = error instanceof Outdated || CONFLICT.test(code ?? '')
      if (!isOvertaken || ++attempt > MAX_ATTEMPTS) withoutValues(error)
    }
  }
}

/** Passes on the error's code alone: the driver's message quotes rows, private channels among them. @throws Error */
function withoutValues(error: unknown): never {
  const code = errorCode(error)
  if (code === REFUSED) throw error
  if (code !== undefined) throw new Error(`the database did not take a batch (${code})`)
  // Without a code the message is this program's own.
  throw new Error(error instanceof Error ? error.message : 'unknown')
}

const rowsOf = (batch: Part) => ('keyless' in batch ? batch.keyless : batch.rows)

/** A namesake changed, or a person was erased, after the rows were identified. */
export class Outdated extends Error {}

/**
 * Writes the rows up to the first that names a record again.
 * @param hasKeys true where the file gave the keys
 * @returns the records' ids, and the remaining rows as `rest`
 */
async function writePart(
  connection: Connection,
  { schema, isStrict, change, run, before, pins, differences }: Writing,
  batch: Part,
  hasKeys: boolean,
): Promise<{ written: Written; met: string[]; decided: readonly DecidedRow[]; rest: CleanRow[] }> {
  // Erased people go first: they are nobody's namesakes.
  const erased = await findErased(connection, schema, rowsOf(batch))
  const isKept = (_row: CleanRow, place: number) => !erased.places.has(place)
  const { seen, decided, ...named } =
    'keyless' in batch
      ? await decideRows(
          connection,
          schema,
          batch.keyless.filter(isKept),
          before ?? new RowsBefore(),
        )
      : { rows: batch.rows.filter(isKept), refusals: [], decided: [], seen: batch.seen ?? null }
  const identified = await identifyBatch(
    connection,
    schema,
    named.rows,
    isStrict,
    pins !== undefined,
  )
  const { rest } = identified
  const { rows, refusals } = hasKeys
    ? await checkNames(connection, schema, identified.rows)
    : { rows: identified.rows, refusals: [] }
  const warnings = rows.map(({ source }) => source.warnings ?? [])
  const ofErased = rowsOf(batch).filter((_row, place) => erased.places.has(place))
  const refused = [
    ...ofErased.map((row) => refusedRow(row, null, { reason: ERASED })),
    ...named.refusals,
    ...identified.refusals,
    ...refusals,
  ]
  const findings = [...refused, ...warnings.flat()]
  let counts = { created: 0, updated: 0, outdated: false }
  if (rows.length > 0) {
    const input = JSON.stringify(
      rows.map(({ id, stored, values }) => {
        return { id, new: !stored, row: schema.table.rowOf(values), ...schema.details?.(values) }
      }),
    )
    const most = MOST_DIFFERENCES_KEPT - (differences?.length ?? MOST_DIFFERENCES_KEPT)
    if (differences && most > 0) {
      differences.push(...(await differencesOf(connection, schema, rows, input, most)))
    }
    const statement = differences ? onlyOnCopies(schema.write) : schema.write
    const [row] = await runPlanned<typeof counts>(connection, statement, [
      input,
      seen && JSON.stringify(seen),
      JSON.stringify(change),
      run ? runAsJson(run, schema) : null,
      identified.pinsSeen,
      erased.seen,
      pins ? textArray(pins) : null,
    ])
    counts = row ?? counts
  }
  const { created, updated, outdated } = counts
  if (outdated) throw new Outdated('other imports keep changing records of the same names')
  return {
    written: {
      created,
      updated,
      unchanged: rows.length - created - updated,
      warned: warnings.filter(({ length }) => length > 0).length,
      pinned: rows.reduce((sum, row) => sum + row.pinned, 0),
      findings,
      refusedNames: 'keyless' in batch ? namesOfRefused(batch.keyless, refused) : [],
    },
    met: rows.map(({ id }) => id),
    decided,
    rest,
  }
}

/** An erased person has no record. */
function namesOfRefused(rows: readonly KeylessRow[], refused: readonly Finding[]): string[] {
  const numbers = new Set(refused.filter(({ reason }) => reason !== ERASED).map(({ row }) => row))
  return rows.filter(({ number }) => numbers.has(number)).map(({ name }) => name)
}

/** Fields that identify a person; `erasure_tells` in `drizzle/functions/intake/erasures.sql` reads them by column. */
const TELLING = [
  'id',
  'externalId',
  'twitterHandle',
  'email',
  'phone',
  'telegram',
  'linkedinUrl',
].map((field) => [field, postgres.fromCamel(field)] as const)

interface ErasedRows {
  /** Number of the last erasure that was checked; null where the rows are no people. `INPUT` takes it. */
  seen: number | null
  /** Indexes of rows that identify an erased person. */
  places: ReadonlySet<number>
}

/** Finds rows of erased people, whom no row brings back. Hashes are made in the database, where their key is. */
async function findErased(
  { sql }: Connection,
  { matching }: RecordSchema,
  rows: readonly CleanRow[],
): Promise<ErasedRows> {
  if (matching.kind !== 'person') return { seen: null, places: NONE }
  const seen = (await scalar<number>(sql`select max(sequence)::float8 from erasures`)) ?? 0
  if (seen === 0) return { seen, places: NONE }
  const given = rows.map(({ values }) =>
    Object.fromEntries(TELLING.map(([field, column]) => [column, values[field] ?? undefined])),
  )
  const found = await sql.unsafe<{ place: number }[]>(
    'select place from erased_among($1::text::jsonb)',
    [JSON.stringify(given)],
  )
  return { seen, places: new Set(found.map(({ place }) => place)) }
}

const NONE: ReadonlySet<number> = new Set()
