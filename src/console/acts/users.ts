/** Acts on people who sign in, and who of them is an operator. Only commands change how operators sign in. */
import { asc, isNotNull } from 'drizzle-orm'
import type { Database } from '../../database/client.ts'
import { isTrue, scalar } from '../../database/scalar.ts'
import { users } from '../../database/tables/users.ts'
import { hashToken, linkCall, newToken, resetUrl } from '../../people/users/tokens.ts'
import { type AccountPerson, peopleOf } from './account-search.ts'
import { act, done, given, hidden, type Resources, type Target } from './act.ts'

/** Lifetime of the link for the first operator. */
const LINK_SECONDS = 86_400

const USER = { subject: 'user', page: 'account', fields: {} } as const

/** Somebody of an account's people. */
const personOf = async ({ database }: Resources, { on, of }: Target) =>
  (await peopleOf(database, on)).find(({ id }) => id === of)

/** The same where they are no operator. */
async function customerOf(
  resources: Resources,
  target: Target,
): Promise<AccountPerson | undefined> {
  const person = await personOf(resources, target)
  return person?.operatorSince ? undefined : person
}

/** Makes somebody an operator. Nothing is done where they are one. */
export const giveOperator = act({
  ...USER,
  name: 'operator.give',
  button: '',
  statement: ({ id }) => done((sql) => sql`operator_set(${id}, true)`),
})

/** Takes the role of operator away, from the next request on. Nothing is done if the user isn't one. */
export const takeOperatorAway = act({
  ...USER,
  name: 'operator.take-away',
  button: '',
  statement: ({ id }) => done((sql) => sql`operator_set(${id}, false)`),
})

/** Makes somebody the first operator by the link of `newOperatorLink`. Nothing is done where it doesn't hold. */
export const beginOperator = act({
  name: 'operator.begin',
  subject: 'user',
  button: 'Become the operator',
  fields: { token: given<string>() },
  statement: ({ id }, { token }) => done((sql) => sql`operator_begin(${hashToken(token)}, ${id})`),
})

/** Makes a link by which somebody sets a new password. @returns its token */
export const resetLink = act({
  ...USER,
  name: 'user.reset-link',
  noun: 'person',
  button: 'Make the link',
  command: 'user reset',
  about: 'a link by which somebody sets a new password; it works once, for an hour',
  fields: { email: hidden },
  async ask(resources, target) {
    const person = await customerOf(resources, target)
    return (
      person && {
        title: `Make a password link for ${person.name}`,
        lead: `Whoever has the link sets a new password of ${person.email}: give it to them alone. It works once, for an hour.`,
        read: { email: person.email },
      }
    )
  },
  statement({ id }, { email }) {
    const { token, hash } = newToken()
    return {
      call: (sql) => linkCall(sql, hash, 'reset', { id, email }),
      result: () => token,
    }
  },
  tell({ desk, target: { id }, values: { email }, result }) {
    const link = resetUrl(desk().sender.appUrl, result)
    return { json: { id, email, link }, text: link }
  },
})

/** Confirms a user's address. */
export const verifyEmail = act({
  ...USER,
  name: 'user.verify',
  noun: 'address to confirm',
  button: 'Confirm e-mail',
  ...{
    command: 'user verify',
    about: 'take an address for confirmed, as the link in a mail would',
  },
  said: 'The address counts as confirmed.',
  fields: { email: hidden },
  async ask(resources, target) {
    const person = await customerOf(resources, target)
    if (!person || person.emailVerifiedAt) return undefined
    return {
      title: `Confirm the address of ${person.name}`,
      lead: `${person.email} counts as theirs then, as after the link of a mail. Be sure that it is.`,
      read: { email: person.email },
    }
  },
  statement: ({ id }, { email }) => done((sql) => sql`user_set_email(${id}, ${email}, true)`),
  tell: ({ target: { id }, values: { email } }) => ({
    json: { id, email, verified: true },
    text: `${email} is confirmed`,
  }),
})

/** Turns the second factor off of somebody who has lost it. Nothing is done where none is on. */
export const turnSecondFactorOff = act({
  ...USER,
  name: 'user.second-factor-off',
  noun: 'second factor',
  button: 'Turn off',
  said: 'Their password alone signs them in now.',
  async ask(resources, target) {
    const person = await customerOf(resources, target)
    if (!person?.hasSecondFactor) return undefined
    return {
      title: `Turn two-step sign-in of ${person.name} off`,
      lead: `The password alone signs ${person.email} in then. Be sure that it is they who ask.`,
    }
  },
  statement: ({ id }) => done((sql) => sql`second_factor_remove(${id})`),
})

/** Ends every session of somebody. Nothing is done where there is none. */
export const endSessions = act({
  ...USER,
  name: 'user.end-sessions',
  noun: 'session',
  button: 'Sign out everywhere',
  said: 'They are signed out everywhere.',
  async ask(resources, target) {
    const person = await personOf(resources, target)
    return (
      person && {
        title: `Sign ${person.name} out`,
        lead: `${person.email} is signed out of every browser. Keys work on.`,
      }
    )
  },
  statement: ({ id }) => done((sql) => sql`user_end_sessions(${id})`),
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

/** True if a token makes whoever has it the first operator now. */
export const holdsOperatorLink = (database: Database, token: string): Promise<boolean> =>
  database.use(({ sql }) => isTrue(sql`select operator_link_holds(${hashToken(token)})`))
