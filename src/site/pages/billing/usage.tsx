/** @jsxImportSource hono/jsx */
/** `/balance`, the Usage page: the account's credits, its plan, its spending by endpoint and its transactions. */
import { type Credits, creditsOf } from '../../../money/accounts/credits.ts'
import { creditsPerDay } from '../../../money/accounts/ledger.ts'
import { referralOf } from '../../../money/payments/referrals.ts'
import { trialRefusalOf } from '../../../people/users/repository.ts'
import { notFound } from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { PageError } from '../../http/page-error.ts'
import { ButtonLink, Confirmation, QuietLink } from '../../ui/actions.tsx'
import { UseChart } from '../../ui/chart.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Code, Flash, Notice, personalPage, Section } from '../../ui/page-parts.tsx'
import { Day, figure, humanize, plural, rewardTime } from '../../ui/text.tsx'
import { NO_TRIAL } from '../account/sign-up.tsx'
import { readTransactions, sourceName, Transactions } from './transactions.tsx'

/** Days of the chart, today included. */
const CHART_DAYS = 30

const MESSAGES = {
  stopped: 'Your plan is cancelled. You can use its credits until it ends.',
}

export async function usagePage(context: SignedInContext): Promise<Page> {
  const { database } = context.application
  const { id } = context.session.account
  const credits = await creditsOf(database, id)
  if (!credits) throw notFound('account')
  const [days, list, noTrial] = await Promise.all([
    creditsPerDay(database, id, CHART_DAYS),
    readTransactions(context),
    credits.grants.length === 0 ? trialRefusalOf(database, id) : null,
  ])
  const today = new Date().toISOString().slice(0, 10)
  return personalPage(
    { title: 'Usage', shape: 'wide', balance: credits.balance },
    <>
      <Flash context={context} messages={MESSAGES} />
      {noTrial ? <Notice tone="warn">{NO_TRIAL[noTrial]}</Notice> : null}
      <div class="columns even">
        <Balance context={context} credits={credits} />
        <CurrentPlan context={context} credits={credits} />
      </div>
      <Section id="use" title="Spending by endpoint">
        <UseChart days={days} today={today} length={CHART_DAYS} />
      </Section>
      <Section id="ledger" title="Transactions">
        <Transactions context={context} list={list} />
      </Section>
    </>,
  )
}

interface PanelProps {
  context: SignedInContext
  credits: Credits
}

function Balance({ context, credits: { balance, unlimited, grants } }: PanelProps) {
  return (
    <section class="panel" aria-labelledby="balance">
      <h2 id="balance">Balance</h2>
      <p class="figure">
        {figure(balance)} <span class="quiet">{balance === 1 ? 'credit' : 'credits'}</span>
      </p>
      {unlimited ? <p class="note">Your plan has no credit limit.</p> : null}
      <Facts
        facts={grants.map(({ source, remaining, amount, expiresAt }) => ({
          name: sourceName(source),
          value: (
            <>
              {figure(remaining)} of {figure(amount)}, {expiresAt ? 'expires ' : 'never expires'}
              {expiresAt ? <Day at={expiresAt} /> : null}
            </>
          ),
        }))}
      />
      {grants.length > 1 ? <p class="note">Credits that expire first are used first.</p> : null}
      <p class="actions">
        <ButtonLink href={context.href('/credits#top-ups')}>Top up</ButtonLink>
        <QuietLink href={context.href('/balance/alerts')}>Low-balance mails</QuietLink>
      </p>
    </section>
  )
}

/** Text for an account without a plan. */
export const withoutPlan = (tier: Credits['tier']): string =>
  tier === 'free'
    ? 'You can use credits without a plan. A plan adds credits every month.'
    : `The operator has set this account to the ${humanize(tier)} tier.`

function CurrentPlan({ context, credits: { plan, tier } }: PanelProps) {
  return (
    <section class="panel" aria-labelledby="plan">
      <h2 id="plan">Current plan</h2>
      <p class="figure">{plan ? humanize(plan.name) : <span class="quiet">No plan</span>}</p>
      <p>
        {plan ? (plan.renews ? 'Renews on ' : 'Ends on ') : withoutPlan(tier)}
        {plan ? <Day at={plan.endsAt} /> : null}
      </p>
      <p class="actions">
        <QuietLink href={context.href('/credits')}>{plan ? 'Change plan' : 'View plans'}</QuietLink>
        {plan?.renews && context.session.role === 'owner' ? (
          <QuietLink href={context.href('/balance/stop-plan')}>Cancel plan</QuietLink>
        ) : null}
      </p>
      <p class="note">
        <a href={context.href('/referral')}>Invite a friend</a> and you both get credits.
      </p>
    </section>
  )
}

/** `/balance/stop-plan`: asks before a plan is cancelled at the end of its period. */
export async function cancelPlanPage(context: SignedInContext): Promise<Page> {
  const { application, session } = context
  const credits = await creditsOf(application.database, session.account.id)
  if (!credits?.plan?.renews || session.role !== 'owner') throw notFound('plan to cancel')
  const { name, endsAt } = credits.plan
  return personalPage(
    { title: 'Cancel plan', heading: `Cancel the ${humanize(name)} plan?` },
    <>
      <p class="lead">
        You can use the plan until <Day at={endsAt} />. Then its credits expire and the account
        returns to the free tier. Top-up and referral credits stay.
      </p>
      <Confirmation
        context={context}
        action="/balance/stop-plan"
        label="Cancel plan"
        back="Keep the plan"
      />
    </>,
  )
}

export async function cancelPlan({ application, session, href }: SignedInContext): Promise<Reply> {
  const outcome = await application.payments.cancelPlan(session)
  if (outcome === 'no plan') throw notFound('plan to cancel')
  if (outcome === 'unanswered') {
    const message =
      'It is not known yet whether your plan was cancelled. Usage says when the plan ends once it is; if it still renews in a minute, cancel it again.'
    throw new PageError(503, 'Stripe has not answered yet', message, { 'retry-after': '60' })
  }
  return redirect(href('/balance?said=stopped'))
}

/** `/referral`: the account's invitation link, what it gives, and who has used it. */
export async function referralPage({ application, session, site }: SignedInContext): Promise<Page> {
  const { database, referralCredits } = application
  const { holdDays, perMonth } = application.referrals
  const referral = await referralOf(database, session.account.id)
  if (!referral) throw notFound('referral link')
  return personalPage(
    { title: 'Invite a friend' },
    <>
      <p class="lead">
        When a friend signs up with your link and first pays for a plan or a top-up, both of you get{' '}
        {plural(referralCredits, 'credit', 'credits')} {rewardTime(holdDays, 'the payment')}. They
        never expire.
      </p>
      <Code isCommand text={`${site.appUrl}/sign-up?ref=${referral.code}`} />
      <p class="note">Whoever opens it sees the name of this account and nothing else.</p>
      <Facts
        facts={[
          { name: 'Friends who signed up', value: figure(referral.joined) },
          { name: 'Friends whose credits are on their way', value: figure(referral.waiting) },
          { name: 'Friends who brought credits', value: figure(referral.rewarded) },
          { name: 'Credits earned', value: figure(referral.rewarded * referralCredits) },
        ]}
      />
      <p class="note">
        Each person counts once, with their first account; you don't count yourself. At most{' '}
        {plural(perMonth, 'friend brings', 'friends bring')} credits in a month, others wait for the
        next. A payment that is taken back brings nothing.
      </p>
    </>,
  )
}
