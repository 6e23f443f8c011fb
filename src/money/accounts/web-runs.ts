/**
 * Runs: exports and bulk searches, many units of one operation charged in batches. A unit is made before its charge and handed out
 * after it. A run ends with the credits or with the reader's rights. The same run requested again within a day (a button pressed
 * twice, a download that broke) hands out the units it has paid for and charges the rest. Repeats are limited, because each one
 * reads the directory as it is then.
 *
 * Copies of a run may proceed at once. Each charge is bound to its first unit by an idempotency key: of two copies at the same unit
 * one is charged, and the other learns how far that paid. So the charges of a run never overlap, however many copies, pauses and
 * instances there are.
 */
import { hash } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { WEB_OPERATIONS, type WebOperation } from '../../contract/endpoints.ts'
import { IDEMPOTENT_REPEATS } from '../../contract/headers.ts'
import { type Database, DatabaseUnavailable } from '../../database/client.ts'
import { isTrue, scalar } from '../../database/scalar.ts'
import type { Meter } from '../charge/meter.ts'
import { answerOf, callOf } from './web-calls.ts'

export interface Till {
  database: Database
  meter: Meter
}

export interface Run {
  accountId: string
  operation: WebOperation
  /** From `runId`; the request id of its ledger entries. */
  id: string
  /** Units shown on the form; a later copy may find fewer. */
  units: number
}

export interface BegunRun extends Run {
  /** First start, ISO 8601 in UTC; the run lasts 24 hours. */
  began: string
  /** Newest ledger number at the start: the run's charges have higher ones, even after a clock is set back. */
  ledgerStart: number
}

/** Right that a reader lost: session or membership (`access`), the plan's feature, or the suspended account. */
export type RightEnd = 'access' | 'plan' | 'suspended'

export interface RunOptions<Unit = unknown> {
  /** Checks the reader's rights before each batch. @throws DatabaseUnavailable */
  rightEnd: () => Promise<RightEnd | null>
  /** False for a unit that is not worth its price any more; the run ends before it, unless it is paid. Default: true. */
  isWorth?: (unit: Unit) => boolean
  /** Aborted when the reader disconnects; ends the run before its next charge. */
  signal?: AbortSignal | undefined
  pause?: (seconds: number) => Promise<unknown>
}

export interface RunEnd {
  units: number
  /** Credits known to be charged this time. */
  charged: number
  /**
   * Reason of an early stop; null for a complete run. `expired`: the 24 hours are over. `changed`: the next unit is not worth its
   * price any more. `unavailable`: the database did not answer, and nothing more was charged. `unknown`: a charge was sent and its
   * end is not known.
   */
  stopped: 'credits' | 'left' | 'expired' | 'changed' | 'unavailable' | 'unknown' | RightEnd | null
}

/** Units per charge. A charge counts once against the account's rate; a reader who disconnects loses one charge at most. */
const BATCH: Readonly<Record<WebOperation['path'], number>> = {
  [WEB_OPERATIONS.csvExport.path]: 10,
  [WEB_OPERATIONS.bulkSearch.path]: 20,
}

/** Repeats of a run: downloads of the file, visits of the answers' page. */
const REPEATS: Readonly<Record<WebOperation['path'], number>> = {
  [WEB_OPERATIONS.csvExport.path]: IDEMPOTENT_REPEATS,
  [WEB_OPERATIONS.bulkSearch.path]: 50,
}

/** @returns a UUID made of the form's random value `once` and the `question`, the same however often it is sent. */
export function runId(accountId: string, once: string, question: string): string {
  const digest = hash('sha256', JSON.stringify([accountId, once, question]))
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
}

/**
 * Counts a start of a run, exactly across instances. A run started by a clock that ran ahead continues, because a new one would
 * charge again. The row of a run from release 1.6.0 has no ledger number.
 * @returns undefined if the repeats of 24 hours are used up. @throws DatabaseUnavailable
 */
export async function beginRun(database: Database, run: Run): Promise<BegunRun | undefined> {
  const { accountId, operation } = run
  const most = REPEATS[operation.path] ?? 0
  const [counted] = await database
    .use(
      ({ sql }) => sql<{ began: string; repeats: number; ledgerStart: number }[]>`
      insert into idempotency_keys as i (account_id, key, fingerprint, charged_at)
      values (${accountId}, ${`run ${run.id}`},
              concat(${operation.path}::text, ' ', coalesce(pg_sequence_last_value('ledger_sequence_seq'), 0)), meter_now())
      on conflict (account_id, key) do update
        set (charged_at, fingerprint, repeats) = (
              select case when goes_on then i.charged_at else excluded.charged_at end,
                     case when goes_on then i.fingerprint else excluded.fingerprint end,
                     case when goes_on then least(i.repeats, ${most}::integer) + 1 else 0 end
                from (select i.charged_at > excluded.charged_at - interval '24 hours' as goes_on) as run)
      returning charged_at as began, repeats,
                coalesce(nullif(split_part(fingerprint, ' ', 2), '')::float8,
                         ledger_since(account_id, charged_at) - 1, 0) as "ledgerStart"`,
    )
    .catch(unchargedOf)
  if (!counted || counted.repeats > most) return undefined
  return { ...run, began: counted.began, ledgerStart: counted.ledgerStart }
}

