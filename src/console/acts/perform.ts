/**
 * Does what an operator asked for and writes its line in the audit log, both by one statement: none is without the other, whatever
 * breaks. Commands and pages are two doors to the same acts.
 */
import type { Actor } from '../../database/actor.ts'
import { type Database, errorCode } from '../../database/client.ts'
import { REFUSED } from '../../intake/import/write.ts'
import { FieldError } from '../../people/users/validation.ts'
import {
  type Act,
  ActRefused,
  type Fields,
  type Resources,
  type Target,
  targetOf,
  type Values,
} from './act.ts'

const DAY_SECONDS = 86_400

/** For a statement behind which nobody waits for an API's answer. It waits for charges of the account that are on their way. */
const DEADLINE = { deadlineMs: 30_000 }

/** The id of what an act is done to, or that with its part. */
export type To = string | Target

/** Values, which an act without fields goes without. */
type Given<F extends Fields> = keyof F extends never ? [values?: Values<F>] : [values: Values<F>]

/**
 * Does an act's statement.
 * @returns its result; undefined where there was nothing to do it to, and for somebody who is no operator any more.
 * @throws what the database refuses: then nothing is done and nothing written
 */
export async function perform<F extends Fields, S, R>(
  database: Database,
  by: Actor,
  act: Act<F, S, R>,
  to: To,
  ...[values = {} as Values<F>]: Given<F>
): Promise<S | undefined> {
  return (await performed(database, by, act, to, values, null)).result
}

/** The work of one asking: what an act came to, and whether its form was sent before. */
export interface Done<R> {
  result: R | undefined
  isRepeated: boolean
}

/**
 * Does the whole of an act: its statement, and the work around it where there is some.
 * @param key counts once within a day, in the statement that does it: what was not done may be asked again
 */
export async function doAct<F extends Fields, S, R>(
  resources: Resources,
  act: Act<F, S, R>,
  to: To,
  values: Values<F>,
  key: string | null = null,
): Promise<Done<S | R>> {
  const { database, by } = resources
  const target = typeof to === 'string' ? targetOf(act, to) : to
  const all = { ...settingsOf(act.fields, resources), ...values }
  if (!act.run) return performed(database, by, act, target, all, key)
  const result = await act.run(
    {
      ...resources,
      own: async (own, more) => (await performed(database, by, act, own, more, null)).result,
      perform: async (other, id, more) =>
        (await performed(database, by, other, id, more, null)).result,
    },
    target,
    all,
  )
  return { isRepeated: false, result }
}

/** Values that the service's settings give. */
const settingsOf = (fields: Fields, { referralCredits }: Resources) =>
  'referralCredits' in fields ? { referralCredits } : {}

interface Row {
  result: string | number | boolean | Date | null
  isRepeated: boolean
}

async function performed<F extends Fields, S, R>(
  database: Database,
  by: Actor,
  act: Act<F, S, R>,
  to: To,
  values: Values<F>,
  key: string | null,
): Promise<Done<S>> {
  const { name, subject, refusals } = act
  const target = typeof to === 'string' ? targetOf(act, to) : to
  const statement = act.statement?.(target, values)
  if (!statement) throw new Error(`the act ${name} has no statement`)
  const turn = key && `operator form ${key}`
  // The state is read, the act done, the line written in this order, because each step reads the one before.
  const rows = database.use(
    ({ sql }) => sql<Row[]>`
      with asked as materialized (
        select ${JSON.stringify(by)}::text::jsonb as actor
      ), counted as materialized (
        -- Also of a window that count_turns begins anew, because a clock that ran ahead had begun it.
        select turn_count > 1 or exists (select from turns where subject = ${turn} and ends_at > meter_now()) as is_repeated
          from count_turns(array[${turn}::text], array[1], array[${DAY_SECONDS}::integer])
         where ${turn}::text is not null
      ), before as materialized (
        select actor, audit_state(${subject}, ${target.id}) as state from asked
         where not exists (select from counted where is_repeated) and audit_admits(actor, ${name})
      ), done as materialized (
        select ${statement.call(sql)} as result, actor, state from before
      ), line as materialized (
        select result, audit(actor, ${name}, ${subject}, ${target.id}, state) as sequence
          from done where coalesce(result::text, 'false') <> 'false'
      )
      select (select result from line where sequence is not null) as result,
             exists (select from counted where is_repeated) as "isRepeated"`,
    DEADLINE,
  )
  const [row] = await rows.catch((error: unknown) => {
    const code = errorCode(error) ?? ''
    if (code === REFUSED && error instanceof Error) throw new ActRefused(error.message)
    const refusal = refusals?.[code]
    throw refusal ? new FieldError(...refusal) : error
  })
  if (!row) throw new Error('A statement of one row gave none')
  const { isRepeated, result } = row
  return { isRepeated, result: result === null ? undefined : statement.result(result) }
}
