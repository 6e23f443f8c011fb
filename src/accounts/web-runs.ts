/**
 * Exports and bulk searches: many units of one operation, charged in batches, each before it is handed
 * out. A run ends where the credits do. It is known by its id, so the same run asked for again within a
 * day (a button pressed twice, a download that broke) hands out what it has paid for and charges the rest.
 */
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { WEB_OPERATIONS, type WebOperation } from '../contract/endpoints.ts'
import { type Database, DatabaseUnavailable } from '../database/client.ts'
import { scalar } from '../database/scalar.ts'
import type { Meter } from '../metering/meter.ts'
import { answerOf, callOf, sha256, type WebOutcome } from './web-calls.ts'

/** What runs are charged by. */
export interface Till {
  database: Database
  meter: Meter
}

export interface Run {
  accountId: string
  operation: WebOperation
  /** As `runId` makes it. The ledger's request id of everything that the run is charged. */
  id: string
}

export interface RunOptions {
  /** Ends the run before its next charge: nobody is there to read on. */
  signal?: AbortSignal | undefined
  /** Waits so many seconds. */
  pause?: (seconds: number) => Promise<unknown>
}

/** How a run ended. */
export interface RunEnd {
  /** Handed out. */
  units: number
  /** Credits taken this time. */
  charged: number
  /** Why it stopped before the last unit; null where it didn't. */
  stopped: 'credits' | 'left' | null
}

/** The database failed during a run. `isUnknown` speaks of the batch after those that `end` counts. */
export class InterruptedRun extends DatabaseUnavailable {
  readonly end: Readonly<RunEnd>

  constructor(end: RunEnd, isUnknown: boolean, cause: Error) {
    super('a run was interrupted', { cause, isUnknown })
    this.end = end
  }
}

/** Units in one charge: a charge counts once against the account's rate, and is lost at most once by who leaves. */
const BATCH: Readonly<Record<WebOperation['path'], number>> = {
  [WEB_OPERATIONS.csvExport.path]: 10,
  [WEB_OPERATIONS.bulkSearch.path]: 20,
}

/**
 * The id of a run: a UUID that is the same for the same form sent again, and another for another `question`.
 * @param once a random value that the form carried.
 */
export function runId(accountId: string, once: string, question: string): string {
  const hash = createHash('sha256').update(JSON.stringify([accountId, once, question]))
  return hash.digest('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
}

/**
 * Hands out up to `total` units, a batch at a time: first those that the run has paid for already. Where the
 * account is over its rate it waits.
 * @throws InterruptedRun: the batches before are charged, `isUnknown` speaks of the one that failed (D42).
 */
export async function* paidUnits(
  till: Till,
  run: Run,
  total: number,
  { signal, pause = (seconds) => setTimeout(seconds * 1_000) }: RunOptions = {},
): AsyncGenerator<{ from: number; to: number }, RunEnd> {
  const end: RunEnd = { units: 0, charged: 0, stopped: null }
  const interrupt = (error: unknown, isCharge: boolean): never => {
    if (!(error instanceof DatabaseUnavailable)) throw error
    throw new InterruptedRun({ ...end }, isCharge && error.isUnknown, error)
  }
  // Reading what was paid charges nothing, however it ends.
  const readPaid = () => unitsPaid(till.database, run).catch((error) => interrupt(error, false))
  const charge = (most: number) =>
    chargeUnits(till.meter, run, end.units, most).catch((error) => interrupt(error, true))
  let paid = await readPaid()
  while (end.units < total) {
    if (signal?.aborted) return { ...end, stopped: 'left' }
    if (paid <= end.units) {
      const most = Math.min(BATCH[run.operation.path] ?? 1, total - end.units)
      const { units, outcome } = await charge(most)
      if (outcome.outcome === 'limited') {
        await pause(outcome.retryAfter)
        continue
      }
      if (outcome.outcome === 'charged') end.charged += outcome.charged
      // Credits may have gone to this very run, sent twice at once.
      paid = units > 0 ? end.units + units : await readPaid()
      if (paid <= end.units) return { ...end, stopped: 'credits' }
    }
    const batch = { from: end.units, to: Math.min(paid, total) }
    end.units = batch.to
    yield batch
  }
  return end
}

/** Charges the units from `from` on: `most` of them, else as many as the balance covers. */
async function chargeUnits(
  meter: Meter,
  { accountId, operation, id }: Run,
  from: number,
  most: number,
): Promise<{ units: number; outcome: WebOutcome }> {
  let units = most
  for (;;) {
    const price = operation.credits * units
    const outcome = answerOf(
      await meter.charge({
        ...callOf(accountId, id),
        price,
        reveal_price: price,
        record_exists: true,
        person: null,
        reveal: false,
        contacts: [],
        channels: false,
        endpoint: operation.path,
        idempotency_key: sha256(`run ${id} ${from} ${units}`),
        fingerprint: sha256(operation.path),
      }),
    )
    if (outcome.outcome === 'charged') return { units, outcome }
    const covered =
      outcome.outcome === 'insufficient' ? Math.floor(outcome.balance / operation.credits) : 0
    if (covered <= 0) return { units: 0, outcome }
    units = covered
  }
}

/** Units that this run has paid for within a day: as long as retries are remembered (D20a). */
async function unitsPaid(database: Database, { accountId, operation, id }: Run): Promise<number> {
  const credits = await database.use(({ sql }) =>
    scalar<number>(sql`
      select -sum(credits)::integer from ledger
       where account_id = ${accountId} and at > meter_now() - interval '1 day' and kind = 'charge'
         and request_id = ${id} and endpoint = ${operation.path}`),
  )
  return Math.floor((credits ?? 0) / operation.credits)
}
