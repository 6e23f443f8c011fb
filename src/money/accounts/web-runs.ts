/**
 * Exports and bulk searches: many units of one operation, each made before its charge and handed out after
 * it, charged in batches. A run ends where the credits or the reader's right do. Its id names it, so the same run asked for
 * again within a day (a button pressed twice, a download that broke) hands out what it has paid for and charges the rest; that
 * counts, because each time reads the directory as it is then.
 *
 * Copies of a run may go on at once. Each charge is bound to the unit that it begins at, by an idempotency key that the
 * charging statement takes: of two copies that begin at the same unit one is charged, and the other one learns how far that
 * paid. So the charges of a run stand end to end, however many copies, pauses and instances there are.
 */
import { hash } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { WEB_OPERATIONS, type WebOperation } from '../../contract/endpoints.ts'
import { IDEMPOTENT_REPEATS } from '../../contract/headers.ts'
import { type Database, DatabaseUnavailable } from '../../database/client.ts'
import { isTrue, scalar } from '../../database/scalar.ts'
import type { Meter } from '../charge/meter.ts'
import { answerOf, callOf } from './web-calls.ts'

/** What charges a run. */
export interface Till {
  database: Database
  meter: Meter
}

export interface Run {
  accountId: string
  operation: WebOperation
  /** As `runId` makes it. The ledger's request id of everything that the run is charged. */
  id: string
  /** Units that its form showed; a copy may find fewer. */
  units: number
}

/** A run that may hand out. */
export interface BegunRun extends Run {
  /** When it first began; it lasts 24 hours from here. ISO 8601 in UTC. */
  began: string
  /** The ledger's newest number then: what it paid for stands behind it, also where the clock is set back meanwhile. */
  ledgerStart: number
}

/** Why a reader's right to a run ended: session or membership, the plan's feature, or the account, which an operator suspended. */
export type RightEnd = 'access' | 'plan' | 'suspended'

export interface RunOptions<Unit = unknown> {
  /** Asks before each batch whether the reader's right has ended. @throws DatabaseUnavailable */
  rightEnd: () => Promise<RightEnd | null>
  /** Tells whether a unit is still worth its price. The run ends before one that it has not paid for and that is not; all are unless given. */
  isWorth?: (unit: Unit) => boolean
  /** Ends the run before its next charge: the reader has gone. */
  signal?: AbortSignal | undefined
  /** Waits so many seconds. */
  pause?: (seconds: number) => Promise<unknown>
}

/** How a run ended. */
export interface RunEnd {
  /** Units handed out. */
  units: number
  /** Credits that this run is known to have been charged this time. */
  charged: number
  /**
   * Why it stopped before the last unit; null where it did not. `expired`: the 24 hours of the run are over. `changed`: the
   * next unit is not worth its price any more.
   * `unavailable`: the database did not answer, and nothing more was charged. `unknown`: a charge was sent and its end
   * is not known.
   */
  stopped: 'credits' | 'left' | 'expired' | 'changed' | 'unavailable' | 'unknown' | RightEnd | null
}

/** Units in one charge. A charge counts once against the account's rate; a reader who leaves loses one at most. */
const BATCH: Readonly<Record<WebOperation['path'], number>> = {
  [WEB_OPERATIONS.csvExport.path]: 10,
  [WEB_OPERATIONS.bulkSearch.path]: 20,
}

/** How often a run may be begun again: a file is loaded again, a page of answers is come back to. */
const REPEATS: Readonly<Record<WebOperation['path'], number>> = {
  [WEB_OPERATIONS.csvExport.path]: IDEMPOTENT_REPEATS,
  [WEB_OPERATIONS.bulkSearch.path]: 50,
}

/** A run's id: the same UUID for the same random `once` of a form and the same `question`, however often it is sent. */
export function runId(accountId: string, once: string, question: string): string {
  const digest = hash('sha256', JSON.stringify([accountId, once, question]))
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
}

/**
 * Counts one beginning of a run, exactly between instances. A run that began by a clock which ran ahead goes on, because it
 * would be charged again if it began anew. The row of a run that the last release began has no number of the ledger.
 * @returns undefined where it has been repeated as often as 24 hours allow. @throws DatabaseUnavailable
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
 * Yields `total` units, a batch at a time: makes them, charges those that the run has not paid for, hands them
 * out. Nothing is read after a charge. Waits where the account is over its rate.
 * @param make the unit of this number, whole
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
        // Paid for before, by another copy or an earlier one.
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

/** Makes units one by one; API calls are answered between two of them. */
async function madeUnits<Unit>(make: (unit: number) => Unit, from: number, to: number) {
  const units: Unit[] = []
  for (let unit = from; unit < to; unit++) {
    units.push(make(unit))
    await setImmediate()
  }
  return units
}

/**
 * Charges the units from `from` on: `most` of them, else as many as the balance covers. None where another copy was charged
 * from there on for another number of units.
 */
async function chargeUnits(
  meter: Meter,
  { accountId, operation, id, began, units: shown }: BegunRun,
  from: number,
  most: number,
) {
  // The last release's key of a whole batch has its size too: a form that is sent to both releases during an upgrade is charged once.
  // The size is that of the form, the same for each copy.
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

/** A beginning charges nothing, however its statement ended. */
function unchargedOf(error: unknown): never {
  if (!(error instanceof DatabaseUnavailable)) throw error
  throw new DatabaseUnavailable('a run could not begin', { cause: error })
}

/** Where the charge was sent and its end is not known. */
function unknownOf(error: unknown) {
  if (error instanceof DatabaseUnavailable && error.isUnknown)
    return { outcome: 'unknown' as const }
  throw error
}

/** Checks that the database still knows all idempotency keys of the run: a minute less than the 24 hours for which it keeps them. */
async function isOpen(database: Database, { began }: BegunRun): Promise<boolean> {
  return database.use(({ sql }) =>
    isTrue(sql`select meter_now() < ${began}::timestamptz + interval '23 hours 59 minutes'`),
  )
}

/** Units that this run has paid for since it began. */
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
