/** People who were erased at their own request: no row brings them back. */
import postgres from 'postgres'
import type { Connection } from '../../database/client.ts'
import { scalar } from '../../database/scalar.ts'
import type { CleanRow, RecordSchema } from './schema.ts'

/** What tells a person; `erasure_tells` in `drizzle/functions/intake/erasures.sql` reads it by column. */
const TELLING = [
  'id',
  'externalId',
  'twitterHandle',
  'email',
  'phone',
  'telegram',
  'linkedinUrl',
].map((field) => [field, postgres.fromCamel(field)] as const)

export interface ErasedRows {
  /** The last erasure that was looked at; null where the rows are no people. `INPUT` takes it. */
  seen: number | null
  /** The places, from 0, of rows that tell an erased person. */
  places: ReadonlySet<number>
}

/** Looks which of these rows tell an erased person. Hashes are made where their key is: in the database. */
export async function findErased(
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
