/** @jsxImportSource hono/jsx */
/** `/balance`: the account's credits: what is left until when, what they went on, and the ledger line by line. */
import { type Credits, creditsOf } from '../../accounts/credits.ts'
import {
  creditsPerDay,
  type Entry,
  type LedgerFilter,
  ledgerCsv,
  ledgerFilters,
  ledgerPage,
} from '../../accounts/ledger.ts'
import type { Child, Html } from '../html.ts'
import type { Page, PersonalVisit } from '../page.ts'
import { Badge } from '../parts/badges.tsx'
import { UseChart } from '../parts/chart.tsx'
import { Select } from '../parts/fields.tsx'
import { Notice } from '../parts/notice.tsx'
import { Facts } from '../parts/profile.tsx'
import { Table } from '../parts/table.tsx'
import { counted, Day, figure, Moment, words } from '../parts/text.tsx'
import { csvFile } from '../streams.ts'
import { notThere } from '../trying.ts'

/** Days of the chart, today among them. */
const CHART_DAYS = 30

export async function balancePage(visit: PersonalVisit): Promise<Page> {
  const { application, session, query } = visit
  const { database } = application
  const { id } = session.account
  const credits = await creditsOf(database, id)
  if (!credits) throw notThere('account')
  const asked = new URLSearchParams(query)
  const filter = filterOf(asked)
  const before = cursorOf(asked)
  const [days, choices, ledger] = await Promise.all([
    creditsPerDay(database, id, CHART_DAYS),
    ledgerFilters(database, id),
    ledgerPage(database, id, { ...filter, before }),
  ])
  return {
    title: 'Credits',
    isUnlisted: true,
    shape: 'wide',
    balance: credits.balance,
    main: (
      <>
        <h1>Credits</h1>
        {asked.get('said') === 'stopped' ? (
          <Notice tone="good">
            The plan will not go on. What is left of it can be used until it ends.
          </Notice>
        ) : null}
        <div class="columns even">
          <Balance visit={visit} credits={credits} />
          <Plan visit={visit} credits={credits} />
        </div>
        <section aria-labelledby="use">
          <h2 id="use">What they went on</h2>
          <UseChart days={days} today={new Date().toISOString().slice(0, 10)} length={CHART_DAYS} />
        </section>
        <section aria-labelledby="ledger">
          <h2 id="ledger">Ledger</h2>
          <Filters visit={visit} filter={filter} choices={choices} />
          <Lines entries={ledger.entries} />
          <p class="pager">
            {before === undefined ? null : <a href={ledgerLink(visit, filter)}>Newest</a>}
            {ledger.next === null ? null : (
              <a rel="next" href={ledgerLink(visit, filter, ledger.next)}>
                Older
              </a>
            )}
            <a href={visit.to(`/balance/ledger.csv${queryOf(filter)}`)} download>
              {queryOf(filter) === '' ? 'All of it as CSV' : 'These as CSV'}
            </a>
          </p>
        </section>
      </>
    ),
  }
}

/** `/balance/ledger.csv`, with the page's filters. */
export function ledgerFile({ application, session, query }: PersonalVisit): Response {
  const filter = filterOf(new URLSearchParams(query))
  return csvFile('ledger', ledgerCsv(application.database, session.account.id, filter))
}

const FILTERS = ['key', 'endpoint', 'day', 'request'] as const

/** A form sends fields that were left empty. */
function filterOf(asked: URLSearchParams): LedgerFilter {
  return Object.fromEntries(
    FILTERS.flatMap((name) => (asked.get(name) ? [[name, asked.get(name)]] : [])),
  )
}

/** What is no number is the first page. */
function cursorOf(asked: URLSearchParams): number | undefined {
  const before = asked.get('before') ?? ''
  return /^\d{1,15}$/.test(before) ? Number(before) : undefined
}

function queryOf(filter: LedgerFilter, before?: number): string {
  const query = new URLSearchParams(Object.entries(filter))
  if (before !== undefined) query.set('before', String(before))
  return query.size > 0 ? `?${query}` : ''
}

function ledgerLink(visit: PersonalVisit, filter: LedgerFilter, before?: number): string {
  return `${visit.to(`/balance${queryOf(filter, before)}`)}#ledger`
}

