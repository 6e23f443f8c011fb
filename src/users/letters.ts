/** What the mails say. */
import type { Mail } from './mail.ts'

/** Whose service it is, and where its application is reached. */
export interface Sender {
  serviceName: string
  appUrl: string
}

type Letter = Omit<Mail, 'to'>

export function confirmLetter({ serviceName, appUrl }: Sender, token: string): Letter {
  return {
    subject: `Confirm your address for ${serviceName}`,
    text: `Please confirm that this address is yours:

${appUrl}/confirm?token=${token}

The link works once, for a day. If you did not ask for it, ignore this mail.
`,
  }
}

export function resetLetter({ serviceName, appUrl }: Sender, token: string): Letter {
  return {
    subject: `A new password for ${serviceName}`,
    text: `Choose a new password:

${appUrl}/reset?token=${token}

The link works once, for an hour. If you did not ask for it, ignore this mail: nothing has changed.
`,
  }
}

/** To somebody who signed up though they have an account: the page must not tell them apart. */
export function knownLetter({ serviceName, appUrl }: Sender): Letter {
  return {
    subject: `You have an account at ${serviceName}`,
    text: `Somebody, perhaps you, signed up with this address, which has an account already.

Sign in:            ${appUrl}/sign-in
Forgotten password: ${appUrl}/forgotten

If it was not you, ignore this mail: nothing has changed.
`,
  }
}

/** To the address that was given up. */
export function movedLetter({ serviceName }: Sender): Letter {
  return {
    subject: `Your address at ${serviceName} has changed`,
    text: `Your account at ${serviceName} now has another address; this one no longer signs in.

If it was not you, please write to the operator of the service.
`,
  }
}
