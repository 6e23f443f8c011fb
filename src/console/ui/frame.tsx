/** @jsxImportSource hono/jsx */
/** Frame of the console's pages: menu, access, and the acting operator. */
import type { Actor } from '../../database/actor.ts'
import { uuidOf } from '../../database/uuid.ts'
import { notFound } from '../../site/http/form-errors.ts'
import type { Html } from '../../site/http/html.ts'
import type { Page, PageContext, SignedInContext } from '../../site/http/page.ts'
import { personalPage } from '../../site/ui/page-parts.tsx'
import type { ConsoleServices } from '../acts/services.ts'

/** The context of the console's pages. */
export interface OperatorContext extends SignedInContext {
  console: ConsoleServices
}

const MENU = {
  '/operator': 'Home',
  '/operator/accounts': 'Accounts',
  '/operator/payments': 'Payments',
  '/operator/directory': 'Directory',
  '/operator/imports': 'Imports',
  '/operator/backups': 'Backups',
  '/operator/settings': 'Configuration',
  '/operator/audit': 'Audit log',
}

/** True if an operator asks. It is read with the session, so a role that was taken away ends with the request before. */
export const isOperator = ({ session }: PageContext): boolean => session?.user.isOperator === true

interface OperatorPage extends Omit<Page, 'main'> {
  heading?: string
  /** A path of the part of the menu that it belongs to, where that is not its own. */
  area?: string
}

/** A page of the operator's, under the menu. */
export function operatorPage(
  context: PageContext,
  { area = context.path, ...page }: OperatorPage,
  body: Html,
): Page {
  return personalPage(
    { shape: 'wide', ...page },
    <>
      <nav class="kinds" aria-label="Operator">
        {Object.entries(MENU).map(([path, label]) => (
          <a href={context.href(path)} aria-current={currentOf(path, area)}>
            {label}
          </a>
        ))}
      </nav>
      {body}
    </>,
  )
}

/** `true` for a page below one of the menu. */
function currentOf(path: string, area: string): 'page' | 'true' | undefined {
  if (path === area) return 'page'
  return path !== '/operator' && area.startsWith(`${path}/`) ? 'true' : undefined
}

/**
 * Reads what a path or form names by an id.
 * @param what in words @param read takes an id in small letters, and returns undefined where there is none
 * @throws PageError 404
 */
export async function foundById<T>(
  what: string,
  id: string,
  read: (id: string) => Promise<T | undefined>,
): Promise<T> {
  const known = uuidOf(id)
  const record = known === undefined ? undefined : await read(known)
  if (record === undefined) throw notFound(what)
  return record
}

/** Who acts, as the audit log names them. */
export function actorOf({ session, address }: SignedInContext): Actor {
  const { id, email } = session.user
  return { via: 'page', userId: id, who: email, address }
}
