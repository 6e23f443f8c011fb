/** @jsxImportSource hono/jsx */
/** What the operator's pages share: their menu, who may see them, and who acts. */
import { type Act, type Actor, perform } from '../../operator/perform.ts'
import { personalPage } from '../components/page-parts.tsx'
import type { Html } from '../http/html.ts'
import type { Page, PageContext, SignedInContext } from '../http/page.ts'

const MENU = {
  '/operator': 'Home',
  '/operator/accounts': 'Accounts',
  '/operator/payments': 'Payments',
  '/operator/audit': 'Audit log',
}

/** Whether an operator asks. It is read with the session, so a role that was taken away ends with the request before. */
export const isOperator = ({ session }: PageContext): boolean => session?.user.isOperator === true

/** A page of the operator's, under the menu. */
export function operatorPage(
  context: PageContext,
  page: Omit<Page, 'main'> & { heading?: string },
  body: Html,
): Page {
  return personalPage(
    { shape: 'wide', ...page },
    <>
      <nav class="kinds" aria-label="Operator">
        {Object.entries(MENU).map(([path, label]) => (
          <a href={context.href(path)} aria-current={currentOf(path, context.path)}>
            {label}
          </a>
        ))}
      </nav>
      {body}
    </>,
  )
}

/** `true` for a page below one of the menu. */
function currentOf(path: string, asked: string): 'page' | 'true' | undefined {
  if (path === asked) return 'page'
  return path !== '/operator' && asked.startsWith(`${path}/`) ? 'true' : undefined
}

/** Does an act of the operator who is signed in, with its line in the audit log. @returns undefined where there was nothing to do it to */
export function performed<T>(
  { application, session, address }: SignedInContext,
  act: Act<T>,
): Promise<T | undefined> {
  const { id, email } = session.user
  const by: Actor = { via: 'page', userId: id, who: email, address }
  return perform(application.database, by, act)
}
