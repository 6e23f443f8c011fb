/** Overview of an account in one statement: pace, calls by day, latest errors, keys. */
import type { Database } from '../../database/client.ts'
import { lastDays } from './ledger.ts'
import { type DayOfCalls, entriesOf, type RequestEntry } from './requests.ts'

export interface Overview {
  /** Credits charged in the last `days` days: up to seven with today (UTC), fewer for a young account. */
  pace: { credits: number; days: number }
  /** API calls of the last 14 days (UTC); days without calls are absent. */
  days: DayOfCalls[]
  /** Newest first. */
  errors: RequestEntry[]
  /** Keys in force, newest first. `usedAt` is the latest call in the request log. */
  keys: { id: string; label: string; prefix: string; usedAt: string | null }[]
  openPayments: number
  openInvitations: number
  /** A key has made a charged call. */
  hasCalled: boolean
}

const PACE_DAYS = 7
export const SHOWN_DAYS = 14
const SHOWN_ERRORS = 5
const SHOWN_KEYS = 5

type Row = Omit<Overview, 'errors'> & { errors: Parameters<typeof entriesOf>[0] }

/** @returns undefined where there is no such account. */
export async function overviewOf(database: Database, id: string): Promise<Overview | undefined> {
  const [row] = await database.use(({ sql }) => {
    const today = sql`(meter_now() at time zone 'UTC')::date`
    const paceStart = lastDays(sql, PACE_DAYS)
    return sql<Row[]>`
      with days as (
        select day, sum(charged) as charged, sum(free) as free, sum(refused) as refused, sum(failed) as failed
          from (select day, charged, free, refused, failed from request_days where account_id = ${id}
                 union all
                select (began_at at time zone 'UTC')::date, charged, free, refused, failed
                  from request_chunks where account_id = ${id}) counted
         where day > ${today} - ${SHOWN_DAYS}::integer
         group by day order by day
      ), errors as (
        select began_at as "beganAt", key_id as id, coalesce(prefix, '') as prefix, coalesce(label, '') as label, calls
          from request_chunks c left join api_keys k on k.id = c.key_id
         where c.account_id = ${id} and c.refused + c.failed > 0
         order by c.sequence desc limit ${SHOWN_ERRORS}::integer
      ), keys as (
        select k.id, k.label, k.prefix, used.at as "usedAt"
          from api_keys k
          left join (select key_id, max(began_at) as at from request_chunks
                      where account_id = ${id} group by key_id) used on used.key_id = k.id
         where k.account_id = ${id} and k.environment <> 'web' and key_in_force(k.revoked_at, k.expires_at, meter_now())
         order by k.created_at desc, k.id limit ${SHOWN_KEYS}::integer
      )
      select json_build_object(
               'credits', (select coalesce(sum(credits), 0) from ledger_use(${id}, ${paceStart})),
               'days', extract(epoch from meter_now() - greatest(a.created_at, ${paceStart})) / 86400) as pace,
             (select coalesce(json_agg(days), '[]') from days) as days,
             (select coalesce(json_agg(errors), '[]') from errors) as errors,
             (select coalesce(json_agg(keys), '[]') from keys) as keys,
             (select count(*)::integer from payments p
               where p.account_id = a.id and p.state = 'open') as "openPayments",
             (select count(*)::integer from invitations i
               where i.account_id = a.id and i.ends_at > meter_now()) as "openInvitations",
             exists (select from ledger_days where account_id = a.id and key_id not in (a.id, no_key()))
               or exists (
                 select from ledger
                  where account_id = a.id and kind = 'charge' and key_id <> a.id
                    and sequence > coalesce((select sequence from ledger_folds where account_id = a.id), 0)) as "hasCalled"
        from accounts a where a.id = ${id}`
  })
  if (!row) return undefined
  const errors = entriesOf(row.errors).filter(({ status }) => status >= 400)
  return { ...row, errors: errors.slice(0, SHOWN_ERRORS) }
}
