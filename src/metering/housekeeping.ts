/** Deletes what the meter no longer looks at: windows of rejected keys that ended, retries past their day. */
import type { Database } from '../database/client.ts'
import type { Log } from '../log.ts'

const EVERY_MS = 10 * 60_000

/** Cleans now and then until stopped. Instances may do so at once: a row is deleted by whoever comes first. */
export function keepHouse(database: Database, log: Log): { stop(): void } {
  const timer = setInterval(() => {
    clean(database).catch((error: unknown) => {
      log.warn('old rows were not deleted', { reason: error instanceof Error ? error.message : '' })
    })
  }, EVERY_MS)
  return { stop: () => clearInterval(timer) }
}

/** Deletes in one statement everything that no rule reads any more. */
export async function clean(database: Database): Promise<void> {
  await database.use(
    ({ sql }) => sql`
      with retries as (
        delete from idempotency_keys where charged_at < meter_now() - interval '24 hours'
      )
      delete from rejected_keys where started_at < meter_now() - interval '1 hour'`,
    { deadlineMs: 30_000 },
  )
}
