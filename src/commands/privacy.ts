/** `privacy list|show|done|refuse`: what people ask about their own data. */
import { type Command, InvalidArgumentError } from 'commander'
import { addressOf } from '../config.ts'
import type { Candidate } from '../privacy/candidates.ts'
import { letterOfEnd } from '../privacy/letters.ts'
import {
  closeRequest,
  listRequests,
  type PrivacyRequest,
  REQUEST_STATES,
  type RequestState,
  type ShownRequest,
  showRequest,
} from '../privacy/register.ts'
import { MailNotSent, sendMail } from '../users/mail.ts'
import { type Context, listing, Refusal, type Result, subcommand, withDatabase } from './command.ts'
import { parseChoice, parseId } from './parsers.ts'

const MAX_REASON = 1_000

interface CloseOptions {
  /** False with `--no-mail`. */
  mail: boolean
}

export function registerPrivacy(program: Command) {
  const privacy = program
    .command('privacy')
    .description('what people ask about their own data, on /privacy')
  const requestCommand = (name: string, description: string) =>
    subcommand(privacy, name, description).argument('<id>', 'the request', parseId)

  subcommand(privacy, 'list', 'requests, the oldest first, with the days left to answer')
    .option('--state <state>', REQUEST_STATES.join(', '), parseChoice(REQUEST_STATES))
    .action(
      withDatabase(async ({ database }, { state }: { state?: RequestState }) =>
        listing('requests', await listRequests(database, state), 'none', lineOf),
      ),
    )

  requestCommand('show', 'one request, and whom of the directory it may be about').action(
    withDatabase(async ({ database }, id: string) => {
      const request = await showRequest(database, id)
      if (!request) throw new Refusal(`there is no privacy request ${id}`)
      return { json: { ...request }, text: textOf(request) }
    }),
  )

  requestCommand('done', 'it is done: tell the person, and forget whose request it was')
    .option('--no-mail', 'send no mail; what it would say is printed')
    .action(
      withDatabase((context, id: string, { mail }: CloseOptions) => close(context, id, null, mail)),
    )

  requestCommand('refuse', 'it is refused: tell the person why, and forget whose request it was')
    .requiredOption('--reason <text>', 'why, as the person reads it', parseReason)
    .option('--no-mail', 'send no mail; what it would say is printed')
    .action(
      withDatabase((context, id: string, { mail, reason }: CloseOptions & { reason: string }) =>
        close(context, id, reason, mail),
      ),
    )
}

/**
 * Mails the end of an open request, then closes it: a request whose mail was not taken stays open.
 * @param reason why it is refused; null where it is done
 */
async function close(
  { database, config }: Context,
  id: string,
  reason: string | null,
  mails: boolean,
): Promise<Result> {
  const request = await showRequest(database, id)
  if (!request?.email || request.state !== 'open')
    throw new Refusal(`there is no open privacy request ${id}`)
  const { kind, email } = request
  const { serviceName } = config
  const appUrl = config.appUrl ?? addressOf(config.host, config.appPort)
  const letter = { to: email, ...letterOfEnd({ serviceName, appUrl }, { id, kind, reason }) }
  const isMailed = mails && (await sendMail(config, letter).catch(refuseToClose))
  if (!(await closeRequest(database, id, reason)))
    throw new Refusal(`request ${id} was closed meanwhile`)
  const state = reason === null ? 'done' : 'refused'
  const listed = kind === 'remove' && state === 'done' ? stillListed(request) : []
  const left = listed.map((person) => `\nstill in the directory: person erase ${person}`).join('')
  const json = { id, kind, state, mailed: isMailed, stillListed: listed }
  if (isMailed) return { json, text: `${state}; mailed${left}` }
  const printed = `It would say, to ${email}:\n\n${letter.subject}\n\n${letter.text}`
  return {
    json: { ...json, letter },
    text: `${state}; no mail was sent${left}\n${printed}`,
  }
}

/** Ids of those whom the request leads to by more than their name. */
function stillListed({ people }: ShownRequest): string[] {
  return people.flatMap(({ id, foundBy }) => (foundBy.some((way) => way !== 'name') ? [id] : []))
}

function refuseToClose(error: unknown): never {
  if (!(error instanceof MailNotSent)) throw error
  throw new Refusal(
    `the mail was not sent (${error.message}), so the request stays open; --no-mail closes it and prints the mail`,
  )
}

function lineOf({ id, kind, state, person, reason, ...request }: PrivacyRequest): string {
  const { askedAt, closedAt } = request
  const end = closedAt === null ? daysLeft(request) : `closed ${closedAt}`
  const what =
    closedAt === null ? `${JSON.stringify(person)}  ${addressOfAsker(request)}` : (reason ?? '')
  return `${id}  ${askedAt}  ${state}: ${kind}  ${end}  ${what}`.trimEnd()
}

const addressOfAsker = ({ email, isConfirmed }: Pick<PrivacyRequest, 'email' | 'isConfirmed'>) =>
  `<${email}>${isConfirmed ? '' : ' (NOT confirmed: no mail is sent here)'}`

function daysLeft({ deadlines }: Pick<PrivacyRequest, 'deadlines'>): string {
  if (!deadlines) return ''
  const { eu, california } = deadlines
  const left = (days: number) => (days < 0 ? `${-days} days LATE` : `${days} days left`)
  return `EU: ${left(eu.daysLeft)}, California: ${left(california.daysLeft)}`
}

function textOf(request: ShownRequest): string {
  const { details, people, kind, closedAt } = request
  if (closedAt !== null) return lineOf(request)
  const found =
    people.length === 0
      ? ['Nobody in the directory is found by this name, address or profile.']
      : ['Whom it may be about:', ...people.map((person) => candidateText(person, kind))]
  // Marked line by line, so that nobody's text looks like a finding.
  const said = details?.split('\n').map((line) => `  > ${line}`) ?? []
  return [lineOf(request), ...said, ...found].join('\n')
}

/** What comes next for each kind. Whom to tell of an erasure is known before it only. */
const COMMANDS: Readonly<Record<PrivacyRequest['kind'], (id: string) => string[]>> = {
  show: (id) => [`person show ${id} --everything`],
  correct: (id) => [`person set ${id} FIELD=VALUE`],
  remove: (id) => [
    `person show ${id} --everything   # unlockedBy: whom to tell`,
    `person erase ${id}`,
  ],
}

function candidateText(
  { id, name, company, foundBy, isEmailOnFile }: Candidate,
  kind: PrivacyRequest['kind'],
): string {
  const email =
    isEmailOnFile === null
      ? 'no e-mail on file'
      : `the request's address ${isEmailOnFile ? 'IS' : 'is NOT'} the one on file`
  const who = company === null ? name : `${name}, ${company}`
  const next = COMMANDS[kind](id).map((command) => `\n    chainkin ${command}`)
  return `  ${who}: found by ${foundBy.join(', ')}; ${email}${next.join('')}`
}

function parseReason(value: string): string {
  const text = value.trim()
  if (text === '' || text.length > MAX_REASON) {
    throw new InvalidArgumentError(`Expected 1 to ${MAX_REASON} characters.`)
  }
  return text
}
