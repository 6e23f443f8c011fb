/** Deletes rows that no rule reads any more: windows, sessions and links that ended, idempotency keys past their day. */
import type { Database } from '../database/client.ts'
import type { Log } from '../log.ts'

const EVERY_MS = 10 * 60_000

/** Cleans every ten minutes until stopped. Several instances may do so at once. */
export function keepHouse(database: Database, log: Log): { stop(): void } {
  const timer = setInterval(() => {
    clean(database).catch((error: unknown) => {
      log.warn('old rows were not deleted', { reason: error instanceof Error ? error.message : '' })
    })
  }, EVERY_MS)
  return { stop: () => clearInterval(timer) }
}

/** Deletes all of them in one statement. */
export async function clean(database: Database): Promise<void> {
  await database.use(
    ({ sql }) => sql`
      with retries as (
        delete from idempotency_keys where charged_at < meter_now() - interval '24 hours'
      ), ended_windows as (
        delete from turns where ends_at < meter_now()
      ), ended_sessions as (
        delete from sessions where ends_at < meter_now()
      ), ended_links as (
        delete from user_links where ends_at < meter_now()
      ), ended_invitations as (
        delete from invitations where ends_at < meter_now()
      ), old_events as (
        delete from payment_events
         where at < meter_now() - interval '90 days' and (outcome = 'waiting' and dismissed_at is null) is not true
      )
      delete from rejected_keys where started_at < meter_now() - interval '1 hour'`,
    { deadlineMs: 30_000 },
  )
}
