/** @jsxImportSource hono/jsx */
/** The menu of a signed-in user: their account, its credits, and links to its pages. */
import { TIER_RULES } from '../../contract/tiers.ts'
import type { Session } from '../../users/sessions.ts'
import type { PageContext } from '../http/page.ts'
import { Form } from './form.tsx'
import { plural } from './text.tsx'

const PLACES = [
  { path: '/keys', label: 'API keys' },
  { path: '/balance', label: 'Usage' },
  { path: '/bulk-search', label: 'Bulk search' },
  { path: '/referral', label: 'Invite a friend' },
  { path: '/workspace', label: 'Workspace' },
  { path: '/settings', label: 'Settings' },
] as const

interface AccountMenuProps {
  context: PageContext
  session: Session
  balance: number | undefined
}

/** @param balance the account's credits after this page charged; undefined where it did not */
export function AccountMenu({ context, session, balance }: AccountMenuProps) {
  const { user, account } = session
  const credits = balance ?? account.creditsBalance
  return (
    <details class="account">
      <summary>
        <span class="who">{user.name}</span>
      </summary>
      <div class="menu">
        <p>
          {account.organization ?? account.name}
          <span class="number">
            {TIER_RULES[account.tier].unlimited
              ? 'no credit ceiling'
              : plural(credits, 'credit', 'credits')}
          </span>
        </p>
        <nav aria-label="Account">
          {PLACES.map((place) => (
            <a
              href={context.href(place.path)}
              aria-current={context.path === place.path ? 'page' : undefined}
            >
              {place.label}
            </a>
          ))}
        </nav>
        <Form context={context} action="/sign-out" class="sign-out">
          <button type="submit">Sign out</button>
        </Form>
      </div>
    </details>
  )
}
