/** How `privacy done` and `privacy refuse` close a request. */
import { addressOf } from '../config.ts'
import { erasePerson } from '../editing/erase.ts'
import { closeRequest } from '../operator/privacy.ts'
import { letterOfEnd } from '../privacy/letters.ts'
import { type ShownRequest, showRequest } from '../privacy/register.ts'
import { MailNotSent, sendMail } from '../users/mail.ts'
import { type Context, Refusal, type Result, reasonOf } from './command.ts'
import { rewriting } from './erase.ts'
import { performed } from './performed.ts'
import { who } from './record.ts'

/** Does what ends a request while nobody else can: of two operators one alone mails and closes. @throws Refusal for the other */
async function aloneWith<T>(
  { takeLongLock }: Context,
  id: string,
  end: () => Promise<T>,
): Promise<T> {
  const lock = await takeLongLock(`end of privacy request ${id}`)
  if (!lock) throw new Refusal(`somebody else is closing request ${id}`)
  try {
    return await end()
  } finally {
    await lock.release()
  }
}

export const closeMailing: typeof mailAndClose = (context, id, ...how) =>
  aloneWith(context, id, () => mailAndClose(context, id, ...how))

export const closeErasing: typeof eraseAndClose = (context, id, ...how) =>
  aloneWith(context, id, () => eraseAndClose(context, id, ...how))

/**
 * Mails the end of an open request, then closes it: a request whose mail was not taken stays open.
 * @param reason why it is refused; null where it is done @param mails false: what the mail would say is printed
 * @throws Refusal where it is not open, or the mail server doesn't take the mail
 */
async function mailAndClose(
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
  if (!(await performed(database, closeRequest(id, reason))))
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

/**
 * Erases a person and closes the request that asked for it; then the database's files forget both. The person stays erased
 * where the mail is not taken: the request is open then.
 * @param person one of those whom the request leads to @param isKnown whether the operator knows by other means that they
 *   asked. @throws Refusal for anybody else, and where neither that nor a confirmed address on file says so
 */
async function eraseAndClose(
  context: Context,
  id: string,
  { person, isKnown }: { person: string; isKnown: boolean },
  mails: boolean,
): Promise<Result> {
  const { database } = context
  const request = await showRequest(database, id)
  if (request?.state !== 'open' || request.kind !== 'remove')
    throw new Refusal(`there is no open request ${id} to remove somebody`)
  const candidate = request.people.find((found) => found.id === person)
  if (!candidate) throw new Refusal(`request ${id} leads to no person ${person}: see privacy show`)
  if (!isKnown && !(request.isConfirmed && candidate.isEmailOnFile))
    throw new Refusal(
      'the request does not come from an address that is on file, so anybody may have asked; an erasure can’t be undone: ask back, then repeat it with --yes',
    )
  let closed: Result | undefined
  const erased = await rewriting(context, async () => {
    const done = await erasePerson(database, person, who(undefined))
    closed = await mailAndClose(context, id, null, mails).catch(asResult)
    return done
  })
  return {
    json: { ...closed?.json, erased: erased.json },
    text: [erased.text, closed?.text].join('\n'),
    exitCode: closed?.exitCode || erased.exitCode || 0,
  }
}

/** What could not be done, as what the command says at its end. */
function asResult(error: unknown): Result {
  const reason = reasonOf(error)
  return { json: { error: reason }, text: reason, exitCode: 1 }
}

function refuseToClose(error: unknown): never {
  if (!(error instanceof MailNotSent)) throw error
  throw new Refusal(
    `the mail was not sent (${error.message}), so the request stays open; --no-mail closes it and prints the mail`,
  )
}
