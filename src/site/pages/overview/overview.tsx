/** @jsxImportSource hono/jsx */
/** `/overview`, the first page after signing in: credits, calls, errors, keys, and open orders and invitations. */

import { CALL_CREDITS, SCOPES } from '../../../contract/endpoints.ts'
import { isErrorCode } from '../../../contract/errors.ts'
import { tierHas } from '../../../contract/tiers.ts'
import { type Credits, creditsOf } from '../../../money/accounts/credits.ts'
import { FIRST_KEY_LABEL } from '../../../money/accounts/keys.ts'
import { type Overview, overviewOf, SHOWN_DAYS } from '../../../money/accounts/overview.ts'
import { trialRefusalOf } from '../../../people/users/repository.ts'
import { exampleValues } from '../../docs/example-values.ts'
import { FirstCall } from '../../docs/examples.tsx'
import { notFound } from '../../http/form-errors.ts'
import type { Page, SignedInContext } from '../../http/page.ts'
import { ButtonLink, QuietLink, Submit } from '../../ui/actions.tsx'
import { Cure, StatusBadge } from '../../ui/call-status.tsx'
import { UseChart } from '../../ui/chart.tsx'
import { Form } from '../../ui/form.tsx'
import { Notice, personalPage, Section, Table } from '../../ui/page-parts.tsx'
import { isSuspended } from '../../ui/suspension.tsx'
import { Day, figure, humanize, Moment, plural } from '../../ui/text.tsx'
import { NO_TRIAL } from '../account/sign-up.tsx'
import { withoutPlan } from '../billing/usage.tsx'
import { Asked } from '../requests/requests.tsx'

const CALLS = {
  one: 'call',
  many: 'calls',
  by: 'outcome',
  none: 'No key made a call',
  // Same hues as the badges: green, grey-blue, amber, red.
  hues: { Charged: 0, Free: 1, Refused: 4, Failed: 3 },
}

export async function overviewPage(context: SignedInContext): Promise<Page> {
  const { database, requests } = context.application
  const { id } = context.session.account
  await requests?.write(id)
  const [credits, overview] = await Promise.all([creditsOf(database, id), overviewOf(database, id)])
  if (!credits || !overview) throw notFound('account')
  // Only new accounts can lack a trial.
  const isNewcomer = !overview.hasCalled && credits.grants.length === 0
  const noTrial = isNewcomer ? await trialRefusalOf(database, id) : null
  return personalPage(
    { title: 'Overview', shape: 'wide', balance: credits.balance },
    <>
      {noTrial ? <Notice tone="warn">{NO_TRIAL[noTrial]}</Notice> : null}
      {overview.hasCalled || isSuspended(context) ? null : (
        <FirstSteps context={context} hasKey={overview.keys.length > 0} />
      )}
      <Waiting context={context} overview={overview} />
      <div class="columns even">
        <Balance context={context} credits={credits} overview={overview} />
        <Keys context={context} overview={overview} />
      </div>
      {requests ? null : (
        <p class="note">
          The operator keeps no log of requests, so calls, errors and the last use of keys are not
          shown. Charges are: see <a href={context.href('/balance')}>Usage</a>.
        </p>
      )}
      {requests && (overview.hasCalled || overview.days.length > 0) ? (
        <>
          <Calls overview={overview} />
          <Errors context={context} overview={overview} />
        </>
      ) : null}
    </>,
  )
}

interface PartProps {
  context: SignedInContext
  overview: Overview
}

/** Open orders and invitations. */
function Waiting({ context, overview: { openPayments, openInvitations } }: PartProps) {
  const hasInvitations = openInvitations > 0 && tierHas(context.session.account.tier, 'workspace')
  if (openPayments === 0 && !hasInvitations) return null
  return (
    <ul class="waiting">
      {openPayments > 0 ? (
        <li>
          <a href={context.href('/credits#open')}>
            {plural(openPayments, 'order waits for its payment', 'orders wait for their payment')}
          </a>
        </li>
      ) : null}
      {hasInvitations ? (
        <li>
          <a href={context.href('/workspace')}>
            {plural(openInvitations, 'invitation is', 'invitations are')} not accepted yet
          </a>
        </li>
      ) : null}
    </ul>
  )
}

function Balance({ context, credits, overview }: PartProps & { credits: Credits }) {
  const { balance, plan, grants, tier } = credits
  const [soonest] = grants
  return (
    <section class="panel" aria-labelledby="balance">
      <h2 id="balance">Credits</h2>
      <p class="figure">
        {figure(balance)} <span class="quiet">{balance === 1 ? 'credit' : 'credits'}</span>
      </p>
      <p>{paceText(credits, overview.pace)}</p>
      {soonest?.expiresAt ? (
        <p class="note">
          {plural(soonest.remaining, 'credit expires', 'credits expire')} on{' '}
          <Day at={soonest.expiresAt} />.
        </p>
      ) : null}
      <p>
        {plan ? `${humanize(plan.name)} ${plan.renews ? 'renews' : 'ends'} on ` : withoutPlan(tier)}
        {plan ? <Day at={plan.endsAt} /> : null}
      </p>
      <p class="actions">
        <ButtonLink href={context.href(plan ? '/credits#top-ups' : '/credits')}>
          {plan ? 'Top up' : 'View plans'}
        </ButtonLink>
        <QuietLink href={context.href('/balance')}>Usage</QuietLink>
        <QuietLink href={context.href('/balance/alerts')}>Low-balance mails</QuietLink>
      </p>
    </section>
  )
}

