/** @jsxImportSource hono/jsx */
/** The notice on every page of a suspended account, and the refusal of its forms. */
import type { PageContext, SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'

/** Stands above the content of every page while the account is suspended: the operator's reason, and whom to ask. */
export function SuspensionNotice({ context }: { context: SignedInContext }) {
  const { account } = context.session
  if (account.suspensionReason === null) return null
  const { contact } = context.application.privacy
  return (
    <aside class="suspension" aria-label="Suspended account">
      <p>
        <strong>
          The account <bdi>{account.organization ?? account.name}</bdi> is suspended.
        </strong>{' '}
        <bdi>{account.suspensionReason}</bdi>
      </p>
      <p>
        Until this is settled, calls with its keys are refused, and contacts, reveals, new keys and
        orders are off. Nothing is lost: credits, keys, contacts and records are kept.{' '}
        {contact === undefined ? (
          `Ask whoever runs ${context.site.serviceName}.`
        ) : (
          <>
            Whom to ask: <bdi>{contact}</bdi>.
          </>
        )}
      </p>
    </aside>
  )
}

/** True if the account of the session is suspended. */
export const isSuspended = ({ session }: Pick<PageContext, 'session'>): boolean =>
  session !== undefined && session.account.suspensionReason !== null

/** Stands in the place of a form that a suspended account can't send. */
export function NotWhileSuspended() {
  return (
    <p class="note">
      Not while the account is suspended: the top of this page says why, and whom to ask.
    </p>
  )
}

/** @throws PageError 403 where the account is suspended */
export function refuseSuspended(context: Pick<PageContext, 'session'>): void {
  if (isSuspended(context)) throw suspended()
}

/** The page's notice says why. */
export function suspended(): PageError {
  return new PageError(
    403,
    'The account is suspended',
    'Nothing was done and nothing was charged. The top of every page says why, and whom to ask.',
  )
}
