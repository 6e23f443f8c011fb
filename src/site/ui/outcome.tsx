/** @jsxImportSource hono/jsx */
/** The charge behind a button, and its outcome, shown where the button was. */

import { IDEMPOTENT_REPEATS } from '../../contract/headers.ts'
import { type Contacts, unlockedContacts } from '../../money/accounts/unlocks.ts'
import { type WebOutcome, webReveal } from '../../money/accounts/web-calls.ts'
import { type BegunRun, beginRun, type Run } from '../../money/accounts/web-runs.ts'
import type { Form } from '../http/form.ts'
import type { Page, PageContext, SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { idempotencyKeyOf } from './form.tsx'
import { Notice } from './page-parts.tsx'
import { refuseSuspended, suspended } from './suspension.tsx'
import { figure, plural } from './text.tsx'

/** The result of a reveal. `bare`: the channels on the page are no longer on file. */
export type RevealOutcome = WebOutcome | { outcome: 'bare'; balance: number }

/** Says what was charged, or why nothing was. A charge whose end is unknown never gets here: it is a failure page. */
export function Outcome({ outcome, context }: { outcome: RevealOutcome; context: PageContext }) {
  switch (outcome.outcome) {
    case 'bare':
      return (
        <Notice tone="warn">
          Nothing was charged: no channel is on file any more. {figure(outcome.balance)} left.
        </Notice>
      )
    case 'charged':
      return (
        <Notice tone="good">
          {outcome.charged === 0
            ? 'This was charged before; nothing more was.'
            : `${plural(outcome.charged, 'credit was', 'credits were')} charged.`}{' '}
          {figure(outcome.balance)} left.
        </Notice>
      )
    case 'insufficient':
      return (
        <Notice tone="warn">
          Nothing was charged: this takes {plural(outcome.required, 'credit', 'credits')}, and you
          have {figure(outcome.balance)}. <a href={context.href('/credits')}>Get credits</a>
        </Notice>
      )
    case 'limited':
      return (
        <Notice tone="warn">
          Nothing was charged:{' '}
          {outcome.reason === 'rate'
            ? 'the account is over its request rate.'
            : 'this hour’s first reveals are used up.'}{' '}
          Try again in {plural(outcome.retryAfter, 'second', 'seconds')}.
        </Notice>
      )
    case 'form_reused':
    case 'form_exhausted':
    case 'not_found':
    case 'suspended':
      return null
  }
}

/** Status, headers and balance of a page with this outcome. @throws PageError where the record is gone, or the form was sent for another page */
export function statusOf(outcome: RevealOutcome): Pick<Page, 'status' | 'headers' | 'balance'> {
  switch (outcome.outcome) {
    case 'charged':
    case 'bare':
      return { balance: outcome.balance }
    case 'insufficient':
      return { status: 402, balance: outcome.balance }
    case 'limited':
      return { status: 429, headers: { 'retry-after': String(outcome.retryAfter) } }
    case 'not_found':
      throw new PageError(404, 'There is no such record here', 'Nothing was charged.')
    case 'form_reused':
      throw new PageError(
        400,
        'This form was sent before, for another page',
        'Nothing was charged. Go back and load the page again.',
      )
    case 'form_exhausted':
      throw sentTooOften()
    case 'suspended':
      throw suspended()
  }
}

/** The error of a form with an idempotency key that was sent as often as a day allows. */
function sentTooOften(): PageError {
  return new PageError(
    400,
    'This form was sent too often',
    `What it paid for was shown ${IDEMPOTENT_REPEATS} times more, the most that a day allows. Nothing was charged. Go back and load the page again: its new form is charged anew.`,
  )
}

/**
 * Begins what a form pays for batch by batch. @param tooOften the error of one that was begun too often
 * @throws PageError where it was sent too often, and for a suspended account, which is not handed out again what it paid for either.
 * @throws DatabaseUnavailable
 */
export async function beginPaid(
  context: SignedInContext,
  run: Run,
  tooOften = sentTooOften(),
): Promise<BegunRun> {
  const { application } = context
  refuseSuspended(context)
  const begun = await beginRun(application.database, run)
  if (!begun) throw tooOften
  return begun
}

/**
 * Reveals the contact that the form asks for. What the account has unlocked already costs nothing.
 * @param others whose channels the page shows as well, as far as they are unlocked
 * @returns what was charged, and all these channels
 * @throws DatabaseUnavailable, as `Meter.charge` does
 */
export async function reveal(
  { application, session }: SignedInContext,
  form: Form,
  person: string,
  others: readonly string[],
): Promise<{ outcome: RevealOutcome; contacts: Contacts }> {
  const { database, meter } = application
  const everybody = [person, ...others]
  const read = () => unlockedContacts(database, session.account.id, everybody)
  // Before the charge: nothing is left to fail after it.
  const known = await read()
  const outcome = await webReveal(
    meter,
    session.account.id,
    { person },
    {
      requestId: crypto.randomUUID(),
      once: { key: idempotencyKeyOf(form), fingerprint: `${person} true` },
    },
  )
  if (outcome.outcome !== 'charged' || known.has(person)) return { outcome, contacts: known }
  // Not charged: somebody else of the account revealed them meanwhile, or their channels are gone.
  if (outcome.unlocked.length === 0) {
    const contacts = await read()
    const { balance } = outcome
    return { outcome: contacts.has(person) ? outcome : { outcome: 'bare', balance }, contacts }
  }
  const revealed = outcome.unlocked.map((contact) => [contact.id, contact] as const)
  return { outcome, contacts: new Map([...known, ...revealed]) }
}
