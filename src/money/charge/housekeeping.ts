/** Housekeeping: periodic chores, and the one that deletes rows past their time (windows, sessions, links, idempotency keys). */
import type { Database } from '../../database/client.ts'
import type { Log } from '../../log.ts'

const EVERY_MS = 10 * 60_000

/** Runs each named chore every `everyMs` until stopped. Several instances may do so at once. */
export function keepHouse(
  chores: Readonly<Record<string, () => Promise<void>>>,
  log: Log,
  everyMs = EVERY_MS,
): { stop(): void } {
  const timer = setInterval(() => {
    for (const [chore, work] of Object.entries(chores)) {
      work().catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : ''
        log.warn('housekeeping failed', { chore, reason })
      })
    }
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

/** Deletes rows past their time, in one statement. */
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
      ), ended_sign_ins as (
        delete from pending_sign_ins where ends_at < meter_now()
      ), ended_invitations as (
        delete from invitations where ends_at < meter_now()
      ), ended_requests as (
        delete from privacy_requests
         where state = 'unconfirmed' and asked_at < meter_now() - interval '48 hours'
            or closed_at < meter_now() - interval '24 months'
      ), old_events as (
        delete from payment_events
         where at < meter_now() - interval '90 days' and (outcome = 'waiting' and dismissed_at is null) is not true
      ), old_days as (
        delete from request_days where day < ((meter_now() - interval '15 days') at time zone 'UTC')::date
      ), old_changes as (
        delete from journal where at < meter_now() - interval '30 days' returning change
      ), old_images as (
        delete from journal_entries where change in (select change from old_changes)
        returning record_id
      ), gone as (
        select distinct record_id as id from old_images i
         where not exists (select from redirects m where m.id = i.record_id)
           and not exists (select from companies t where t.id = i.record_id)
           and not exists (select from people t where t.id = i.record_id)
           and not exists (select from funding_rounds t where t.id = i.record_id)
      ), old_sources as (
        delete from record_sources where record_id in (select id from gone)
      ), old_pins as (
        delete from record_pins where record_id in (select id from gone)
      ), old_creations as (
        delete from journal_created where change in (select change from old_changes)
      )
      delete from rejected_keys where started_at < meter_now() - interval '1 hour'`,
    { deadlineMs: 30_000 },
  )
}