function Balance({ visit, credits }: { visit: PersonalVisit; credits: Credits }): Html {
  const { balance, unlimited, grants } = credits
  return (
    <section class="panel" aria-labelledby="balance">
      <h2 id="balance">Balance</h2>
      <p class="figure">
        {figure(balance)} <span class="quiet">{balance === 1 ? 'credit' : 'credits'}</span>
      </p>
      {unlimited ? <p class="note">Your plan has no credit ceiling.</p> : null}
      <Facts
        facts={grants.map(({ source, remaining, amount, expiresAt }) => ({
          name: words(source === 'topup' ? 'top-up' : source),
          value: (
            <>
              {figure(remaining)} of {figure(amount)},{' '}
              {expiresAt ? (
                <>
                  until <Day at={expiresAt} />
                </>
              ) : (
                'without end'
              )}
            </>
          ),
        }))}
      />
      {grants.length > 1 ? <p class="note">What ends first is spent first.</p> : null}
      <p>
        <a class="button" href={visit.to('/credits#top-ups')}>
          Top up
        </a>
      </p>
    </section>
  )
}

function Plan({
  visit,
  credits: { plan, tier },
}: {
  visit: PersonalVisit
  credits: Credits
}): Html {
  return (
    <section class="panel" aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <p class="figure">{plan ? words(plan.name) : <span class="quiet">None</span>}</p>
      {plan ? (
        <p>
          {plan.renews ? 'It goes on by itself on ' : 'It ends on '}
          <Day at={plan.endsAt} />.
        </p>
      ) : (
        <p>
          {tier === 'free'
            ? 'Credits can be spent without one. A plan brings more of them, each month.'
            : `The operator has put this account on the tier ${tier}.`}
        </p>
      )}
      <p class="actions">
        <a class="button quiet" href={visit.to('/credits')}>
          {plan ? 'Change plan' : 'See the plans'}
        </a>
        {plan?.renews && visit.session.role === 'owner' ? (
          <a class="button quiet" href={visit.to('/balance/stop-plan')}>
            Stop it
          </a>
        ) : null}
      </p>
      <p class="note">
        <a href={visit.to('/referral')}>Bring somebody</a> and both of you get credits.
      </p>
    </section>
  )
}

function Filters({
  visit,
  filter,
  choices,
}: {
  visit: PersonalVisit
  filter: LedgerFilter
  choices: Awaited<ReturnType<typeof ledgerFilters>>
}): Html {
  return (
    <form class="filters" action={`${visit.to('/balance')}#ledger`}>
      <Select
        name="key"
        label="Key"
        none="All"
        options={choices.keys.map(({ id, label }) => ({ value: id, label }))}
        chosen={filter.key}
      />
      <Select
        name="endpoint"
        label="Endpoint"
        none="All"
        options={choices.endpoints.map((value) => ({ value, label: value }))}
        chosen={filter.endpoint}
      />
      <div class="field">
        <label for="field-day">Day (UTC)</label>
        <input id="field-day" type="date" name="day" value={filter.day} />
      </div>
      {filter.request ? <input type="hidden" name="request" value={filter.request} /> : null}
      <button class="button quiet" type="submit">
        Show
      </button>
      {queryOf(filter) === '' ? null : <a href={`${visit.to('/balance')}#ledger`}>Show all</a>}
    </form>
  )
}

function Lines({ entries }: { entries: readonly Entry[] }): Html {
  if (entries.length === 0) return <p class="empty">There are no such entries.</p>
  const sum = entries.reduce((total, { credits }) => total + credits, 0)
  return (
    <>
      <p class="note">
        {counted(entries.length, 'entry', 'entries')}, {signed(sum)} together.
      </p>
      <Table
        label="Ledger, newest first"
        columns={[
          { label: 'When (UTC)' },
          { label: 'What' },
          { label: 'Via' },
          { label: 'Credits', isNumber: true },
          { label: 'Balance after', isNumber: true },
          { label: 'Request' },
        ]}
        rows={entries.map((entry) => [
          <Moment at={entry.at} />,
          whatOf(entry),
          entry.via ?? '',
          signed(entry.credits),
          figure(entry.balanceAfter),
          entry.requestId ? <code class="id">{entry.requestId}</code> : '',
        ])}
      />
    </>
  )
}

function whatOf({ kind, endpoint, source }: Entry): Child {
  if (kind === 'charge') return <code>{endpoint}</code>
  const from = source === 'topup' ? 'top-up' : source
  const label = { grant: 'Credits', expiry: 'Expired', reversal: 'Taken back' }[kind]
  return (
    <Badge tone={kind === 'grant' ? 'good' : 'warn'}>{from ? `${label}: ${from}` : label}</Badge>
  )
}

/** With its sign, the true minus among them. */
function signed(credits: number): string {
  return credits < 0 ? `−${figure(-credits)}` : `+${figure(credits)}`
}
