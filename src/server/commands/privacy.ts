/** `privacy list|show|done`: requests of people about their own data; `acts.ts` adds `refuse`. */
import type { Command } from 'commander'
import { closedOutput, endRequest, removeAsAsked } from '../../console/acts/requests.ts'
import type { Candidate } from '../../people/privacy/candidates.ts'
import {
  listRequests,
  type PrivacyRequest,
  REQUEST_STATES,
  type RequestState,
  type ShownRequest,
  showRequest,
} from '../../people/privacy/register.ts'
import { deskOf } from './acts.ts'
import {
  type Context,
  listing,
  Refusal,
  type Result,
  reasonOf,
  subcommand,
  typist,
  withDatabase,
} from './command.ts'
import { erasedResult } from './erasures.ts'
import { parseChoice, parseId } from './parsers.ts'

interface CloseOptions {
  /** False by `--no-mail`. */
  mail: boolean
}

interface DoneOptions extends CloseOptions {
  erase?: string
  yes?: boolean
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
    .option(
      '--erase <person>',
      'of a removal: erase this person first, an id that show names',
      parseId,
    )
    .option('--yes', 'erase although the mail does not show that they asked: you know it otherwise')
    .option('--no-mail', 'send no mail; what it would say is printed')
    .action(
      withDatabase((context, id: string, { mail, erase, yes }: DoneOptions) =>
        erase === undefined
          ? endRequest(deskOf(context), typist(), id, { reason: null, mails: mail }).then(
              closedOutput,
            )
          : closeErasing(context, id, { person: erase, isKnown: yes === true }, mail),
      ),
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
  const { details, people, closedAt } = request
  if (closedAt !== null) return lineOf(request)
  const found =
    people.length === 0
      ? ['Nobody in the directory is found by this name, address or profile.']
      : ['Whom it may be about:', ...people.map((person) => candidateText(person, request))]
  // Each line is marked, so that a person's text can't look like a finding.
  const said = details?.split('\n').map((line) => `  > ${line}`) ?? []
  return [lineOf(request), ...said, ...found].join('\n')
}

/** Next commands for each kind of request. `person show` comes before the erasure, after which nobody knows whom to tell. */
const COMMANDS: Readonly<
  Record<PrivacyRequest['kind'], (person: string, request: string) => string[]>
> = {
  show: (id) => [`person show ${id} --everything`],
  correct: (id) => [`person set ${id} FIELD=VALUE`],
  remove: (id, request) => [
    `person show ${id} --everything   # unlockedBy: whom to tell`,
    `privacy done ${request} --erase ${id}`,
  ],
}

function candidateText(
  { id, name, company, foundBy, isEmailOnFile }: Candidate,
  request: Pick<PrivacyRequest, 'id' | 'kind' | 'isConfirmed'>,
): string {
  const email =
    isEmailOnFile === null
      ? 'no e-mail on file'
      : `the request's address ${isEmailOnFile ? 'IS' : 'is NOT'} the one on file${
          isEmailOnFile && !request.isConfirmed ? ', but anybody may have typed it' : ''
        }`
  const named = company === null ? name : `${name}, ${company}`
  const next = COMMANDS[request.kind](id, request.id).map((command) => `\n    chainkin ${command}`)
  return `  ${named}: found by ${foundBy.join(', ')}; ${email}${next.join('')}`
}

/** Erases a person and closes the request that asked for it; then the database's files forget both. */
export async function closeErasing(
  context: Context,
  id: string,
  { person, isKnown }: { person: string; isKnown: boolean },
  mails: boolean,
): Promise<Result> {
  const asked = { person, isKnown, mails }
  const removed = await removeAsAsked(deskOf(context), typist(), id, asked)
  const closed =
    'failure' in removed.closed ? asResult(removed.closed.failure) : closedOutput(removed.closed)
  const erased = erasedResult(removed.erased, await removed.rewrite())
  return {
    json: { ...closed.json, erased: erased.json },
    text: [erased.text, closed.text].join('\n'),
    exitCode: closed.exitCode || erased.exitCode || 0,
  }
}

/** An error as the result of a command that goes on. */
function asResult(error: unknown): Result {
  const reason = reasonOf(error)
  return { json: { error: reason }, text: reason, exitCode: 1 }
}
