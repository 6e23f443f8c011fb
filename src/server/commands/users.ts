/** `user list|factor|operator`, `mail test`, `audit`: people who sign in, the mail server, and what operators did; `acts.ts` adds `reset` and `verify`. */
import type { Command } from 'commander'
import { readConfig } from '../../config.ts'
import { type AuditLine, changesOf, readAuditLog } from '../../console/acts/audit-log.ts'
import { perform } from '../../console/acts/perform.ts'
import {
  giveOperator,
  listOperators,
  takeOperatorAway,
  turnSecondFactorOff,
} from '../../console/acts/users.ts'
import { MailNotSent, openMailServer } from '../../people/users/mail.ts'
import { listUsers } from '../../people/users/repository.ts'
import { secondFactorOf } from '../../people/users/second-factor-store.ts'
import { listing, Refusal, reporting, subcommand, typist, userOf, withDatabase } from './command.ts'
import { parseCount, parseEmail, parseId, parseText } from './parsers.ts'

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

  registerOperator(user)

  registerFactor(user)
}

function registerOperator(user: Command) {
  subcommand(
    user,
    'operator',
    'make somebody an operator, who uses /operator; without an address, who is one',
  )
    .argument('[email]', 'their address', parseEmail)
    .option('--revoke', 'take it away: it holds from the next request on', false)
    .action(
      withDatabase(
        async ({ database }, email: string | undefined, { revoke }: { revoke: boolean }) => {
          if (email === undefined) {
            if (revoke) throw new Refusal('whose? user operator EMAIL --revoke')
            return listing('operators', await listOperators(database), 'nobody', (operator) => {
              return `${operator.id}  ${operator.email}  ${operator.name}  since ${operator.operatorSince}`
            })
          }
          const named = await userOf(database, email)
          const act = revoke ? takeOperatorAway : giveOperator
          if (!(await perform(database, typist(), act, named.id))) {
            throw new Refusal(
              revoke ? `${email} is no operator` : `${email} is an operator already`,
            )
          }
          const text = revoke ? `${email} is no operator any more` : `${email} is an operator`
          return { json: { id: named.id, email, operator: !revoke }, text }
        },
      ),
    )
}

function registerFactor(user: Command) {
  subcommand(
    user,
    'factor',
    'whether somebody signs in in two steps, with a code after the password',
  )
    .argument('<email>', 'their address', parseEmail)
    .option(
      '--off',
      'turn it off, for somebody who has lost both their app and their recovery codes',
    )
    .action(
      withDatabase(async ({ database }, email: string, { off = false }: { off?: boolean }) => {
        const { id } = await userOf(database, email)
        if (off) {
          const wasOn = (await perform(database, typist(), turnSecondFactorOff, id)) === true
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

export function registerMail(program: Command) {
  const mail = program.command('mail').description('the mail server of SMTP_URL')

  subcommand(mail, 'test', 'send a mail at once, and say what the server answers')
    .argument('<email>', 'where to', parseEmail)
    .action(reporting(sendTest))
}

async function sendTest(email: string) {
  const config = readConfig(process.env)
  const server = await openMailServer(config)
  if (!server) throw new Refusal('SMTP_URL is not set, so no mail is sent')
  const { serviceName } = config
  const answer = await server
    .send({
      to: email,
      subject: `A test mail of ${serviceName}`,
      text: `The operator of ${serviceName} sent this mail to see whether mails arrive.\n`,
    })
    .catch((error: unknown) => {
      if (!(error instanceof MailNotSent) || error.said === '') throw error
      throw new Refusal(`${error.message}. The server said: ${error.said}`)
    })
  return { json: { to: email, answer }, text: `the mail server took a mail to ${email}: ${answer}` }
}

interface AuditOptions {
  account?: string
  subject?: string
  by?: string
  act?: string
  limit: number
}

export function registerAudit(program: Command) {
  subcommand(program, 'audit', 'what operators did, by commands and pages, the newest first')
    .option('--account <id>', 'to this account', parseId)
    .option('--subject <id>', 'to this key, payment, user or record', parseId)
    .option('--by <who>', 'by whoever has this e-mail address or user name', parseText)
    .option('--act <name>', 'of this name, like credits.grant', parseText)
    .option('--limit <n>', 'how many lines', parseCount, 50)
    .action(
      withDatabase(async ({ database }, { account, subject, by, act, limit }: AuditOptions) => {
        const lines = await readAuditLog(database, { account, subject, who: by, act, limit })
        return listing('lines', lines, 'nothing was done', auditText)
      }),
    )
}

function auditText(line: AuditLine): string {
  const { at, who, via, address, act, accountId, subjects } = line
  const changes = changesOf(line).map(
    ({ field, before, after }) => `${field}: ${valueText(before)} -> ${valueText(after)}`,
  )
  const to = [accountId && `account ${accountId}`, ...subjects].filter(Boolean).join(', ')
  const from = address ? ` from ${address}` : ''
  return `${at}  ${who} (${via}${from})  ${act}  ${to}  ${changes.join('; ')}`.trimEnd()
}

const valueText = (value: unknown) => (value === undefined || value === null ? '-' : String(value))
