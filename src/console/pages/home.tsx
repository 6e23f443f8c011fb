/** @jsxImportSource hono/jsx */
/** `/operator`: what waits for the operator, how the service does, and what it did by day. */
import { refusedColumns } from '../../intake/import/sources.ts'
import type { Page, PageContext, SignedInContext } from '../../site/http/page.ts'
import { orderName, priceText } from '../../site/pages/billing/order.tsx'
import { QuietLink } from '../../site/ui/actions.tsx'
import { Section, Table } from '../../site/ui/page-parts.tsx'
import { Stats } from '../../site/ui/stats.tsx'
import { Day, figure } from '../../site/ui/text.tsx'
import { findAccounts } from '../acts/account-search.ts'
import { readAuditLog } from '../acts/audit-log.ts'
import { figuresByDay } from '../acts/figures.ts'
import { type WaitingPayment, waitingPayments } from '../acts/payments.ts'
import { waitingCounts } from '../acts/waiting.ts'
import { AuditLines } from '../ui/audit-lines.tsx'
import { Days } from '../ui/days.tsx'
import { operatorPage } from '../ui/frame.tsx'
import { ACCOUNTS, accountPath, PAYMENTS, paymentPath, REQUESTS } from '../ui/paths.ts'
import { AccountTable } from './accounts/accounts.tsx'
import { Health } from './health.tsx'
import { RefusedSources } from './imports/source-columns.tsx'

/** Lines of each list. */
const LINES = 5

export async function homePage(context: SignedInContext): Promise<Page> {
  const { application, readiness } = context
  const { database } = application
  const [waiting, counts, refused, accounts, lines, ready, checks, days] = await Promise.all([
    waitingPayments(database, LINES),
    waitingCounts(database),
    refusedColumns(database),
    findAccounts(database, { text: '', page: 1, limit: LINES }),
    readAuditLog(database, { limit: LINES }),
    readiness(),
    application.checks(),
    figuresByDay(database),
  ])
  const [today] = days
  return operatorPage(
    context,
    { title: 'Operator' },
    <>
      <Stats
        stats={[
          {
            name: 'Orders that wait',
            value: <a href={context.href(PAYMENTS)}>{figure(waiting.count)}</a>,
          },
          {
            name: 'Privacy requests that wait',
            value: <a href={context.href(REQUESTS)}>{figure(counts.privacyRequests)}</a>,
          },
          { name: 'New accounts today', value: figure(today?.newAccounts ?? 0) },
          { name: 'Credits sold today', value: figure(today?.sold ?? 0) },
          { name: 'Credits spent today', value: figure(today?.spent ?? 0) },
        ]}
      />
      <RefusedSources context={context} refused={refused} />
      {waiting.count > 0 ? <Orders context={context} {...waiting} /> : null}
      <Health context={context} ready={ready} checks={checks} />
      <Section id="days" title={`The last ${days.length} days (UTC)`}>
        <Days days={days} />
      </Section>
      <Section id="accounts" title="Newest accounts">
        {accounts.length > 0 ? (
          <>
            <AccountTable label="Newest accounts" context={context} accounts={accounts} />
            <p class="beside">
              <a href={context.href(ACCOUNTS)}>All accounts</a>
            </p>
          </>
        ) : (
          <p class="empty">No account was made yet.</p>
        )}
      </Section>
      <Section id="acts" title="Done last">
        <AuditLines context={context} lines={lines} />
        <p class="beside">
          <a href={context.href('/operator/audit')}>Audit log</a>
        </p>
      </Section>
    </>,
  )
}

interface OrdersProps {
  context: PageContext
  payments: readonly WaitingPayment[]
  count: number
}

function Orders({ context, payments, count }: OrdersProps) {
  return (
    <Section id="orders" title="Orders that wait" count={count}>
      <Table
        label="Orders that wait, oldest first"
        isCards
        columns={['Order', 'Account', 'Price', 'Ordered']}
        rows={payments.map((payment) => [
          <a href={context.href(paymentPath(payment.id))}>
            {orderName(payment)}
            <span class="unseen"> of {payment.account.name}</span>
          </a>,
          <a href={context.href(accountPath(payment.account.id))}>
            <bdi>{payment.account.name}</bdi>
          </a>,
          priceText(payment),
          <Day at={payment.createdAt} />,
        ])}
      />
      <p class="actions">
        <QuietLink href={context.href(PAYMENTS)}>Accept or refuse</QuietLink>
      </p>
    </Section>
  )
}
