/** Acts on people who sign in, and who of them is an operator. */
import { asc, isNotNull } from 'drizzle-orm'
import type { Database } from '../../database/client.ts'
import { isTrue, scalar } from '../../database/scalar.ts'
import { users } from '../../database/tables/users.ts'
import { hashToken, linkCall, newToken } from '../../people/users/tokens.ts'
import type { Act } from './perform.ts'

/** A user who signs in. */
export interface Named {
  id: string
  email: string
}

/** Lifetime of the link for the first operator. */
const LINK_SECONDS = 86_400

const user = (id: string) => ({ kind: 'user', id }) as const
const isDone = () => true

/** Makes somebody an operator. Nothing is done where they are one. */
export const giveOperator = ({ id }: Named): Act<boolean> => ({
  name: 'operator.give',
  to: user(id),
  call: (sql) => sql`operator_set(${id}, true)`,
  result: isDone,
})

/** Takes the role of operator away, from the next request on. Nothing is done if the user isn't one. */
export const takeOperatorAway = ({ id }: Named): Act<boolean> => ({
  name: 'operator.take-away',
  to: user(id),
  call: (sql) => sql`operator_set(${id}, false)`,
  result: isDone,
})

/** Makes somebody the first operator by the link of `newOperatorLink`. Nothing is done where it doesn't hold. */
export const beginOperator = ({ id }: Named, token: string): Act<boolean> => ({
  name: 'operator.begin',
  to: user(id),
  call: (sql) => sql`operator_begin(${hashToken(token)}, ${id})`,
  result: isDone,
})

/** Makes a link by which somebody sets a new password. @returns its token */
export function resetLink({ id, email }: Named): Act<string> {
  const { token, hash } = newToken()
  return {
    name: 'user.reset-link',
    to: user(id),
    call: (sql) => linkCall(sql, hash, 'reset', { id, email }),
    result: () => token,
  }
}

/** Confirms a user's address. */
export const verifyEmail = ({ id, email }: Named): Act<boolean> => ({
  name: 'user.verify',
  to: user(id),
  call: (sql) => sql`user_set_email(${id}, ${email}, true)`,
  result: isDone,
})

/** Turns the second factor off of somebody who has lost it. Nothing is done where none is on. */
export const turnSecondFactorOff = ({ id }: Named): Act<boolean> => ({
  name: 'user.second-factor-off',
  to: user(id),
  call: (sql) => sql`second_factor_remove(${id})`,
  result: isDone,
})

/** Ends every session of somebody. Nothing is done where there is none. */
export const endSessions = ({ id }: Named): Act<boolean> => ({
  name: 'user.end-sessions',
  to: user(id),
  call: (sql) => sql`user_end_sessions(${id})`,
  result: isDone,
})

/** The operators, the oldest first. Times are ISO 8601 in UTC. */
export async function listOperators(database: Database) {
  const { id, email, name, operatorSince } = users
  return database.use(({ db }) =>
    db
      .select({ id, email, name, operatorSince })
      .from(users)
      .where(isNotNull(operatorSince))
      .orderBy(asc(operatorSince), asc(id)),
  )
}

/**
 * Makes the link for the first operator: where there is none, and no such link was used or is in force, whichever instance asks first.
 * @returns its token and its end, in ISO 8601; undefined where none is due
 */
export async function newOperatorLink(database: Database) {
  const { token, hash } = newToken()
  const endsAt = await database.use(({ sql }) =>
    scalar<string>(
      sql`select operator_link_begin(${hash}, make_interval(secs => ${LINK_SECONDS}::integer))`,
    ),
  )
  return endsAt === null ? undefined : { token, endsAt }
}

/** Whether a token makes whoever has it the first operator now. */
export const holdsOperatorLink = (database: Database, token: string): Promise<boolean> =>
  database.use(({ sql }) => isTrue(sql`select operator_link_holds(${hashToken(token)})`))
