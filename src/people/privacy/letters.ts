/** Mails about privacy requests. None repeats typed text, because somebody else than the reader may have typed it. */
import type { Sender } from '../users/email-templates.ts'
import type { Mail } from '../users/mail.ts'
import { LINK_LASTS_HOURS, type RequestKind } from './rules.ts'

type Letter = Omit<Mail, 'to'>

const REQUEST_PHRASES: Readonly<Record<RequestKind, string>> = {
  show: 'to show what it holds about a person',
  correct: 'to correct what it holds about a person',
  remove: 'to remove a person from its directory',
}

const DONE_SENTENCES: Readonly<Record<RequestKind, string>> = {
  show: 'It was answered. The answer itself comes in a mail of its own.',
  correct: 'What you asked for is done: the record was corrected.',
  remove: 'What you asked for is done: the record was removed from the directory.',
}

/** Asks whether the request was made by who reads the address's mail. */
export function letterToConfirm(
  { serviceName, appUrl }: Sender,
  kind: RequestKind,
  token: string,
): Letter {
  return {
    subject: `Confirm your request to ${serviceName}`,
    text: `Somebody, perhaps you, asked ${serviceName} ${REQUEST_PHRASES[kind]}, and gave this address.

If it was you, confirm it here:

${appUrl}/privacy/confirm?token=${token}

The link works once, for ${LINK_LASTS_HOURS} hours. A person then reads the request, may ask
how to know that the record is yours, and answers within a month.

If it was not you, ignore this mail: nothing happens, and this address is
deleted when the link ends.
`,
  }
}

/** @param reason why it was refused, in the operator's words; null where it is done */
export function letterOfEnd(
  { serviceName }: Sender,
  { id, kind, reason }: { id: string; kind: RequestKind; reason: string | null },
): Letter {
  const end =
    reason === null
      ? DONE_SENTENCES[kind]
      : `It was refused, for this reason:

${reason}

If you disagree, you can complain to your data protection authority (in
California: to the California Privacy Protection Agency), or go to court.`
  return {
    subject: `Your request to ${serviceName} is ${reason === null ? 'done' : 'refused'}`,
    text: `You asked ${serviceName} ${REQUEST_PHRASES[kind]}.

${end}

This was request ${id}.
Your address and what you wrote are deleted from it now. That there was a
request, when it came and how it ended is kept for two years.
`,
  }
}
