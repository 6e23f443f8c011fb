/** @jsxImportSource hono/jsx */
/** `/operator`: what waits for the operator, how the service does, and what it did by day. */
import { findAccounts } from '../../operator/account-search.ts'
import { readAuditLog } from '../../operator/audit-log.ts'
import type { Finding } from '../../operator/checks.ts'
import { type DayFigures, figuresByDay } from '../../operator/figures.ts'
import { type WaitingPayment, waitingPayments } from '../../operator/payments.ts'
import { orderName, priceText } from '../billing/open-orders.tsx'
import { Badge } from '../components/badges.tsx'
import { Notice, numbers, Section, Table } from '../components/page-parts.tsx'
import { Facts } from '../components/profile.tsx'
import { Stats } from '../components/stats.tsx'
import { Day, figure, formatDay, humanize, plural } from '../components/text.tsx'
import type { Readiness } from '../http/health-state.ts'
import type { Page, PageContext, SignedInContext } from '../http/page.ts'
import { AccountTable, accountPath } from './accounts/accounts.tsx'
import { AuditLines } from './audit.tsx'
import { operatorPage } from './frame.tsx'

/** Lines of each list. */
const LINES = 5

export async function homePage(context: SignedInContext): Promise<Page> {
  const { application, readiness } = context
  const { database } = application
  const [waiting, accounts, lines, ready, checks, days] = await Promise.all([
    waitingPayments(database, LINES),
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
            value: <a href={context.href('/operator/payments')}>{figure(waiting.count)}</a>,
          },
          { name: 'New accounts today', value: figure(today?.newAccounts ?? 0) },
          { name: 'Credits sold today', value: figure(today?.sold ?? 0) },
          { name: 'Credits spent today', value: figure(today?.spent ?? 0) },
        ]}
      />
      {waiting.count > 0 ? <Orders context={context} {...waiting} /> : null}
      <Health context={context} ready={ready} checks={checks} />
      <Section id="days" title={`The last ${days.length} days (UTC)`}>
        <Days days={days} />
      </Section>
      <Section id="accounts" title="Newest accounts">
        {accounts.length > 0 ? (
          <AccountTable label="Newest accounts" context={context} accounts={accounts} />
        ) : (
          <p class="empty">No account was made yet.</p>
        )}
      </Section>
      <Section id="acts" title="Done last">
        <AuditLines context={context} lines={lines} />
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
          orderName(payment),
          <a href={context.href(accountPath(payment.account.id))}>
            <bdi>{payment.account.name}</bdi>
          </a>,
          priceText(payment),
          <Day at={payment.createdAt} />,
        ])}
      />
      <p class="beside">
        <a href={context.href('/operator/payments')}>Accept or refuse</a>
      </p>
    </Section>
  )
}

interface HealthProps {
  context: PageContext
  ready: Readiness
  checks: Readonly<Record<string, Finding>>
}

const TONES = { ok: 'good', failed: 'bad' } as const
const STATES = { ok: 'well', failed: 'look' } as const

function Health({ context: { directory }, ready, checks }: HealthProps) {
  const { position, following } = directory
  const { setAside } = following
  const since = Math.floor(following.secondsSinceInStep)
  return (
    <Section id="health" title="Health">
      {ready.status === 'ready' ? null : (
        <Notice tone="bad">
          This server is not to be sent requests: {ready.reasons.join('; ')}.
        </Notice>
      )}
      {setAside.length > 0 ? (
        <Notice tone="warn">
          {plural(setAside.length, 'changed record', 'changed records')} could not be taken in, and
          the log says why:{' '}
          {setAside
            .slice(0, LINES)
            .map(({ id }) => id)
            .join(', ')}
          .
        </Notice>
      ) : null}
      <Facts
        facts={[
          {
            name: 'This server',
            value: (
              <Badge tone={ready.status === 'ready' ? 'good' : 'bad'}>
                {ready.status === 'ready' ? 'ready' : 'not ready'}
              </Badge>
            ),
          },
          {
            name: 'Directory',
            value: `${since < 2 ? 'up to date' : `last up to date ${plural(since, 'second', 'seconds')} ago`}, change ${figure(position)}`,
          },
          ...Object.entries(checks).map(([name, { state, text }]) => ({
            name: humanize(name),
            value:
              state === 'skipped' ? (
                <span class="quiet">{text}</span>
              ) : (
                <>
                  <Badge tone={TONES[state]}>{STATES[state]}</Badge> {forPeople(text)}
                </>
              ),
          })),
        ]}
      />
      <p class="note">
        The command <code>doctor</code> checks the books and the index as well, which takes longer.
      </p>
    </Section>
  )
}

/** What a command prints, with times and large numbers as pages write them. */
const forPeople = (text: string): string =>
  text
    .replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z/g, '$1, $2 (UTC)')
    .replace(/\d{4,}(?= MB)/g, (megabytes) => figure(Number(megabytes)))

function Days({ days }: { days: readonly DayFigures[] }) {
  // Days on which nothing was done say nothing: today stands in any case.
  const shown = days.filter(
    ({ day: _, ...of }, i) => i === 0 || Object.values(of).some((value) => value > 0),
  )
  return (
    <>
      <Table
        label="Figures by day, newest first"
        isCards
        columns={[
          'Day',
          numbers('New accounts', 'unit'),
          numbers('Credits sold', 'unit'),
          numbers('Given free', 'unit'),
          numbers('Spent', 'unit'),
          numbers('Calls charged', 'unit'),
          numbers('Free', 'unit'),
          numbers('Refused', 'unit'),
          numbers('Failed', 'unit'),
        ]}
        rows={shown.map(({ day, ...of }) => [
          <time datetime={day}>{formatDay(day)}</time>,
          ...[of.newAccounts, of.sold, of.givenFree, of.spent].map(figure),
          ...[of.charged, of.free, of.refused, of.failed].map(figure),
        ])}
      />
      <p class="note">
        Sold are credits of plans and top-ups, given free those of trials and referrals, whoever
        gave them. Days without any figure are left out. Calls are those of the log of requests.
        Counted at most a minute ago.
      </p>
    </>
  )
}
