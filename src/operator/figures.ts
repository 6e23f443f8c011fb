/** What the whole service did by day: accounts made, credits given and spent, calls by outcome. */
import type { Database } from '../database/client.ts'

/** Days in UTC; today is one. */
export const FIGURE_DAYS = 14

/** How long figures are shown again before they are counted anew: an operator who loads a page holds up no charges. */
const KEPT_MS = 60_000
/** They are read from whole tables, so a large service may take a while. */
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

const kept = new WeakMap<Database, { sinceMs: number; days: Promise<DayFigures[]> }>()

/** Every day, the newest first, as counted within the last minute. @throws DatabaseUnavailable */
export function figuresByDay(database: Database): Promise<DayFigures[]> {
  const nowMs = performance.now()
  const known = kept.get(database)
  if (known && nowMs - known.sinceMs < KEPT_MS) return known.days
  const days = countFigures(database)
  kept.set(database, { sinceMs: nowMs, days })
  days.catch(() => kept.delete(database))
  return days
}

/** Counts them now. Charges are read from the sums of days and, behind these, from the ledger (D163). */
export function countFigures(database: Database): Promise<DayFigures[]> {
  return database.use(
    ({ sql }) => sql<DayFigures[]>`
      with days as materialized (
        select utc_day(meter_now()) - ago as day, utc_start(utc_day(meter_now()) - ${FIGURE_DAYS - 1}::integer) as since
          from generate_series(0, ${FIGURE_DAYS - 1}::integer) ago
      ), bounds as materialized (
        select min(day) as first, min(since) as since from days
      ), made as (
        select utc_day(created_at) as day, count(*) as accounts
          from accounts where created_at >= (select since from bounds) group by 1
      ), given as (
        select utc_day(created_at) as day,
               sum(amount) filter (where source in ('plan', 'topup')) as sold,
               sum(amount) filter (where source not in ('plan', 'topup')) as given_free
          from credit_grants where created_at >= (select since from bounds) group by 1
      ), spent as (
        select day, sum(credits) as credits from (
          select day, credits from ledger_days where day >= (select first from bounds)
           union all
          select utc_day(l.at), -l.credits
            from accounts a
            left join ledger_folds f on f.account_id = a.id
           cross join lateral (
                   select at, credits from ledger
                    where account_id = a.id and sequence > coalesce(f.sequence, 0)
                      and kind = 'charge' and at >= (select since from bounds)) l) used
         group by 1
      ), calls as (
        select day, sum(charged) as charged, sum(free) as free, sum(refused) as refused, sum(failed) as failed
          from (select day, charged, free, refused, failed from request_days
                 where day >= (select first from bounds)
                 union all
                select utc_day(began_at), charged, free, refused, failed
                  from request_chunks where began_at >= (select since from bounds)) counted
         group by 1
      )
      select to_char(d.day, 'YYYY-MM-DD') as day,
             coalesce(made.accounts, 0)::double precision as "newAccounts",
             coalesce(given.sold, 0)::double precision as sold,
             coalesce(given.given_free, 0)::double precision as "givenFree",
             coalesce(spent.credits, 0)::double precision as spent,
             coalesce(calls.charged, 0)::double precision as charged,
             coalesce(calls.free, 0)::double precision as free,
             coalesce(calls.refused, 0)::double precision as refused,
             coalesce(calls.failed, 0)::double precision as failed
        from days d
        left join made on made.day = d.day
        left join given on given.day = d.day
        left join spent on spent.day = d.day
        left join calls on calls.day = d.day
       order by d.day desc`,
    DEADLINE,
  )
}
