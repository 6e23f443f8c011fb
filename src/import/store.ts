/** A batch planned and written: whole or not at all. */
import { type Connection, type Database, errorCode } from '../database/client.ts'
import type { Candidate, Kind } from './kind.ts'
import { planBatch } from './plan.ts'
import type { Refusal } from './summary.ts'

export interface Stored {
  created: number
  updated: number
  unchanged: number
  refusals: Refusal[]
}

/** The database did not take a batch. The message has no value of any row. */
export class NotStored extends Error {}

const BATCH_DEADLINE_MS = 60_000
const MOST_ATTEMPTS = 5
/** Another writer was faster: a slug, a key or a company that the plan relied on is not as it was. */
const OVERTAKEN = /^(23505|23503|40001|40P01)$/

/**
 * Writes a batch, in several statements only where rows of it speak of the same record.
 * @param onPart told what each statement did, once it is committed.
 * @throws NotStored
 */
export async function storeBatch(
  database: Database,
  kind: Kind,
  batch: readonly Candidate[],
  onPart: (stored: Stored) => void,
): Promise<void> {
  let rest = batch
  for (let attempt = 1; rest.length > 0; ) {
    const part = rest
    try {
      const { stored, rest: later } = await database.use(
        (connection) => storePart(connection, kind, part),
        { deadlineMs: BATCH_DEADLINE_MS },
      )
      onPart(stored)
      rest = later
      attempt = 1
    } catch (error) {
      const code = errorCode(error)
      if (!OVERTAKEN.test(code ?? '') || ++attempt > MOST_ATTEMPTS) {
        // The driver's error quotes rows, private channels among them: only its code leaves.
        throw new NotStored(reasonOf(error, code))
      }
    }
  }
}

function reasonOf(error: unknown, code: string | undefined): string {
  if (code !== undefined) return `the database did not take a batch (${code})`
  // Without a code the message is this program's own.
  return error instanceof Error ? error.message : 'unknown'
}

async function storePart(connection: Connection, kind: Kind, batch: readonly Candidate[]) {
  const { planned, refusals, rest } = await planBatch(connection, kind, batch)
  const counts = planned.length > 0 ? await write(connection, kind, planned) : NOTHING
  const unchanged = planned.length - counts.created - counts.updated
  return { stored: { ...counts, unchanged, refusals }, rest }
}

const NOTHING = { created: 0, updated: 0 }

async function write({ sql }: Connection, kind: Kind, planned: Parameters<Kind['input']>[0][]) {
  const rows = JSON.stringify(planned.map((one) => kind.input(one)))
  const [counts] = await sql.unsafe<{ created: number; updated: number }[]>(kind.write, [rows])
  return counts ?? NOTHING
}
