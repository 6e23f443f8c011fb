/** @jsxImportSource hono/jsx */
/** Irreversible actions on an account: confirmation and act. */
import type { Account } from '../../../money/accounts/accounts.ts'
import { listGrants } from '../../../money/accounts/credits.ts'
import { keysOf } from '../../../money/accounts/keys.ts'
import { runningSubscriptions } from '../../../money/payments/subscriptions.ts'
import { validAmount } from '../../../people/users/low-balance.ts'
import { resetUrl } from '../../../people/users/tokens.ts'
import { fieldText, notFound } from '../../../site/http/form-errors.ts'
import { type Reply, redirect, type SignedInContext } from '../../../site/http/page.ts'
import { sourceName } from '../../../site/pages/billing/transactions.tsx'
import { Field } from '../../../site/ui/form.tsx'
import { shownOncePage } from '../../../site/ui/page-parts.tsx'
import { figure, humanize, plural } from '../../../site/ui/text.tsx'
import { type AccountPerson, peopleOf } from '../../acts/account-search.ts'
import { revokeKey, takeBackCredits } from '../../acts/accounts.ts'
import type { Act } from '../../acts/perform.ts'
import { endSessions, resetLink, turnSecondFactorOff, verifyEmail } from '../../acts/users.ts'
import type { Confirmation, IrreversibleAction, LoadConfirmation } from '../../ui/confirmation.tsx'
import { performed } from '../../ui/frame.tsx'
import { accountPath } from '../../ui/paths.ts'
import { accountOf } from './account.tsx'
import { planEnded } from './account-forms.tsx'

/** The account and sub-item that an action applies to. */
interface AccountSubject {
  context: SignedInContext
  account: Account
  item: string
}

