/** What each mail says. */
import type { Mail } from './mail.ts'

export interface Sender {
  serviceName: string
  /** The web application's address. */
  appUrl: string
}

type Content = Omit<Mail, 'to'>

export function confirmationEmail({ serviceName, appUrl }: Sender, token: string): Content {
  return {
    subject: `Confirm your address for ${serviceName}`,
    text: `Please confirm that this address is yours:

${appUrl}/confirm?token=${token}

The link works once, for a day. If you did not ask for it, ignore this mail.
`,
  }
}

export function passwordResetEmail({ serviceName, appUrl }: Sender, token: string): Content {
  return {
    subject: `A new password for ${serviceName}`,
    text: `Choose a new password:

${appUrl}/reset?token=${token}

The link works once, for an hour. If you did not ask for it, ignore this mail: nothing has changed.
`,
  }
}

/** To an address that has an account and was signed up again: only the mail says so, never the page. */
export function accountExistsEmail({ serviceName, appUrl }: Sender): Content {
  return {
    subject: `You have an account at ${serviceName}`,
    text: `Somebody, perhaps you, signed up with this address, which has an account already.

Sign in:            ${appUrl}/sign-in
Forgotten password: ${appUrl}/forgotten

If it was not you, ignore this mail: nothing has changed.
`,
  }
}

/** To the old address. */
export function addressChangedEmail({ serviceName }: Sender): Content {
  return {
    subject: `Your address at ${serviceName} has changed`,
    text: `Your account at ${serviceName} now has another address; this one no longer signs in.

If it was not you, please write to the operator of the service.
`,
  }
}

/** @param name the account's: its people may act for others too @param credits the amount that the balance fell below */
export function lowBalanceEmail(
  { serviceName, appUrl }: Sender,
  { name, credits, balance }: { name: string; credits: number; balance: number },
): Content {
  const [left, amount] = [balance, credits].map((value) => value.toLocaleString('en-US'))
  return {
    subject: `Credits at ${serviceName} are running low`,
    text: `The account ${name} has ${left} ${balance === 1 ? 'credit' : 'credits'} left. That is below ${amount}, an amount at which its owner asked for a mail.

Top up:                         ${appUrl}/credits
Change the amounts (its owner): ${appUrl}/balance/alerts
`,
  }
}