/**
 * Yields units in batches: makes them, charges those that the run has not paid for, hands them out. Nothing is read after a charge.
 * Waits while the account is over its rate.
 * @param make returns the complete unit of this number
 */
export async function* paidUnits<Unit>(
  till: Till,
  run: BegunRun,
  total: number,
  make: (unit: number) => Unit,
  options: RunOptions<Unit>,
): AsyncGenerator<Unit, RunEnd> {
  const { rightEnd, signal, isWorth = () => true } = options
  const { pause = (seconds) => setTimeout(seconds * 1_000) } = options
  const end: RunEnd = { units: 0, charged: 0, stopped: null }
  try {
    let paid = await unitsPaid(till.database, run)
    while (end.units < total) {
      const from = end.units
      const to = Math.min(from + (BATCH[run.operation.path] ?? 1), total)
      const batch = await madeUnits(make, from, to)
      const worthless = batch.findIndex((unit) => !isWorth(unit))
      const most = worthless < 0 ? batch.length : worthless
      do {
        const stopped = signal?.aborted ? 'left' : await rightEnd()
        if (stopped) return { ...end, stopped }
        // Paid before, by another copy or an earlier one.
        if (paid > from) break
        if (most === 0) return { ...end, stopped: 'changed' }
        if (!(await isOpen(till.database, run))) return { ...end, stopped: 'expired' }
        const { units, outcome } = await chargeUnits(till.meter, run, from, most)
        if (outcome.outcome === 'unknown') return { ...end, stopped: 'unknown' }
        if (outcome.outcome === 'suspended') return { ...end, stopped: 'suspended' }
        if (outcome.outcome === 'limited') {
          await pause(outcome.retryAfter)
          continue
        }
        if (outcome.outcome === 'charged') end.charged += outcome.charged
        // Another copy may have paid from here on, or taken the last credits for it.
        paid = units > 0 ? from + units : await unitsPaid(till.database, run)
        if (paid <= from) {
          const stopped = outcome.outcome === 'insufficient' ? 'credits' : 'unavailable'
          return { ...end, stopped }
        }
      } while (paid <= from)
      for (const unit of batch.slice(0, paid - from)) {
        end.units++
        yield unit
      }
    }
    return end
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { ...end, stopped: 'unavailable' }
    throw error
  }
}

/** Makes units one by one, with API calls answered in between. */
async function madeUnits<Unit>(make: (unit: number) => Unit, from: number, to: number) {
  const units: Unit[] = []
  for (let unit = from; unit < to; unit++) {
    units.push(make(unit))
    await setImmediate()
  }
  return units
}

/**
 * Charges units from `from` on: `most` of them, or as many as the balance covers. Charges none if another copy was charged from
 * there for a different number.
 */
async function chargeUnits(
  meter: Meter,
  { accountId, operation, id, began, units: shown }: BegunRun,
  from: number,
  most: number,
) {
  // Release 1.6.0 puts the size of a whole batch in the key; so does this, so that a form sent to both releases is charged once.
  const whole = Math.min(BATCH[operation.path] ?? 1, shown - from)
  let units = most
  for (;;) {
    const price = operation.credits * units
    const call = {
      ...callOf(accountId, id),
      price,
      reveal_price: price,
      record_exists: true,
      person: null,
      reveal: false,
      contacts: [],
      channels: false,
      endpoint: operation.path,
      idempotency_key: hash('sha256', `run ${id} ${began} ${from} ${whole}`),
      fingerprint: hash('sha256', `${operation.path} ${units}`),
    }
    const outcome = await meter.charge(call).then(answerOf, unknownOf)
    if (outcome.outcome === 'charged') return { units, outcome }
    const covered =
      outcome.outcome === 'insufficient' ? Math.floor(outcome.balance / operation.credits) : 0
    if (covered <= 0) return { units: 0, outcome }
    units = covered
  }
}

/** A start charges nothing, however its statement ended. */
function unchargedOf(error: unknown): never {
  if (!(error instanceof DatabaseUnavailable)) throw error
  throw new DatabaseUnavailable('a run could not begin', { cause: error })
}

function unknownOf(error: unknown) {
  if (error instanceof DatabaseUnavailable && error.isUnknown)
    return { outcome: 'unknown' as const }
  throw error
}

/** Checks that the database still has all idempotency keys of the run: a minute less than the 24 hours it keeps them. */
async function isOpen(database: Database, { began }: BegunRun): Promise<boolean> {
  return database.use(({ sql }) =>
    isTrue(sql`select meter_now() < ${began}::timestamptz + interval '23 hours 59 minutes'`),
  )
}

/** @returns the number of units that the run has paid for. */
async function unitsPaid(database: Database, run: BegunRun) {
  const { accountId, operation, id, ledgerStart } = run
  const credits = await database.use(({ sql }) =>
    scalar<number>(sql`
      select -sum(credits)::integer from ledger
       where account_id = ${accountId} and ledger.sequence > ${ledgerStart}::bigint and kind = 'charge'
         and request_id = ${id} and endpoint = ${operation.path}`),
  )
  return Math.floor((credits ?? 0) / operation.credits)
}
