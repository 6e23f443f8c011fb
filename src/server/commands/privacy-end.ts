/** How `privacy done` and `privacy refuse` close a request: what `src/console/acts/requests.ts` did, in words. */
import { addressOf } from '../../config.ts'
import { type Closed, type Desk, endRequest, removeAsAsked } from '../../console/acts/requests.ts'
import { sendMail } from '../../people/users/mail.ts'
import { type Context, type Result, reasonOf } from './command.ts'
import { erasedResult } from './erase.ts'
import { typist } from './performed.ts'

function deskOf({ config, database, takeLongLock }: Context): Desk {
  const { serviceName } = config
  const appUrl = config.appUrl ?? addressOf(config.host, config.appPort)
  return {
    ...{ database, takeLongLock, beside: config, sender: { serviceName, appUrl } },
    sendMail: (mail) => sendMail(config, mail),
  }
}

/** @param reason why it is refused; null where it is done @param mails false: what the mail would say is printed */
export async function closeMailing(
  context: Context,
  id: string,
  reason: string | null,
  mails: boolean,
): Promise<Result> {
  return closedResult(await endRequest(deskOf(context), typist(), id, { reason, mails }))
}

function closedResult({ letter, ...closed }: Closed): Result {
  const { id, kind, state, mailed, stillListed } = closed
  const left = stillListed
    .map((person) => `\nstill in the directory: person erase ${person}`)
    .join('')
  const json = { id, kind, state, mailed, stillListed }
  if (!letter) return { json, text: `${state}; mailed${left}` }
  const printed = `It would say, to ${letter.to}:\n\n${letter.subject}\n\n${letter.text}`
  return { json: { ...json, letter }, text: `${state}; no mail was sent${left}\n${printed}` }
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
    'failure' in removed.closed ? asResult(removed.closed.failure) : closedResult(removed.closed)
  const erased = erasedResult(removed.erased, await removed.rewrite())
  return {
    json: { ...closed.json, erased: erased.json },
    text: [erased.text, closed.text].join('\n'),
    exitCode: closed.exitCode || erased.exitCode || 0,
  }
}

/** What could not be done, as what the command says at its end. */
function asResult(error: unknown): Result {
  const reason = reasonOf(error)
  return { json: { error: reason }, text: reason, exitCode: 1 }
}
