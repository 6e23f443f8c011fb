/** @jsxImportSource hono/jsx */
/** `/operator/payments?show=…`: payments by what became of them. */

import type { Page, PageContext, SignedInContext } from '../../../site/http/page.ts'
import { orderName, priceText } from '../../../site/pages/billing/order.tsx'
import { Table } from '../../../site/ui/page-parts.tsx'
import { NewerOlder } from '../../../site/ui/pager.tsx'
import { Day, humanize } from '../../../site/ui/text.tsx'
import {
  endedPayments,
  type ListedPayment,
  PAYMENT_ENDS,
  type PaymentDetails,
  type PaymentEnd,
  paymentDetails,
} from '../../acts/payment-details.ts'
import { operatorPage } from '../../ui/frame.tsx'
import { accountPath, PAYMENTS, paymentPath } from '../../ui/paths.ts'
import { choiceIn, MAX_PAGE, pageIn } from '../../ui/query.ts'
import { AllChecked } from './differing.tsx'
import { StateBadge } from './states.tsx'

/** Payments of a page. */
const LIMIT = 50

type PaymentList = 'waiting' | PaymentEnd | 'differing'

/** The lists that exist. The list of differences exists only where Stripe collects payments. */
const listsOf = ({ application }: PageContext): PaymentList[] => [
  'waiting',
  ...PAYMENT_ENDS,
  ...(application.payments.mode === 'stripe' ? (['differing'] as const) : []),
]

/** Selected list. @throws PageError 400 */
export const listIn = (context: PageContext): PaymentList =>
  choiceIn(new URLSearchParams(context.query), 'show', listsOf(context), 'waiting')

/** Links to the lists. */
export function Lists({ context }: { context: PageContext }) {
  const shown = listIn(context)
  return (
    <nav class="kinds" aria-label="Payments">
      {listsOf(context).map((each) => (
        <a
          href={context.href(each === 'waiting' ? PAYMENTS : `${PAYMENTS}?show=${each}`)}
          aria-current={each === shown ? 'page' : undefined}
        >
          {humanize(each)}
        </a>
      ))}
    </nav>
  )
}

/** The list of differences, the only one that asks Stripe. */
export async function differingPage(context: SignedInContext): Promise<Page> {
  const { database, payments } = context.application
  const check = await payments.check()
  const ids = [...new Set(check?.differences.map(({ payment }) => payment))]
  const read = ids.map(async (id) => [id, await paymentDetails(database, id)] as const)
  const known = new Map<string, PaymentDetails>()
  for (const [id, payment] of await Promise.all(read)) if (payment) known.set(id, payment)
  return operatorPage(
    context,
    { title: 'Payments' },
    <>
      <Lists context={context} />
      {check ? <AllChecked context={context} check={check} payments={known} /> : null}
    </>,
  )
}

export async function endedPage(context: SignedInContext, end: PaymentEnd): Promise<Page> {
  const page = pageIn(new URLSearchParams(context.query))
  const { database } = context.application
  const { payments, hasMore } = await endedPayments(database, end, { page, limit: LIMIT })
  const href = (number: number) => context.href(`${PAYMENTS}?show=${end}&page=${number}`)
  return operatorPage(
    context,
    { title: 'Payments' },
    <>
      <Lists context={context} />
      {payments.length > 0 ? (
        <PaymentTable context={context} payments={payments} />
      ) : (
        <p class="empty">None.</p>
      )}
      <NewerOlder
        newer={page > 1 ? href(page - 1) : undefined}
        older={hasMore && page < MAX_PAGE ? href(page + 1) : undefined}
      />
    </>,
  )
}

interface PaymentTableProps {
  context: PageContext
  payments: readonly ListedPayment[]
}

function PaymentTable({ context, payments }: PaymentTableProps) {
  return (
    <Table
      label="Payments, newest first"
      isCards
      columns={['Order', 'Account', { label: 'E-mail', card: 'line' }, 'Price', 'State', 'Ordered']}
      rows={payments.map((payment) => [
        <a href={context.href(paymentPath(payment.id))}>
          {orderName(payment)}
          <span class="unseen"> of {payment.account.name}</span>
        </a>,
        <a href={context.href(accountPath(payment.account.id))}>
          <bdi>{payment.account.name}</bdi>
        </a>,
        <bdi>{payment.account.email}</bdi>,
        priceText(payment),
        <StateBadge payment={payment} />,
        <Day at={payment.createdAt} />,
      ])}
    />
  )
}
