/** Texts of mails. */
import type { Mail } from './mail.ts'
import { confirmUrl, resetUrl } from './tokens.ts'

export interface Sender {
  serviceName: string
  /** The web application's address. */
  appUrl: string
}

type Content = Omit<Mail, 'to'>

/** @param returnUrl the page of the application where one goes on afterwards */
export function confirmationEmail(
  { serviceName, appUrl }: Sender,
  token: string,
  returnUrl?: string,
): Content {
  return {
    subject: `Confirm your address for ${serviceName}`,
    text: `Please confirm that this address is yours:

${confirmUrl(appUrl, token, returnUrl)}

The link works once, for a day. If you did not ask for it, ignore this mail.
`,
  }
}

/** @param returnUrl the page of the application where one goes on afterwards */
export function passwordResetEmail(
  { serviceName, appUrl }: Sender,
  token: string,
  returnUrl?: string,
): Content {
  return {
    subject: `A new password for ${serviceName}`,
    text: `Choose a new password:

${resetUrl(appUrl, token, returnUrl)}

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

/** To somebody whom the owner of a workspace removed from it. */
export function memberRemovedEmail({ serviceName, appUrl }: Sender, workspace: string): Content {
  return {
    subject: `You were removed from a workspace at ${serviceName}`,
    text: `You no longer belong to the workspace ${workspace} at ${serviceName}. Its owner removed you from it. Your own account stays as it was.

Sign in to it: ${appUrl}/sign-in
`,
  }
}

/** Changes of two-step sign-in, in the words of their mail. */
const FACTOR_CHANGES = {
  on: 'was turned on: signing in asks for a code of your app after the password',
  off: 'was turned off: signing in asks for the password alone',
  codes: 'has new recovery codes: the old ones work no more',
}

export type FactorChange = keyof typeof FACTOR_CHANGES

export function factorChangedEmail({ serviceName, appUrl }: Sender, change: FactorChange): Content {
  return {
    subject: `Two-step sign-in at ${serviceName}`,
    text: `Your two-step sign-in at ${serviceName} ${FACTOR_CHANGES[change]}.

If it was not you, reset your password, sign in and look at your settings:

${appUrl}/forgotten
${appUrl}/settings/two-step

Where you can't sign in any more, write to the operator of the service.
`,
  }
}

/** @param left recovery codes that still work */
export function recoveryCodeUsedEmail({ serviceName, appUrl }: Sender, left: number): Content {
  const [codes, work] = left === 1 ? ['code', 'works'] : ['codes', 'work']
  return {
    subject: `A recovery code was used at ${serviceName}`,
    text: `One of your recovery codes was used at ${serviceName}. ${left} ${codes} still ${work}.

Make new ones:                ${appUrl}/settings/two-step
It was not you? New password: ${appUrl}/forgotten
`,
  }
}

/** To somebody whose password others know, as it seems. */
export function codeGuessesEmail({ serviceName, appUrl }: Sender): Content {
  return {
    subject: `Somebody may know your password for ${serviceName}`,
    text: `Somebody entered your password for ${serviceName}, and then wrong codes until they were stopped. Nobody got in.

If it was not you, choose a new password:

${appUrl}/forgotten
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

/** To operators: no order is named, because mails lie about. */
export function newOrdersEmail({ serviceName, appUrl }: Sender): Content {
  return {
    subject: `New orders at ${serviceName}`,
    text: `Orders wait for you to accept or refuse them:

${appUrl}/operator/payments
`,
  }
}

/** To operators: neither the person nor the request is named. */
export function newPrivacyRequestsEmail({ serviceName, appUrl }: Sender): Content {
  return {
    subject: `New privacy requests at ${serviceName}`,
    text: `People have asked about their own data, and wait for an answer. The law gives you a month:

${appUrl}/operator/directory/requests
`,
  }
}

/** To who ordered. @param order as `payments` has it */
export function orderDecidedEmail(
  { serviceName, appUrl }: Sender,
  { kind, item, state }: { kind: 'plan' | 'topup'; item: string; state: 'accepted' | 'refused' },
): Content {
  const order = `${item} ${kind === 'plan' ? 'plan' : 'top-up'}`
  const outcome = {
    accepted: `Your order of the ${order} was accepted: it is in force.

Your credits: ${appUrl}/balance`,
    refused: `Your order of the ${order} was refused. Your plan and credits are as they were.

Plans and top-ups: ${appUrl}/credits`,
  }
  return {
    subject: `Your order at ${serviceName} was ${state}`,
    text: `${outcome[state]}
`,
  }
}
