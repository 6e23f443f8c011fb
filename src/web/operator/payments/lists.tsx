/** @jsxImportSource hono/jsx */
/** `/operator/payments?show=…`: payments by what became of them. */
import {
  endedPayments,
  type ListedPayment,
  PAYMENT_ENDS,
  type PaymentEnd,
} from '../../../operator/payment-details.ts'
import { orderName, priceText } from '../../billing/open-orders.tsx'
import { Table } from '../../components/page-parts.tsx'
import { Day, humanize } from '../../components/text.tsx'
import type { Page, PageContext, SignedInContext } from '../../http/page.ts'
import { addressMistake } from '../../http/page-error.ts'
import { accountPath } from '../accounts/accounts.tsx'
import { operatorPage } from '../frame.tsx'
import { AllChecked } from './differing.tsx'
import { PAYMENTS, paymentPath } from './paths.ts'
import { StateBadge } from './states.tsx'

/** Payments of a page. */
const LIMIT = 50
/** Pages that can be asked for: further ones take longer, and an account's page has its own. */
const MAX_PAGE = 200

/** What Stripe has otherwise is asked for where Stripe is. */
const shownBy = ({ application }: PageContext) => [
  ...['waiting', ...PAYMENT_ENDS],
  ...(application.payments.mode === 'stripe' ? ['differing'] : []),
]

const shownIn = (context: PageContext) =>
  new URLSearchParams(context.query).get('show') || 'waiting'

/** Which list is asked for; undefined: what waits. @throws PageError 400 */
export function endIn(context: PageContext): PaymentEnd | 'differing' | undefined {
  const shown = shownIn(context)
  if (shown === 'waiting') return undefined
  const lists = shownBy(context)
  if (shown === 'differing' && lists.includes(shown)) return shown
  const end = PAYMENT_ENDS.find((each) => each === shown)
  if (!end) throw addressMistake('show', lists.join(', '))
  return end
}

/** Links to the lists. */
export function Lists({ context }: { context: PageContext }) {
  const shown = shownIn(context)
  return (
    <nav class="kinds" aria-label="Payments">
      {shownBy(context).map((each) => (
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

/** Asks Stripe: this list alone does. */
export async function differingPage(context: SignedInContext): Promise<Page> {
  const check = await context.application.payments.check()
  return operatorPage(
    context,
    { title: 'Payments' },
    <>
      <Lists context={context} />
      {check ? <AllChecked context={context} check={check} /> : null}
    </>,
  )
}

export async function endedPage(context: SignedInContext, end: PaymentEnd): Promise<Page> {
  const page = pageIn(new URLSearchParams(context.query).get('page') || '1')
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
  throw addressMistake('page', `a whole number from 1 to ${MAX_PAGE}`)
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
