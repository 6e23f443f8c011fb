/** `user list|reset|verify|factor` */
import { type Command, InvalidArgumentError } from 'commander'
import { addressOf } from '../config.ts'
import type { Database } from '../database/client.ts'
import { findUser, listUsers, setEmail } from '../users/repository.ts'
import { removeSecondFactor, secondFactorOf } from '../users/second-factor-store.ts'
import { newOneTimeToken } from '../users/tokens.ts'
import { FieldError, validEmail } from '../users/validation.ts'
import { listing, Refusal, subcommand, withDatabase } from './command.ts'

export function registerUser(program: Command) {
  const user = program.command('user').description('people who sign in to the application')

  subcommand(user, 'list', 'everybody who has signed up').action(
    withDatabase(async ({ database }) =>
      listing('users', await listUsers(database), 'nobody', (listed) => {
        const note = listed.emailVerifiedAt ? '' : '  (address not confirmed)'
        return `${listed.id}  ${listed.email}  ${listed.name}${note}`
      }),
    ),
  )

  const userCommand = (name: string, description: string) =>
    subcommand(user, name, description).argument('<email>', 'their address', parseEmail)

  userCommand(
    'reset',
    'a link by which somebody sets a new password; it works once, for an hour',
  ).action(
    withDatabase(async ({ database, config }, email: string) => {
      const { id } = await userOf(database, email)
      const token = await newOneTimeToken(database, 'reset', id, email)
      const appUrl = config.appUrl ?? addressOf(config.host, config.appPort)
      const link = `${appUrl}/reset?token=${token}`
      return { json: { id, email, link }, text: link }
    }),
  )

  userCommand('verify', 'take an address for confirmed, as the link in a mail would').action(
    withDatabase(async ({ database }, email: string) => {
      const { id } = await userOf(database, email)
      await setEmail(database, id, email, true)
      return { json: { id, email, verified: true }, text: `${email} is confirmed` }
    }),
  )

  userCommand('factor', 'whether somebody signs in in two steps, with a code after the password')
    .option(
      '--off',
      'turn it off, for somebody who has lost both their app and their recovery codes',
    )
    .action(
      withDatabase(async ({ database }, email: string, { off = false }: { off?: boolean }) => {
        const { id } = await userOf(database, email)
        if (off) {
          const wasOn = await removeSecondFactor(database, id)
          const text = wasOn
            ? `two-step sign-in of ${email} is off: the password alone signs in`
            : `two-step sign-in of ${email} was not on`
          return { json: { id, email, on: false, wasOn }, text }
        }
        const factor = await secondFactorOf(database, id)
        if (!factor)
          return { json: { id, email, on: false }, text: `two-step sign-in of ${email} is off` }
        const { onSince, recoveryCodesLeft } = factor
        return {
          json: { id, email, on: true, onSince, recoveryCodesLeft },
          text: `two-step sign-in of ${email} is on since ${onSince}; recovery codes left: ${recoveryCodesLeft}`,
        }
      }),
    )
}

async function userOf(database: Database, email: string) {
  const user = await findUser(database, email)
  if (!user) throw new Refusal(`nobody has signed up as ${email}`)
  return user
}

function parseEmail(value: string): string {
  try {
    return validEmail('email', value)
  } catch (error) {
    if (error instanceof FieldError) throw new InvalidArgumentError(error.message)
    throw error
  }
}
