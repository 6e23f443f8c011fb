/** Daily figures of the service: new accounts, credits given and spent, calls by outcome. */
import type { Database } from '../../database/client.ts'

/** Days in UTC; today is one. */
export const FIGURE_DAYS = 14

/** Age up to which counted figures are reused, so that loading the page doesn't hold up charges. */
const KEPT_MS = 60_000
/** Deadline for the whole ledger of an earlier version, which is read until it is in the sums. */
const DEADLINE = { deadlineMs: 10_000 }

export interface DayFigures {
  /** `YYYY-MM-DD`, in UTC. */
  day: string
  newAccounts: number
  /** Credits of plans and top-ups that were given, whoever gave them; and of trials and referrals. */
  sold: number
  givenFree: number
  /** Credits that were charged. */
  spent: number
  /** Calls of the API by their outcome, as far as the log of requests is kept. */
  charged: number
  free: number
  refused: number
  failed: number
}

const cache = new WeakMap<Database, { sinceMs: number; days: Promise<DayFigures[]> }>()

/** Every day, the newest first, as counted within the last minute. @throws DatabaseUnavailable */
export function figuresByDay(database: Database): Promise<DayFigures[]> {
  const nowMs = performance.now()
  const cached = cache.get(database)
  if (cached && nowMs - cached.sinceMs < KEPT_MS) return cached.days
  const days = countFigures(database)
  cache.set(database, { sinceMs: nowMs, days })
  days.catch(() => cache.delete(database))
  return days
}

/** Counts them now: the sums of days, entries of the ledger that are not in them yet, and grants. */
export function countFigures(database: Database): Promise<DayFigures[]> {
  return database.use(
    ({ sql }) => sql<DayFigures[]>`
      with days as materialized (
        select utc_day(meter_now()) - ago as day from generate_series(0, ${FIGURE_DAYS - 1}::integer) ago
      ), bounds as materialized (
        select utc_start(min(day)) as since from days
      ), made as (
        select utc_day(created_at) as day, count(*) as accounts
          from accounts where created_at >= (select since from bounds) group by 1
      ), granted as (
        select utc_day(created_at) as day,
               sum(amount) filter (where source in ('plan', 'topup')) as sold,
               sum(amount) filter (where source not in ('plan', 'topup')) as given_free
          from credit_grants where created_at >= (select since from bounds) group by 1
      ), rest as (
        select * from service_unsummed((select since from bounds))
      )
      select to_char(d.day, 'YYYY-MM-DD') as day,
             coalesce(made.accounts, 0)::double precision as "newAccounts",
             coalesce(granted.sold, 0)::double precision as sold,
             coalesce(granted.given_free, 0)::double precision as "givenFree",
             (coalesce(s.spent, 0) + coalesce(rest.spent, 0))::double precision as spent,
             coalesce(s.charged, 0)::double precision as charged,
             coalesce(s.free, 0)::double precision as free,
             coalesce(s.refused, 0)::double precision as refused,
             coalesce(s.failed, 0)::double precision as failed
        from days d
        left join made on made.day = d.day
        left join granted on granted.day = d.day
        left join service_days s on s.day = d.day
        left join rest on rest.day = d.day
       order by d.day desc`,
    DEADLINE,
  )
}
