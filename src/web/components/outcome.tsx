/** @jsxImportSource hono/jsx */
/** What a call of the meter came to, said where its button was. */
import type { WebOutcome } from '../../accounts/web-calls.ts'
import type { Html } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { figure, plural } from './text.tsx'

interface OutcomeProps {
  outcome: WebOutcome
  context: PageContext
}

/** What was charged, or why nothing was. */
export function Outcome({ outcome, context }: OutcomeProps): Html | null {
  switch (outcome.outcome) {
    case 'charged':
      return (
        <p class="notice good" role="status">
          {outcome.charged === 0
            ? 'This was charged before; nothing more was.'
            : `${plural(outcome.charged, 'credit was', 'credits were')} charged.`}{' '}
          {figure(outcome.balance)} left.
        </p>
      )
    case 'insufficient':
      return (
        <p class="notice warn" role="alert">
          Nothing was charged: this takes {plural(outcome.required, 'credit', 'credits')}, and there{' '}
          {outcome.balance === 1 ? 'is' : 'are'} {figure(outcome.balance)}.{' '}
          <a href={context.href('/credits')}>Get credits</a>
        </p>
      )
    case 'limited':
      return (
        <p class="notice warn" role="alert">
          Nothing was charged:{' '}
          {outcome.reason === 'rate'
            ? 'the account is over its request rate.'
            : 'this hour’s first reveals are used up.'}{' '}
          Try again in {plural(outcome.retryAfter, 'second', 'seconds')}.
        </p>
      )
    case 'form_reused':
    case 'not_found':
      return null
  }
}

/** What such a page is sent with. @throws PageError where the form belongs to another page, or the record is gone */
export function statusOf(outcome: WebOutcome): Pick<Page, 'status' | 'headers' | 'balance'> {
  switch (outcome.outcome) {
    case 'charged':
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
        'This form was sent before, for something else',
        'Nothing was charged. Go back and load the page again.',
      )
  }
}
