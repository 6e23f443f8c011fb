/** @jsxImportSource hono/jsx */
/** Columns of orders, for the lists of payments and the first page. */
import type { PageContext } from '../../../site/http/page.ts'
import { orderName, priceText } from '../../../site/pages/billing/order.tsx'
import { Day } from '../../../site/ui/text.tsx'
import { accountPath, paymentPath } from '../../ui/paths.ts'

type Order = Parameters<typeof orderName>[0] &
  Parameters<typeof priceText>[0] & {
    id: string
    createdAt: string
    account: { id: string; name: string; email: string }
  }

const EMAIL = { label: 'E-mail', card: 'line' } as const

/** Columns of orders and payments. */
export const orderCells = (context: PageContext) => {
  const order = ({ id, account, ...of }: Order) => (
    <a href={context.href(paymentPath(id))}>
      {orderName(of)}
      <span class="unseen"> of {account.name}</span>
    </a>
  )
  const account = ({ account: { id, name } }: Order) => (
    <a href={context.href(accountPath(id))}>
      <bdi>{name}</bdi>
    </a>
  )
  return {
    order: ['Order', order],
    account: ['Account', account],
    email: [EMAIL, ({ account: { email } }: Order) => <bdi>{email}</bdi>],
    price: ['Price', (of: Order) => priceText(of)],
    ordered: ['Ordered', ({ createdAt }: Order) => <Day at={createdAt} />],
  } as const
}