/** Irreversible actions on an account, by name. */
export const ACCOUNT_CONFIRMATIONS = {
  'take-back': ofAccount(async ({ context, account, item }) => {
    const grants = (await listGrants(context.application.database, account.id)) ?? []
    const grant = grants.find(({ id, remaining }) => id === item && remaining > 0)
    if (!grant) throw notFound('grant with anything left')
    const { source, remaining, amount } = grant
    return {
      title: `Take back credits of ${account.name}`,
      lead: `${sourceName(source)}: ${figure(remaining)} of ${figure(amount)} are left. The ledger keeps an entry of what is taken.`,
      label: 'Take back',
      noun: 'grant with anything left',
      fields: (errors) => (
        <Field
          isOptional
          name="most"
          label="How many at most"
          inputmode="numeric"
          autocomplete="off"
          maxlength={13}
          hint="Empty: all that is left."
          errors={errors}
        />
      ),
      prepare(form) {
        const act = takeBackCredits(account.id, item, validAmount('most', fieldText(form, 'most')))
        return () => doneBy(context, account, 'taken', [act])
      },
    }
  }),
  'stop-plan': ofAccount(async ({ context, account }) => {
    const running = await runningSubscriptions(context.application.database, account.id)
    if (!account.plan && running.length === 0) throw notFound('plan')
    const collected =
      running.length > 0
        ? ' First Stripe is asked to collect no more. It pays nothing back: refund the order for that.'
        : ''
    return {
      title: `End ${account.plan ? humanize(account.plan) : 'the subscription'} of ${account.name}`,
      lead: `It ends now, and what is left of its credits ends with it. The account returns to the free tier. Other credits stay.${collected}`,
      label: 'End now',
      noun: 'plan',
      prepare: () => () => planEnded(context, account.id, false),
    }
  }),
  'revoke-key': ofAccount(async ({ context, account, item }) => {
    const key = (await keysOf(context.application.database, account.id)).find(
      ({ id, inForce }) => id === item && inForce,
    )
    if (!key) throw notFound('key in force')
    return {
      title: `Revoke “${key.label}” of ${account.name}`,
      lead: `${key.prefix}… stops at its next request: the API answers 401 to whatever uses it.`,
      label: 'Revoke',
      noun: 'key in force',
      prepare: () => () => doneBy(context, account, 'revoked', [revokeKey(item)]),
    }
  }),
  'revoke-keys': ofAccount(async ({ context, account }) => {
    const keys = (await keysOf(context.application.database, account.id)).filter(
      ({ inForce }) => inForce,
    )
    if (keys.length === 0) throw notFound('key in force')
    return {
      title: `Revoke every key of ${account.name}`,
      lead: `${plural(keys.length, 'key stops', 'keys stop')} at the next request: the API answers 401 to whatever uses them.`,
      label: 'Revoke all',
      noun: 'key in force',
      prepare: () => () =>
        doneBy(
          context,
          account,
          'revoked',
          keys.map(({ id }) => revokeKey(id)),
        ),
    }
  }),
  'end-sessions': ofAccount(async ({ context, account, item }) => {
    const person = await personOf({ context, account, item })
    return {
      title: `Sign ${person.name} out`,
      lead: `${person.email} is signed out of every browser. Keys work on.`,
      label: 'Sign out everywhere',
      noun: 'session',
      prepare: () => () => doneBy(context, account, 'ended', [endSessions(person)]),
    }
  }),
  'reset-link': ofAccount(async ({ context, account, item }) => {
    const person = await customerOf({ context, account, item })
    return {
      title: `Make a password link for ${person.name}`,
      lead: `Whoever has the link sets a new password of ${person.email}: give it to them alone. It works once, for an hour.`,
      label: 'Make the link',
      noun: 'person',
      prepare: () => async () => {
        const token = await performed(context, resetLink(person))
        if (token === undefined) return undefined
        return shownOncePage(
          context,
          {
            title: 'Password link',
            heading: `A link for ${person.name}`,
            warning: 'It is shown this once.',
            secret: resetUrl(context.site.appUrl, token),
            next: accountPath(account.id),
          },
          null,
        )
      },
    }
  }),
  'factor-off': ofAccount(async ({ context, account, item }) => {
    const person = await customerOf({ context, account, item })
    if (!person.hasSecondFactor) throw notFound('second factor')
    return {
      title: `Turn two-step sign-in of ${person.name} off`,
      lead: `The password alone signs ${person.email} in then. Be sure that it is they who ask.`,
      label: 'Turn off',
      noun: 'second factor',
      prepare: () => () => doneBy(context, account, 'factor-off', [turnSecondFactorOff(person)]),
    }
  }),
  verify: ofAccount(async ({ context, account, item }) => {
    const person = await customerOf({ context, account, item })
    const { email } = person
    if (person.emailVerifiedAt) throw notFound('address to confirm')
    return {
      title: `Confirm the address of ${person.name}`,
      lead: `${email} counts as theirs then, as after the link of a mail. Be sure that it is.`,
      label: 'Confirm e-mail',
      noun: 'person',
      fields: () => <input type="hidden" name="email" value={email} />,
      prepare(form) {
        // The address that the operator has read: they may have another one by now.
        if (fieldText(form, 'email') !== email) throw notFound('address to confirm')
        return () => doneBy(context, account, 'verified', [verifyEmail(person)])
      },
    }
  }),
} satisfies Partial<Record<IrreversibleAction, LoadConfirmation>>

/** Adds the account to a confirmation. */
function ofAccount(
  make: (subject: AccountSubject) => Promise<Omit<Confirmation, 'back'>>,
): LoadConfirmation {
  return async (context, { subject, item }) => {
    const account = await accountOf(context, subject)
    return { back: accountPath(account.id), ...(await make({ context, account, item })) }
  }
}

/** Runs acts in order. @returns undefined if none had a target */
async function doneBy(
  context: SignedInContext,
  { id }: Account,
  said: string,
  acts: readonly Act<unknown>[],
): Promise<Reply | undefined> {
  let isDone = false
  for (const act of acts) isDone = (await performed(context, act)) !== undefined || isDone
  return isDone ? redirect(context.href(`${accountPath(id)}?said=${said}`)) : undefined
}

/** @throws PageError 404 */
async function personOf({ context, account, item }: AccountSubject): Promise<AccountPerson> {
  const people = await peopleOf(context.application.database, account.id)
  const person = people.find(({ id }) => id === item)
  if (!person) throw notFound('person')
  return person
}

/** A user who isn't an operator: only commands change how operators sign in. @throws PageError 404 */
async function customerOf(subject: AccountSubject): Promise<AccountPerson> {
  const person = await personOf(subject)
  if (person.operatorSince) throw notFound('customer')
  return person
}
