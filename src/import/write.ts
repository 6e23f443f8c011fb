/** Writes a batch: identified and stored whole or not at all. */
import { type Connection, type Database, errorCode } from '../database/client.ts'
import { identifyBatch } from './identify.ts'
import type { CleanRow, RecordSchema } from './schema.ts'
import type { KindSummary } from './summary.ts'

type Written = Pick<KindSummary, 'created' | 'updated' | 'unchanged' | 'refusals'>

const BATCH_DEADLINE_MS = 60_000
const MAX_ATTEMPTS = 5
/** Another writer was faster: a slug, a key or a company is not as it was when the rows were identified. */
const CONFLICT = /^(23505|23503|40001|40P01)$/

/**
 * Writes a batch, in several statements only where rows of it name the same record.
 * @param onWritten called with what each statement did, once it is committed.
 * @throws Error where the database does not take the batch; the message has no value of any row.
 */
export async function writeBatch(
  database: Database,
  schema: RecordSchema,
  batch: readonly CleanRow[],
  onWritten: (written: Written) => void,
): Promise<void> {
  let rest = batch
  for (let attempt = 1; rest.length > 0; ) {
    const part = rest
    try {
      const { written, rest: later } = await database.use(
        (connection) => writePart(connection, schema, part),
        { deadlineMs: BATCH_DEADLINE_MS },
      )
      onWritten(written)
      rest = later
      attempt = 1
    } catch (error) {
      const code = errorCode(error)
      if (!CONFLICT.test(code ?? '') || ++attempt > MAX_ATTEMPTS) {
        // The driver's error quotes rows, private channels among them: only its code leaves.
        if (code !== undefined) throw new Error(`the database did not take a batch (${code})`)
        // Without a code the message is this program's own.
        throw new Error(error instanceof Error ? error.message : 'unknown')
      }
    }
  }
}

/** Writes the rows up to the first that names a record again. @returns the rows from there on as `rest`. */
async function writePart(
  connection: Connection,
  schema: RecordSchema,
  batch: readonly CleanRow[],
): Promise<{ written: Written; rest: CleanRow[] }> {
  const { rows, refusals, rest } = await identifyBatch(connection, schema, batch)
  let counts = { created: 0, updated: 0 }
  if (rows.length > 0) {
    const input = rows.map(({ id, stored, values }) => {
      return { id, new: !stored, row: schema.table.rowOf(values), ...schema.details?.(values) }
    })
    const [row] = await connection.sql.unsafe<(typeof counts)[]>(schema.write, [
      JSON.stringify(input),
    ])
    counts = row ?? counts
  }
  const unchanged = rows.length - counts.created - counts.updated
  return { written: { ...counts, unchanged, refusals }, rest }
}
