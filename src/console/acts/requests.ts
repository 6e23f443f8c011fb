/** Acts on privacy requests: answered, or ended, which means mailed, closed and forgotten, after an erasure where it asked for one. */
import { type Actor, asAuthor } from '../../database/actor.ts'
import { DatabaseUnavailable, describeError } from '../../database/client.ts'
import type { Erased } from '../../database/erasures.ts'
import { type Everything, erasePerson, everythingAbout } from '../../intake/editing/data-subject.ts'
import { letterOfEnd } from '../../people/privacy/letters.ts'
import { closeCall, type ShownRequest, showRequest } from '../../people/privacy/register.ts'
import { MAX_REASON, type RequestKind } from '../../people/privacy/rules.ts'
import { type Mail, MailNotSent } from '../../people/users/mail.ts'
import { FieldError } from '../../people/users/validation.ts'
import {
  ActRefused,
  act,
  done,
  given,
  lines,
  type Output,
  optional,
  type Resources,
  tick,
  uuid,
} from './act.ts'
import { type Desk, type Erasing, eraseIn } from './erase.ts'
import { perform } from './perform.ts'
import { ERASURE, erasedOutput } from './records.ts'

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

/** Ends a request under a lock, so that of two operators only one mails and closes. @throws ActRefused for the other */
async function aloneWith<T>({ takeLongLock }: Desk, id: string, end: () => Promise<T>): Promise<T> {
  const lock = await takeLongLock(`end of privacy request ${id}`)
  if (!lock) throw new ActRefused(`somebody else is closing request ${id}`)
  try {
    return await end()
  } finally {
    await lock.release()
  }
}

/**
 * Mails the end of an open request, then closes it: a request whose mail was not taken stays open.
 * @throws ActRefused where it is not open, or the mail server doesn't take the mail
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
    throw new ActRefused(`there is no open privacy request ${id}`)
  const { kind, email } = request
  const letter = { to: email, ...letterOfEnd(sender, { id, kind, reason }) }
  const mailed = mails && (await sendMail(letter).catch(refuseToClose))
  if (!(await perform(database, by, closeRequest, id, { reason })))
    throw new ActRefused(`request ${id} was closed meanwhile`)
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
 *   asked. @throws ActRefused for anybody else, and where neither that nor a confirmed address on file says so
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
      throw new ActRefused(`there is no open request ${id} to remove somebody`)
    const candidate = request.people.find((found) => found.id === person)
    if (!candidate)
      throw new ActRefused(`request ${id} leads to no person ${person}: see privacy show`)
    if (!isKnown && !(request.isConfirmed && candidate.isEmailOnFile))
      throw new ActRefused(
        'the request does not come from an address that is on file, so anybody may have asked; an erasure can’t be undone: ask back, then repeat it with --yes',
      )
    const { erased, rewrite } = await eraseIn(desk, () =>
      erasePerson(database, person, asAuthor(by)),
    )
    if (!erased) throw new ActRefused(`there is no person ${person}`)
    const closed = await mailAndClose(desk, by, id, { reason: null, mails }).catch(
      (failure: unknown) => ({ failure }),
    )
    return { erased, rewrite, closed }
  })
}

function refuseToClose(error: unknown): never {
  if (!(error instanceof MailNotSent)) throw error
  throw new ActRefused(
    `the mail was not sent (${error.message}), so the request stays open: it can be ended without a mail, which you then send`,
  )
}

/**
 * Closes an open request and forgets whose it was. Nothing is done where it is not open.
 * `reason` says why it is refused; null where it is done.
 */
export const closeRequest = act({
  name: 'privacy.close',
  subject: 'request',
  button: '',
  fields: { reason: given<string | null>() },
  statement: ({ id }, { reason }) => done((sql) => closeCall(sql, id, reason)),
})

const REQUEST = { subject: 'request', noun: 'open request' } as const

/** Kinds of requests, in words. */
export const KINDS: Readonly<Record<RequestKind, string>> = {
  show: 'To be shown',
  correct: 'To be corrected',
  remove: 'To be removed',
}

const unmailed = {
  ...tick,
  label: 'Send no mail: I tell them',
  hint: 'The page after this one shows what the mail would say.',
  option: '--no-mail',
  about: 'send no mail; what it would say is printed',
}

/** @returns undefined for one that is closed too */
async function openRequest({ database }: Resources, id: string): Promise<ShownRequest | undefined> {
  const request = await showRequest(database, id)
  return request?.state === 'open' ? request : undefined
}

/** @param end in words */
async function endQuestion(resources: Resources, id: string, end: string) {
  const request = await openRequest(resources, id)
  return (
    request && {
      title: `Say that the request ${end}`,
      lead: `${KINDS[request.kind]}. A mail says so, and whose request it was is forgotten.`,
    }
  )
}

