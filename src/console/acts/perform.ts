/**
 * Does what an operator asked for and writes its line in the audit log, both by one statement: none is without the other, whatever
 * breaks. Commands and pages are two doors to the same acts.
 */
import type { Actor } from '../../database/actor.ts'
import type { Connection, Database } from '../../database/client.ts'
import type { Fragment } from '../../database/scalar.ts'

export type { Actor }

/**
 * Acts by name. The audit log stores the names, so they never change; it also has changes of the directory under the journal's
 * names (`directory.import`). A pin is no change of a record, so unpinning is an act.
 */
export const ACTS = [
  'account.create',
  'account.note',
  'account.resume',
  'account.set',
  'account.suspend',
  'backup.download',
  'backup.make',
  'credits.grant',
  'credits.take-back',
  'directory.unpin',
  'import.add',
  'import.cancel',
  'import.delete',
  'import.run',
  'import.undo',
  'key.create',
  'key.revoke',
  'operator.begin',
  'operator.give',
  'operator.take-away',
  'payment.accept',
  'payment.dismiss',
  'payment.refund',
  'payment.refuse',
  'payment.take-over',
  'plan.start',
  'plan.stop',
  'privacy.answer',
  'privacy.close',
  'source.columns',
  'user.end-sessions',
  'user.reset-link',
  'user.second-factor-off',
  'user.verify',
] as const

export type ActName = (typeof ACTS)[number]

/** Does an act of whoever asks. @returns undefined where there was nothing to do it to */
export type Perform = <T>(act: Act<T>) => Promise<T | undefined>

/** One act: a call of one SQL function. */
export interface Act<T> {
  name: ActName
  /** Target of the act, whose state before and after is read by `audit_state`. */
  to: {
    kind:
      | ('account' | 'backup' | 'event' | 'import' | 'key' | 'payment')
      | ('record' | 'request' | 'source' | 'user')
    id: string
  }
  /** The expression that does it; `actor` in it is who does. Null, or false, where there was nothing to do it to: then no line is written. */
  call: (sql: Connection['sql']) => Fragment
  /** Converts the database's value for the act's caller. */
  result: (given: string | number | boolean | Date) => T
}

const DAY_SECONDS = 86_400

/** For a statement behind which nobody waits for an API's answer. It waits for charges of the account that are on their way. */
const DEADLINE = { deadlineMs: 30_000 }

/**
 * Does an act.
 * @returns its result; undefined where there was nothing to do it to, and for somebody who is no operator any more.
 * @throws what the database refuses: then nothing is done and nothing written
 */
export async function perform<T>(database: Database, by: Actor, act: Act<T>) {
  return (await performed(database, by, act, null)).result
}

/**
 * Does an act that would do twice what is asked twice, as giving credits. Its key counts with it, in the same statement: what was not
 * done may be asked again.
 * @param key counts once within a day
 * @returns the same result, and whether the key was used before: then nothing is done
 */
export function performOnce<T>(database: Database, by: Actor, act: Act<T>, key: string) {
  return performed(database, by, act, key)
}

interface Row {
  result: string | number | boolean | Date | null
  isRepeated: boolean
}

async function performed<T>(
  database: Database,
  by: Actor,
  { name, to, call, result }: Act<T>,
  key: string | null,
): Promise<{ isRepeated: boolean; result: T | undefined }> {
  const subject = key && `operator form ${key}`
  // The state is read, the act done, the line written in this order, because each step reads the one before.
  const [row] = await database.use(
    ({ sql }) => sql<Row[]>`
      with asked as materialized (
        select ${JSON.stringify(by)}::text::jsonb as actor
      ), counted as materialized (
        -- Also of a window that count_turns begins anew, because a clock that ran ahead had begun it.
        select turn_count > 1 or exists (select from turns where subject = ${subject} and ends_at > meter_now()) as is_repeated
          from count_turns(array[${subject}::text], array[1], array[${DAY_SECONDS}::integer])
         where ${subject}::text is not null
      ), before as materialized (
        select actor, audit_state(${to.kind}, ${to.id}) as state from asked
         where not exists (select from counted where is_repeated) and audit_admits(actor, ${name})
      ), done as materialized (
        select ${call(sql)} as result, actor, state from before
      ), line as materialized (
        select result, audit(actor, ${name}, ${to.kind}, ${to.id}, state) as sequence
          from done where coalesce(result::text, 'false') <> 'false'
      )
      select (select result from line where sequence is not null) as result,
             exists (select from counted where is_repeated) as "isRepeated"`,
    DEADLINE,
  )
  if (!row) throw new Error('A statement of one row gave none')
  const { isRepeated, result: given } = row
  return { isRepeated, result: given === null ? undefined : result(given) }
}
