/**
 * Does what an operator asked for and writes its line in the audit log, both by one statement: none is without the other, whatever
 * breaks (D182). Commands and pages are two doors to the same acts.
 */
import type { Connection, Database } from '../database/client.ts'
import type { Fragment } from '../database/scalar.ts'

/** Who does something, and from where. */
export interface Actor {
  via: 'command' | 'page'
  /** The operator who is signed in; null for a command. */
  userId: string | null
  /** Their e-mail address; of a command the name that it was given. */
  who: string
  /** The client's address; null for a command. */
  address: string | null
}

/**
 * What can be done. The audit log names it, so a name never changes. Beside these it has changes of the directory, as the journal
 * names them: `directory.import` (D50).
 */
export const ACTS = [
  'account.create',
  'account.set',
  'credits.grant',
  'credits.take-back',
  'key.create',
  'key.revoke',
  'operator.begin',
  'operator.give',
  'operator.take-away',
  'payment.accept',
  'payment.dismiss',
  'payment.refuse',
  'plan.start',
  'plan.stop',
  'privacy.close',
  'user.end-sessions',
  'user.reset-link',
  'user.second-factor-off',
  'user.verify',
] as const

export type ActName = (typeof ACTS)[number]

/** One act: a call of one SQL function. */
export interface Act<T> {
  name: ActName
  /** What it is done to, of which `audit_state` tells the state before and after. */
  to: { kind: 'account' | 'event' | 'key' | 'payment' | 'request' | 'user'; id: string }
  /** The expression that does it. Null, or false, where there was nothing to do it to: then no line is written. */
  call: (sql: Connection['sql']) => Fragment
  /** What the database gave, as the act's caller wants it. */
  result: (given: string | number | boolean | Date) => T
}

/** For a statement behind which nobody waits for an API's answer. It waits for charges of the account that are on their way. */
const DEADLINE = { deadlineMs: 30_000 }

/**
 * Does an act.
 * @returns its result; undefined where there was nothing to do it to, and for somebody who is no operator any more.
 * @throws what the database refuses: then nothing is done and nothing written
 */
export async function perform<T>(
  database: Database,
  by: Actor,
  { name, to, call, result }: Act<T>,
): Promise<T | undefined> {
  // The state is read, the act done, the line written in this order, because each step reads the one before.
  const [row] = await database.use(
    ({ sql }) => sql<{ result: string | number | boolean | Date }[]>`
      with asked as materialized (
        select ${JSON.stringify(by)}::text::jsonb as actor
      ), before as materialized (
        select actor, audit_state(${to.kind}, ${to.id}) as state from asked where audit_admits(actor, ${name})
      ), done as materialized (
        select ${call(sql)} as result, actor, state from before
      ), line as materialized (
        select result, audit(actor, ${name}, ${to.kind}, ${to.id}, state) as sequence
          from done where coalesce(result::text, 'false') <> 'false'
      )
      select result from line where sequence is not null`,
    DEADLINE,
  )
  return row && result(row.result)
}