/** Ends a request that is done. */
export const endAsDone = act({
  ...REQUEST,
  name: 'privacy.done',
  button: 'It is done',
  said: 'The request is done: the person was told, and whose it was is forgotten.',
  command: 'privacy done',
  about: 'it is done: tell the person, and forget whose request it was',
  fields: {
    erase: {
      ...optional(uuid),
      option: '--erase <person>',
      about: 'of a removal: erase this person first, an id that show names',
    },
    yes: {
      ...tick,
      option: '--yes',
      about: 'erase although the mail does not show that they asked: you know it otherwise',
    },
    unmailed,
  },
  ask: (resources, { on }) => endQuestion(resources, on, 'is done'),
  run: (
    { desk, by },
    { id },
    { erase: person, yes: isKnown, unmailed },
  ): Promise<Closed | Removed | undefined> =>
    person === undefined
      ? endRequest(desk(), by, id, { reason: null, mails: !unmailed })
      : removeAsAsked(desk(), by, id, { person, isKnown, mails: !unmailed }),
  tell: ({ result }) => ('erased' in result ? removedOutput(result) : closedOutput(result)),
})

function failedOutput(failure: unknown): Output {
  const isForeseen = failure instanceof ActRefused || failure instanceof DatabaseUnavailable
  const reason = isForeseen ? failure.message : describeError(failure)
  return { json: { error: reason }, text: reason, exitCode: 1 }
}

async function removedOutput({ erased, rewrite, closed }: Removed): Promise<Output> {
  const end = 'failure' in closed ? failedOutput(closed.failure) : closedOutput(closed)
  const { json, text, exitCode } = erasedOutput(erased, await rewrite())
  return {
    json: { ...end.json, erased: json },
    text: [text, end.text].join('\n'),
    exitCode: end.exitCode || exitCode || 0,
  }
}

/** Refuses a request. */
export const refuseRequest = act({
  ...REQUEST,
  name: 'privacy.refuse',
  button: 'Refuse it',
  said: 'The request is refused: the person was told why, and whose it was is forgotten.',
  command: 'privacy refuse',
  about: 'it is refused: tell the person why, and forget whose request it was',
  fields: {
    reason: {
      ...lines(MAX_REASON),
      label: 'Why, as the person reads it',
      option: '--reason <text>',
      about: 'why, as the person reads it',
    },
    unmailed,
  },
  ask: (resources, { on }) => endQuestion(resources, on, 'is refused'),
  run: ({ desk, by }, { id }, { reason, unmailed }): Promise<Closed | undefined> =>
    endRequest(desk(), by, id, { reason, mails: !unmailed }),
  tell: ({ result }) => closedOutput(result),
})

/** The output of a command that closed a request. */
function closedOutput({ letter, ...closed }: Closed): Output {
  const { id, kind, state, mailed, stillListed } = closed
  const left = stillListed
    .map((person) => `\nstill in the directory: person erase ${person}`)
    .join('')
  const json = { id, kind, state, mailed, stillListed }
  if (!letter) return { json, text: `${state}; mailed${left}` }
  const printed = `It would say, to ${letter.to}:\n\n${letter.subject}\n\n${letter.text}`
  return { json: { ...json, letter }, text: `${state}; no mail was sent${left}\n${printed}` }
}

/** Erases a person of a request to be removed, and closes the request. */
export const eraseAsAsked = act({
  ...REQUEST,
  name: 'privacy.erase',
  button: 'Erase',
  fields: {
    known: {
      kind: 'statement',
      label:
        'The request does not come from a confirmed address that is on file, so anybody may have asked. I know by other means that they did.',
      read(text: string, name: string): boolean {
        if (text === 'yes') return true
        throw new FieldError(name, 'Ask back first: an erasure can’t be undone.')
      },
    },
    unmailed,
  },
  async ask(resources, { on, of }) {
    const request = await openRequest(resources, on)
    const candidate = request?.people.find(({ id }) => id === of)
    if (request?.kind !== 'remove' || !candidate) return undefined
    const isProved = request.isConfirmed && candidate.isEmailOnFile === true
    return {
      title: `Erase ${candidate.name}`,
      lead: `${ERASURE} The request is closed then, and whoever asked is told.`,
      ...(isProved && { without: ['known'] }),
    }
  },
  run: ({ desk, by }, { on, of: person }, values): Promise<Removed | undefined> =>
    removeAsAsked(desk(), by, on, {
      person,
      isKnown: values.known === true,
      mails: !values.unmailed,
    }),
})

/** Notes that an operator had all that is held of the person of an open request to be shown it. @returns all of it */
export const answerRequest = act({
  ...REQUEST,
  name: 'privacy.answer',
  fields: {},
  button: 'Download',
  async ask(resources, { on, of }) {
    const request = await openRequest(resources, on)
    const candidate = request?.people.find(({ id }) => id === of)
    if (request?.kind !== 'show' || !candidate) return undefined
    return {
      title: `Download all that is held of ${candidate.name}`,
      lead: 'The file has their private channels: it is for that person alone. Know first that it is they who asked. The audit log says that you had it.',
    }
  },
  statement: ({ id }) =>
    done(
      (sql) =>
        sql`exists (select from privacy_requests where id = ${id} and state = 'open' and kind = 'show')`,
    ),
  run: async ({ database, own }, target): Promise<Everything | undefined> =>
    (await own(target, {})) && everythingAbout(database, target.of),
})
