/** `privacy list|show`: requests of people about their own data; `acts.ts` adds `done` and `refuse`. */
import type { Command } from 'commander'
import type { Candidate } from '../../people/privacy/candidates.ts'
import {
  listRequests,
  type PrivacyRequest,
  REQUEST_STATES,
  type RequestState,
  type ShownRequest,
  showRequest,
} from '../../people/privacy/register.ts'
import { existing, listing, subcommand, withDatabase } from './command.ts'
import { parseChoice, parseId } from './parsers.ts'

export function registerPrivacy(program: Command) {
  const privacy = program
    .command('privacy')
    .description('what people ask about their own data, on /privacy')
  subcommand(privacy, 'list', 'requests, the oldest first, with the days left to answer')
    .option('--state <state>', REQUEST_STATES.join(', '), parseChoice(REQUEST_STATES))
    .action(
      withDatabase(async ({ database }, { state }: { state?: RequestState }) =>
        listing('requests', await listRequests(database, state), 'none', lineOf),
      ),
    )

  subcommand(privacy, 'show', 'one request, and whom of the directory it may be about')
    .argument('<id>', 'the request', parseId)
    .action(
      withDatabase(async ({ database }, id: string) => {
        const request = existing(await showRequest(database, id), 'privacy request', id)
        return { json: { ...request }, text: textOf(request) }
      }),
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
