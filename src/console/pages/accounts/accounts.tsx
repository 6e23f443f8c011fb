/** @jsxImportSource hono/jsx */
/** `/operator/accounts`: every account, those of a kind, or those that are looked for. */

import type { Page, PageContext, SignedInContext } from '../../../site/http/page.ts'
import { Submit } from '../../../site/ui/actions.tsx'
import { Badge } from '../../../site/ui/badges.tsx'
import { Select } from '../../../site/ui/form.tsx'
import { numbers } from '../../../site/ui/page-parts.tsx'
import { Pager } from '../../../site/ui/pager.tsx'
import { Day, figure, humanize, plural } from '../../../site/ui/text.tsx'
import {
  ACCOUNT_KINDS,
  ACCOUNT_ORDERS,
  type AccountKind,
  type AccountOrder,
  countAccounts,
  type FoundAccount,
  findAccounts,
} from '../../acts/account-search.ts'
import { operatorPage } from '../../ui/frame.tsx'
import { type Cells, List, Tabs } from '../../ui/lists.tsx'
import { ACCOUNTS, accountPath } from '../../ui/paths.ts'
import { choiceIn, MAX_PAGE, MAX_TEXT, pageIn, textIn } from '../../ui/query.ts'

/** Accounts of a page. */
const LIMIT = 50

/** Query of the page. */
interface Asked {
  text: string
  kind: AccountKind
  order: AccountOrder
  page: number
}

export async function accountsPage(context: SignedInContext): Promise<Page> {
  const asked = listIn(context)
  const { database } = context.application
  const [accounts, count] = await Promise.all([
    findAccounts(database, { ...asked, limit: LIMIT }),
    countAccounts(database, asked),
  ])
  const pages = Math.ceil(count / LIMIT)
  return operatorPage(
    context,
    { title: 'Accounts' },
    <>
      <Tabs
        context={context}
        label="Accounts"
        tabs={ACCOUNT_KINDS.map((kind) => [pathFor({ ...asked, kind, page: 1 }), humanize(kind)])}
        current={pathFor({ ...asked, page: 1 })}
      />
      <SearchForm context={context} asked={asked} />
      {count > 0 ? (
        <p class="count" role="status">
          {plural(count, 'account', 'accounts')}
          {asked.kind === 'out-of-credits' ? ', by their balances as of their last calls' : ''}
        </p>
      ) : (
        <p class="empty" role="status">
          <NoneFound asked={asked} />
        </p>
      )}
      <List
        label={`Accounts, ${ORDERS[asked.order].toLowerCase()}`}
        rows={accounts}
        none={count > 0 ? 'No account is on this page.' : undefined}
        cells={accountCells(context)}
      />
      {pages > MAX_PAGE && asked.page === MAX_PAGE ? (
        <p class="note">
          No further ones are listed here: search for them, or turn the order round.
        </p>
      ) : null}
      <Pager
        page={asked.page}
        totalPages={Math.min(pages, MAX_PAGE)}
        href={(page) => context.href(pathFor({ ...asked, page }))}
      />
    </>,
  )
}

/** The path of a list, without parameters that have their defaults. */
function pathFor({ text, kind, order, page }: Asked): string {
  const query = new URLSearchParams({
    ...(kind !== 'all' && { show: kind }),
    ...(text && { q: text }),
    ...(order !== 'newest' && { sort: order }),
    ...(page > 1 && { page: String(page) }),
  })
  return query.size > 0 ? `${ACCOUNTS}?${query}` : ACCOUNTS
}

/** @throws PageError 400 */
function listIn(context: PageContext): Asked {
  const asked = new URLSearchParams(context.query)
  return {
    text: textIn(asked),
    kind: choiceIn(asked, 'show', ACCOUNT_KINDS, 'all'),
    order: choiceIn(asked, 'sort', ACCOUNT_ORDERS, 'newest'),
    page: pageIn(asked),
  }
}

interface AskedProps {
  context: PageContext
  asked: Asked
}

/** Empty list, with the search that led to it. */
function NoneFound({ asked: { text, kind } }: Pick<AskedProps, 'asked'>) {
  if (text === '' && kind === 'all') return <>No account was made yet.</>
  return (
    <>
      No account is found
      {text ? (
        <>
          {' '}
          for “<bdi>{text}</bdi>”
        </>
      ) : null}
      {kind === 'all' ? '' : ` under ${humanize(kind)}`}.
    </>
  )
}

const ORDERS: Readonly<Record<AccountOrder, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'By name',
  'most-credits': 'Most credits first',
  'fewest-credits': 'Fewest credits first',
}

function SearchForm({ context, asked: { text, kind, order } }: AskedProps) {
  return (
    <form class="filters" action={context.href(ACCOUNTS)}>
      {kind === 'all' ? null : <input type="hidden" name="show" value={kind} />}
      <div class="field grows">
        <label for="field-q">Name, e-mail, id, or the beginning of a key</label>
        <input id="field-q" type="search" name="q" value={text} maxlength={MAX_TEXT} />
      </div>
      <Select
        name="sort"
        label="Order"
        options={ACCOUNT_ORDERS.map((value) => ({ value, label: ORDERS[value] }))}
        chosen={order}
      />
      <Submit tone="quiet">Search</Submit>
      {text ? (
        <a href={context.href(pathFor({ text: '', kind, order, page: 1 }))}>Clear search</a>
      ) : null}
    </form>
  )
}

/** Columns of accounts. */
export const accountCells = (context: PageContext): Cells<FoundAccount> => [
  [
    'Account',
    ({ id, name, organization, suspendedAt }) => (
      <>
        <a href={context.href(accountPath(id))}>
          <bdi>{name}</bdi>
        </a>
        {organization ? (
          <>
            , <bdi>{organization}</bdi>
          </>
        ) : null}{' '}
        {suspendedAt ? <Badge tone="bad">Suspended</Badge> : null}
      </>
    ),
  ],
  [{ label: 'E-mail', card: 'line' }, ({ email }) => <bdi>{email}</bdi>],
  ['Tier', ({ tier }) => humanize(tier)],
  ['Plan', ({ plan }) => (plan ? humanize(plan) : 'None')],
  [numbers('Credits'), ({ balance }) => figure(balance)],
  ['Since', ({ createdAt }) => <Day at={createdAt} />],
]
