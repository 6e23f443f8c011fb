/** How a privacy request ends: mailed, closed and forgotten, after an erasure where it asked for one. */
import type { Actor } from '../../database/actor.ts'
import type { Erased } from '../../database/erasures.ts'
import type { TakeLongLock } from '../../database/long-lock.ts'
import { erasePerson } from '../../intake/editing/data-subject.ts'
import { ChangeRefused } from '../../intake/editing/records.ts'
import { letterOfEnd } from '../../people/privacy/letters.ts'
import { closeCall, type ShownRequest, showRequest } from '../../people/privacy/register.ts'
import type { RequestKind } from '../../people/privacy/rules.ts'
import type { Sender } from '../../people/users/email-templates.ts'
import { type Mail, MailNotSent } from '../../people/users/mail.ts'
import { type ErasedPlace, type Erasing, eraseIn } from './erase.ts'
import { type Act, perform } from './perform.ts'

/** Resources for answering a request: the database with the files beside it, mail, and a lock. */
export interface Desk extends ErasedPlace {
  sender: Sender
  /** Sends a mail and waits for the server's answer. @returns false where no server is configured. @throws MailNotSent */
  sendMail(mail: Mail): Promise<boolean>
  takeLongLock: TakeLongLock
}

/** A request that is closed. */
export interface Closed {
  id: string
  kind: RequestKind
  state: 'done' | 'refused'
  mailed: boolean
  /** Ids of people who are still in the directory and whom the request names by more than their name. */
  stillListed: string[]
  /** Mail that could not be sent, because the request no longer has its address. */
  letter?: Mail
}

interface Ending {
  /** Why it is refused; null where it is done. */
  reason: string | null
  /** False: no mail is sent, and `letter` is what it would say. */
  mails: boolean
}

/** Ends a request under a lock, so that of two operators only one mails and closes. @throws ChangeRefused for the other */
async function aloneWith<T>({ takeLongLock }: Desk, id: string, end: () => Promise<T>): Promise<T> {
  const lock = await takeLongLock(`end of privacy request ${id}`)
  if (!lock) throw new ChangeRefused(`somebody else is closing request ${id}`)
  try {
    return await end()
  } finally {
    await lock.release()
  }
}

/**
 * Mails the end of an open request, then closes it: a request whose mail was not taken stays open.
 * @throws ChangeRefused where it is not open, or the mail server doesn't take the mail
 */
export const endRequest = (desk: Desk, by: Actor, id: string, ending: Ending): Promise<Closed> =>
  aloneWith(desk, id, () => mailAndClose(desk, by, id, ending))

async function mailAndClose(
  { database, sender, sendMail }: Desk,
  by: Actor,
  id: string,
  { reason, mails }: Ending,
): Promise<Closed> {
  const request = await showRequest(database, id)
  if (!request?.email || request.state !== 'open')
    throw new ChangeRefused(`there is no open privacy request ${id}`)
  const { kind, email } = request
  const letter = { to: email, ...letterOfEnd(sender, { id, kind, reason }) }
  const mailed = mails && (await sendMail(letter).catch(refuseToClose))
  if (!(await perform(database, by, closeRequest(id, reason))))
    throw new ChangeRefused(`request ${id} was closed meanwhile`)
  const state = reason === null ? 'done' : 'refused'
  const stillListed = kind === 'remove' && state === 'done' ? listedStill(request) : []
  return { id, kind, state, mailed, stillListed, ...(!mailed && { letter }) }
}

/** Ids of those whom the request leads to by more than their name. */
function listedStill({ people }: ShownRequest): string[] {
  return people.flatMap(({ id, foundBy }) => (foundBy.some((way) => way !== 'name') ? [id] : []))
}

/** The end of a removal: who was erased, and whether the request is closed too. */
export interface Removed extends Omit<Erasing, 'erased'> {
  erased: Erased
  /** Why the request is open still: the person stays erased. */
  closed: Closed | { failure: unknown }
}

/**
 * Erases a person and closes the request that asked for it. The person stays erased where the mail is not taken: the request is open then.
 * @param person one of those whom the request leads to @param isKnown whether the operator knows by other means that they
 *   asked. @throws ChangeRefused for anybody else, and where neither that nor a confirmed address on file says so
 */
export function removeAsAsked(
  desk: Desk,
  by: Actor,
  id: string,
  { person, isKnown, mails }: { person: string; isKnown: boolean; mails: boolean },
): Promise<Removed> {
  return aloneWith(desk, id, async () => {
    const { database } = desk
    const request = await showRequest(database, id)
    if (request?.state !== 'open' || request.kind !== 'remove')
      throw new ChangeRefused(`there is no open request ${id} to remove somebody`)
    const candidate = request.people.find((found) => found.id === person)
    if (!candidate)
      throw new ChangeRefused(`request ${id} leads to no person ${person}: see privacy show`)
    if (!isKnown && !(request.isConfirmed && candidate.isEmailOnFile))
      throw new ChangeRefused(
        'the request does not come from an address that is on file, so anybody may have asked; an erasure can’t be undone: ask back, then repeat it with --yes',
      )
    const who = by.via === 'page' ? by : by.who
    const { erased, rewrite } = await eraseIn(desk, () => erasePerson(database, person, who))
    if (!erased) throw new ChangeRefused(`there is no person ${person}`)
    const closed = await mailAndClose(desk, by, id, { reason: null, mails }).catch(
      (failure: unknown) => ({ failure }),
    )
    return { erased, rewrite, closed }
  })
}

function refuseToClose(error: unknown): never {
  if (!(error instanceof MailNotSent)) throw error
  throw new ChangeRefused(
    `the mail was not sent (${error.message}), so the request stays open: it can be ended without a mail, which you then send`,
  )
}

/**
 * Closes an open request and forgets whose it was. Nothing is done where it is not open.
 * @param reason why it is refused; null where it is done
 */
export const closeRequest = (id: string, reason: string | null): Act<boolean> => ({
  name: 'privacy.close',
  to: { kind: 'request', id },
  call: (sql) => closeCall(sql, id, reason),
  result: () => true,
})

/** Notes that an operator had all that is held of the person of an open request to be shown it. Nothing is done where there is no such request. */
export const answerRequest = (id: string): Act<boolean> => ({
  name: 'privacy.answer',
  to: { kind: 'request', id },
  call: (sql) =>
    sql`exists (select from privacy_requests where id = ${id} and state = 'open' and kind = 'show')`,
  result: () => true,
})
