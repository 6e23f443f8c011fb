/** Tells whether a service answers calls on a database, for work that slows down beside them and goes at full speed otherwise. */
import type { Connection, Database } from './client.ts'
import { isTrue, scalar } from './scalar.ts'

/** Asked between the steps of such work. */
export type AreCallsAnswered = () => Promise<boolean>

/** A look costs a round trip. */
const LOOK_EVERY_MS = 250
/** After the last call that was noticed, others are expected for so long. */
const LULL_MS = 5_000

interface Watch {
  /** Called with the first answer, and with each that differs from the one before. */
  onChange?: ((areAnswered: boolean) => void) | undefined
  now?: () => number
}

/**
 * Watches what the meter writes, whichever instance or worker it belongs to, and through any pooler: services need not say that
 * they are there. Pages that charge nothing and rejected keys are no calls. Where the database doesn't tell, calls are
 * taken to be answered.
 */
export function watchCalls(
  database: Database,
  { onChange, now = () => performance.now() }: Watch = {},
): AreCallsAnswered {
  let count: number | undefined
  let lookedMs = Number.NEGATIVE_INFINITY
  let calledMs = Number.NEGATIVE_INFINITY
  let answer: boolean | undefined

  async function look() {
    lookedMs = now()
    const next = (await database.use(countOfCalls).catch(() => null)) ?? undefined
    const areCalls =
      count === undefined || next === undefined
        ? await database.use(areCallsRecent).catch(() => true)
        : next !== count
    if (areCalls) calledMs = now()
    count = next
  }

  return async () => {
    if (now() - lookedMs >= LOOK_EVERY_MS) await look()
    const before = answer
    answer = now() - calledMs < LULL_MS
    if (answer !== before) onChange?.(answer)
    return answer
  }
}

/**
 * A number that grows with each call: charged ones draw from the ledger's sequence at once, and PostgreSQL's statistics count the
 * others within a second or so. Neither takes longer where there are many accounts.
 */
const countOfCalls = ({ sql }: Connection) =>
  scalar<number>(sql`
    select (coalesce(pg_sequence_last_value('ledger_sequence_seq'), 0)
            + pg_stat_get_tuples_updated('accounts'::regclass))::float8`)

/** For the first look: whether an account's window of a minute was open in the last seconds. It reads all accounts where none was. */
const areCallsRecent = ({ sql }: Connection) =>
  isTrue(sql`
    select exists (
      select from accounts
       where rate_started_at > meter_now() - interval '1 minute' - make_interval(secs => ${LULL_MS / 1_000}::float8))`)
