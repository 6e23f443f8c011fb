/** @jsxImportSource hono/jsx */
/** `/operator`: what waits for the operator, how the service does, and what it did by day. */
import { refusedColumns } from '../../intake/import/sources.ts'
import type { Readiness } from '../../site/http/health-state.ts'
import type { Page, PageContext } from '../../site/http/page.ts'
import { QuietLink } from '../../site/ui/actions.tsx'
import { Badge } from '../../site/ui/badges.tsx'
import { Facts } from '../../site/ui/facts.tsx'
import { Notice, numbers, Section, Table } from '../../site/ui/page-parts.tsx'
import { Stats } from '../../site/ui/stats.tsx'
import { figure, formatDay, humanize, plural } from '../../site/ui/text.tsx'
import { findAccounts } from '../acts/account-search.ts'
import { readAuditLog } from '../acts/audit-log.ts'
import type { Finding } from '../acts/checks.ts'
import { type DayFigures, figuresByDay } from '../acts/figures.ts'
import { waitingPayments } from '../acts/payments.ts'
import { waitingCounts } from '../acts/waiting.ts'
import { AuditLines } from '../ui/audit-lines.tsx'
import { type OperatorContext, operatorPage } from '../ui/frame.tsx'
import { List } from '../ui/lists.tsx'
import { ACCOUNTS, AUDIT, BACKUPS, PAYMENTS, REQUESTS } from '../ui/paths.ts'
import { accountCells } from './accounts/accounts.tsx'
import { RefusedSources } from './imports/source-columns.tsx'
import { orderCells } from './payments/payment.tsx'

/** Lines of each list. */
const LINES = 5

export async function homePage(context: OperatorContext): Promise<Page> {
  const { application, console, readiness } = context
  const { database } = application
  const [waiting, counts, refused, accounts, lines, ready, checks, days] = await Promise.all([
    waitingPayments(database, LINES),
    waitingCounts(database),
    refusedColumns(database),
    findAccounts(database, { text: '', page: 1, limit: LINES }),
    readAuditLog(database, { limit: LINES }),
    readiness(),
    console.checks(),
    figuresByDay(database),
  ])
  const [today] = days
  const { order, account, price, ordered } = orderCells(context)
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
      {waiting.count > 0 ? (
        <Section id="orders" title="Orders that wait" count={waiting.count}>
          <List
            label="Orders that wait, oldest first"
            rows={waiting.payments}
            cells={[order, account, price, ordered]}
          />
          <p class="actions">
            <QuietLink href={context.href(PAYMENTS)}>Accept or refuse</QuietLink>
          </p>
        </Section>
      ) : null}
      <Health context={context} ready={ready} checks={checks} />
      <Section id="days" title={`The last ${days.length} days (UTC)`}>
        <Days days={days} />
      </Section>
      <Section id="accounts" title="Newest accounts">
        <List
          label="Newest accounts"
          rows={accounts}
          none="No account was made yet."
          cells={accountCells(context)}
        />
        <p class="beside">
          <a href={context.href(ACCOUNTS)}>All accounts</a>
        </p>
      </Section>
      <Section id="acts" title="Done last">
        <AuditLines context={context} lines={lines} />
        <p class="beside">
          <a href={context.href(AUDIT)}>Audit log</a>
        </p>
      </Section>
    </>,
  )
}

/** Changed records that are named. */
const NAMED_RECORDS = 5

interface HealthProps {
  context: PageContext
  ready: Readiness
  checks: Readonly<Record<string, Finding>>
}

function Health({ context, ready, checks }: HealthProps) {
  const { position, following } = context.directory
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
            .slice(0, NAMED_RECORDS)
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
          ...Object.entries(checks).map(([name, finding]) => ({
            name: humanize(name),
            value: <CheckResult context={context} name={name} {...finding} />,
          })),
        ]}
      />
      <p class="note">
        The command <code>doctor</code> checks the books and the index as well, which takes longer.
      </p>
    </Section>
  )
}

/** Result of a check. Backups that are off are a warning, as on their own page, to which the line leads. */
function CheckResult({
  context,
  name,
  state,
  text,
}: Finding & { context: PageContext; name: string }) {
  const isOff = state === 'skipped' && name === 'backups'
  if (state === 'skipped' && !isOff) return <span class="quiet">{text}</span>
  const [tone, word] = {
    ok: ['good', 'ok'] as const,
    failed: ['bad', 'problem'] as const,
    skipped: ['warn', 'off'] as const,
  }[state]
  return (
    <>
      <Badge tone={tone}>{word}</Badge> {forPeople(text)}
      {name === 'backups' && state !== 'ok' ? (
        <>
          . <a href={context.href(BACKUPS)}>Backups</a>
        </>
      ) : null}
    </>
  )
}

/** Rewrites times and large numbers of a command's output as pages show them. */
const forPeople = (text: string): string =>
  text
    .replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z/g, '$1, $2 (UTC)')
    .replace(/\d{4,}(?= MB)/g, (megabytes) => figure(Number(megabytes)))

/** The figures of a day, by the words that stand behind each on a card. */
const FIGURES = [
  ['New accounts', 'newAccounts'],
  ['Credits sold', 'sold'],
  ['Credits given free', 'givenFree'],
  ['Credits spent', 'spent'],
  ['Calls charged', 'charged'],
  ['Free calls', 'free'],
  ['Calls refused', 'refused'],
  ['Calls failed', 'failed'],
] as const satisfies readonly [string, keyof DayFigures][]

/** A row a day. On a phone figures of 0 are left out, so that a quiet day is one line. */
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
        columns={['Day', ...FIGURES.map(([label]) => numbers(label, 'unit'))]}
        rows={shown.map(({ day, ...of }) => [
          <time datetime={day}>{formatDay(day)}</time>,
          ...FIGURES.map(([, name]) =>
            of[name] === 0 ? <span class="quiet zero">0</span> : figure(of[name]),
          ),
        ])}
      />
      <p class="note">
        Sold by plans and top-ups, given free by trials and referrals. Days without a figure are
        left out, and counts are at most a minute old.
      </p>
    </>
  )
}
