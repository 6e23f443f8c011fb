/** @jsxImportSource hono/jsx */
/** `/operator/accounts`: every account, the newest first, or those that are looked for. */
import { type FoundAccount, findAccounts } from '../../operator/account-search.ts'
import { Submit } from '../components/actions.tsx'
import { numbers, Table } from '../components/page-parts.tsx'
import { Day, figure, humanize } from '../components/text.tsx'
import type { Page, PageContext, SignedInContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { operatorPage } from './frame.tsx'

const ACCOUNTS = '/operator/accounts'

/** Accounts of a page. */
const LIMIT = 50
/** Pages that can be asked for: further ones take longer, and a search finds sooner. */
const MAX_PAGE = 200
const MAX_TEXT = 254

export const accountPath = (id: string) => `${ACCOUNTS}/${id}`

export async function accountsPage(context: SignedInContext): Promise<Page> {
  const asked = new URLSearchParams(context.query)
  const text = (asked.get('q') ?? '').trim().slice(0, MAX_TEXT)
  const page = pageIn(asked.get('page') || '1')
  const { database } = context.application
  const { accounts, hasMore } = await findAccounts(database, { text, page, limit: LIMIT })
  const href = (number: number) =>
    context.href(
      `${ACCOUNTS}?${new URLSearchParams({ ...(text && { q: text }), page: String(number) })}`,
    )
  return operatorPage(
    context,
    { title: 'Accounts' },
    <>
      <form class="filters" action={context.href(ACCOUNTS)}>
        <div class="field grows">
          <label for="field-q">Name, e-mail, id, or the beginning of a key</label>
          <input id="field-q" type="search" name="q" value={text} maxlength={MAX_TEXT} />
        </div>
        <Submit tone="quiet">Search</Submit>
        {text ? <a href={context.href(ACCOUNTS)}>Every account</a> : null}
      </form>
      {accounts.length > 0 ? (
        <AccountTable context={context} accounts={accounts} />
      ) : (
        <p class="empty">No account is found.</p>
      )}
      {page > 1 || hasMore ? (
        <p class="pager">
          {page > 1 ? (
            <a rel="prev" href={href(page - 1)}>
              Newer
            </a>
          ) : null}
          {hasMore && page < MAX_PAGE ? (
            <a rel="next" href={href(page + 1)}>
              Older
            </a>
          ) : null}
        </p>
      ) : null}
    </>,
  )
}

/** @throws PageError 400 */
function pageIn(text: string): number {
  const page = Number(text)
  if (/^\d+$/.test(text) && page >= 1 && page <= MAX_PAGE) return page
  const allowed = `page: expected a whole number from 1 to ${MAX_PAGE}.`
  throw new PageError(400, 'That address has a mistake in it', allowed)
}

interface AccountTableProps {
  context: PageContext
  accounts: readonly FoundAccount[]
}

export function AccountTable({ context, accounts }: AccountTableProps) {
  return (
    <Table
      label="Accounts, newest first"
      isCards
      columns={[
        'Account',
        { label: 'E-mail', card: 'line' },
        'Tier',
        'Plan',
        numbers('Credits'),
        'Since',
      ]}
      rows={accounts.map(({ id, name, email, organization, tier, plan, balance, createdAt }) => [
        <>
          <a href={context.href(accountPath(id))}>
            <bdi>{name}</bdi>
          </a>
          {organization ? (
            <>
              , <bdi>{organization}</bdi>
            </>
          ) : null}
        </>,
        <bdi>{email}</bdi>,
        humanize(tier),
        plan ? humanize(plan) : 'None',
        figure(balance),
        <Day at={createdAt} />,
      ])}
    />
  )
}