function Keys({ context, overview: { keys } }: PartProps) {
  const isLogged = context.application.requests !== undefined
  return (
    <section class="panel" aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      {keys.length === 0 ? <p>There is no key yet.</p> : null}
      <dl class="facts">
        {keys.map(({ label, prefix, usedAt }) => (
          <div>
            <dt>
              <bdi>{label}</bdi> <code class="number">{prefix}…</code>
            </dt>
            <dd class="note">
              {usedAt ? 'Last used ' : isLogged ? 'Not used lately' : null}
              {usedAt ? <Moment at={usedAt} /> : null}
            </dd>
          </div>
        ))}
      </dl>
      <p class="actions">
        <QuietLink href={context.href('/keys')}>All keys</QuietLink>
      </p>
    </section>
  )
}

function Calls({ overview: { days } }: { overview: Overview }) {
  const today = new Date().toISOString().slice(0, 10)
  const uses = days.flatMap(({ day, charged, free, refused, failed }) =>
    Object.entries({ Charged: charged, Free: free, Refused: refused, Failed: failed })
      .filter(([, calls]) => calls > 0)
      .map(([endpoint, calls]) => ({ day, endpoint, calls, credits: calls })),
  )
  return (
    <Section id="calls" title="Calls by outcome">
      <UseChart days={uses} today={today} length={SHOWN_DAYS} counted={CALLS} />
    </Section>
  )
}

function Errors({ context, overview: { errors } }: PartProps) {
  return (
    <Section id="errors" title="Latest errors">
      {errors.length === 0 ? (
        <p class="empty">None of the latest calls was refused or failed.</p>
      ) : (
        <Table
          label="Latest errors"
          isCards
          columns={[
            'Time',
            { label: 'Call', card: 'title' },
            { label: 'What happened', card: 'line' },
          ]}
          rows={errors.map((entry) => [
            <Moment at={entry.at} />,
            <Asked entry={entry} />,
            <>
              <StatusBadge entry={entry} />
              {isErrorCode(entry.code) ? <Cure context={context} code={entry.code} /> : null}
            </>,
          ])}
        />
      )}
      <p>
        <a href={context.href('/requests')}>All requests</a>
      </p>
    </Section>
  )
}

function FirstSteps({ context, hasKey }: { context: SignedInContext; hasKey: boolean }) {
  const { site, href, directory } = context
  return (
    <section class="panel" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol>
        <li>Your account is ready.</li>
        <li>
          {hasKey ? (
            'You have a key.'
          ) : (
            <>
              Create a key: it is shown once. <a href={href('/keys')}>Name it and choose scopes</a>
            </>
          )}
        </li>
        <li>
          Make the first call, for {CALL_CREDITS} credits. <a href={href('/docs')}>How it works</a>
          <FirstCall baseUrl={site.baseUrl} examples={exampleValues(directory)} />
        </li>
      </ol>
      {hasKey ? null : (
        <Form context={context} action="/keys">
          <input type="hidden" name="label" value={FIRST_KEY_LABEL} />
          {SCOPES.map((scope) => (
            <input type="hidden" name="scopes" value={scope} />
          ))}
          <Submit>Create key</Submit>
        </Form>
      )}
    </section>
  )
}

/** Says how long the balance lasts at the pace of the last days. */
export function paceText(
  { balance, unlimited }: Pick<Credits, 'balance' | 'unlimited'>,
  { credits, days }: Overview['pace'],
): string {
  if (unlimited) return 'Your plan has no credit limit.'
  const period = periodText(days)
  if (credits === 0) return `Nothing was charged in ${period}, so there is no pace to go by.`
  const spent = `${plural(credits, 'credit', 'credits')} in ${period}`
  if (balance <= 0) return `No credits are left. You spent ${spent}.`
  if (days < 1) return `You spent ${spent}, too short a time to tell how long the balance lasts.`
  return `You spent ${spent}. At this pace the balance lasts ${lastsText((balance / credits) * days)}.`
}

function periodText(days: number): string {
  const hours = Math.max(1, Math.round(days * 24))
  if (hours < 36) return hours === 1 ? 'the last hour' : `the last ${hours} hours`
  // Today counts as a day, as on the Usage page.
  return `the last ${figure(Math.ceil(days))} days`
}

function lastsText(days: number): string {
  if (days < 1) return 'less than a day'
  if (days > 365) return 'more than a year'
  const whole = Math.floor(days)
  return `about ${plural(whole, 'day', 'days')}`
}
