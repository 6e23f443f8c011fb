/**
 * Rows whose key is that of a record with another name. It may have been renamed; or the key was cut, rounded or given anew, and the row
 * is of somebody else.
 */
import type { Connection } from '../../database/client.ts'
import type { Values } from './fields/types.ts'
import { findingOf } from './findings.ts'
import type { CleanRow, IdentifiedRow, RecordSchema, StoredRecord } from './schema.ts'
import type { Finding } from './summary.ts'

/** A row as its file has it, and as it was identified. */
interface Pair {
  given: CleanRow
  row: IdentifiedRow
}

/**
 * Warns of rows that give a record another name, and refuses those that would put somebody else into a record for which accounts have
 * paid: no word of the name is the same, and no channel that tells people apart.
 * @param rows identified by a key that each has in its file
 * @param given the same rows before values were taken from them that are pinned, and others
 */
export async function checkNames(
  connection: Connection,
  schema: RecordSchema,
  rows: readonly IdentifiedRow[],
  given: readonly CleanRow[],
): Promise<{ rows: IdentifiedRow[]; refusals: Finding[] }> {
  const givenRows = new Map(given.map((row) => [row.number, row]))
  const pairs = rows.map((row): Pair => {
    return { row, given: givenRows.get(row.source.number) ?? row.source }
  })
  const replaced = await findReplaced(connection, schema, pairs)
  return {
    rows: pairs.flatMap((pair) => (replaced.has(pair) ? [] : withWarning(pair.row, schema))),
    refusals: [...replaced].map((pair) => refusalOf(pair, schema)),
  }
}

/** The names of a record and of a row, where they are not the same. */
function namesOf({ stored }: IdentifiedRow, values: Values, { slugSources }: RecordSchema) {
  if (!stored) return undefined
  const [before] = slugSources(nameIn(stored))
  const [after] = slugSources({ ...nameIn(stored), ...values })
  if (typeof before !== 'string' || typeof after !== 'string' || before === after) return undefined
  const [words, others] = [wordsOf(before), wordsOf(after)]
  if (words.length === 0 || words.join('') === others.join('')) return undefined
  return { before, after, areUnlike: !words.some((word) => others.includes(word)) }
}

const nameIn = ({ name, firstName, lastName }: StoredRecord): Values => ({
  name,
  firstName,
  lastName,
})

/** The words of a name without case, accents and marks. */
const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** The key by which a row names its record. */
const keyOf = ({ id, externalId }: Values) =>
  id !== undefined ? 'id' : externalId !== undefined ? 'externalId' : 'slug'

async function findReplaced(
  { sql }: Connection,
  schema: RecordSchema,
  pairs: readonly Pair[],
): Promise<ReadonlySet<Pair>> {
  const { replaced, table, details } = schema
  if (replaced === undefined) return new Set()
  const suspects = pairs.filter(({ row, given }) => namesOf(row, given.values, schema)?.areUnlike)
  if (suspects.length === 0) return new Set()
  const asked = suspects.map(({ row: { id }, given: { values } }) => {
    return { id, row: table.rowOf(values), ...details?.(values) }
  })
  const places = await sql.unsafe<{ place: number }[]>(replaced, [JSON.stringify(asked)])
  return new Set(places.flatMap(({ place }) => suspects[place] ?? []))
}

function refusalOf({ row: { stored }, given }: Pair, { slugSources }: RecordSchema): Finding {
  const field = keyOf(given.values)
  const [name] = stored ? slugSources(nameIn(stored)) : []
  return findingOf('refused', given, {
    field,
    message: `is that of ${name}, for whom accounts have paid, and neither a name nor a channel is the same: give the row a key of its own or, if it is the same person, set the new name by \`person set\` first`,
    part: given.values[field],
    alike: 'is that of another person, for whom accounts have paid',
  })
}

function withWarning(row: IdentifiedRow, schema: RecordSchema): IdentifiedRow {
  const { source } = row
  const names = namesOf(row, source.values, schema)
  if (!names) return row
  const key = keyOf(source.values)
  const finding = findingOf('warning', source, {
    field: undefined,
    message: `its ${key} was that of ${names.before} and is that of ${names.after} now: if these are two, give each a key of its own`,
    part: source.values[key],
    alike: `its ${key} was that of a record with another name`,
  })
  return { ...row, source: { ...source, warnings: [...(source.warnings ?? []), finding] } }
}
