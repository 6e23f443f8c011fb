/** @jsxImportSource hono/jsx */
/** `/balance`: the account's credits: what is left until when, what they went on, and the ledger line by line. */
import { type Credits, creditsOf } from '../../accounts/credits.ts'
import { creditsPerDay, ledgerFilters, ledgerPage } from '../../accounts/ledger.ts'
import { UseChart } from '../components/chart.tsx'
import { InTurn } from '../components/in-turns.tsx'
import { Notice } from '../components/notice.tsx'
import { Facts } from '../components/profile.tsx'
import { Day, figure, humanize } from '../components/text.tsx'
import { notFound } from '../http/form-errors.ts'
import type { Html } from '../http/html.ts'
import type { Page, SignedInContext } from '../http/page.ts'
import { askedOf, Ledger, sourceName } from './ledger.tsx'

/** Days of the chart, today among them. */
const CHART_DAYS = 30

export async function balancePage(context: SignedInContext): Promise<Page> {
  const { application, session, query } = context
  const { database } = application
  const { id } = session.account
  const credits = await creditsOf(database, id)
  if (!credits) throw notFound('account')
  const asked = askedOf(query)
  const [days, choices, ledger] = await Promise.all([
    creditsPerDay(database, id, CHART_DAYS),
    ledgerFilters(database, id),
    ledgerPage(database, id, { ...asked.filter, before: asked.before }),
  ])
  return {
    title: 'Credits',
    isUnlisted: true,
    shape: 'wide',
    balance: credits.balance,
    main: (
      <>
        <h1>Credits</h1>
        {new URLSearchParams(query).get('said') === 'stopped' ? (
          <Notice tone="good">
            The plan will not go on. What is left of it can be used until it ends.
          </Notice>
        ) : null}
        <div class="columns even">
          <Balance context={context} credits={credits} />
          <Plan context={context} credits={credits} />
        </div>
        <section aria-labelledby="use">
          <h2 id="use">What they went on</h2>
          <InTurn>
            <UseChart
              days={days}
              today={new Date().toISOString().slice(0, 10)}
              length={CHART_DAYS}
            />
          </InTurn>
        </section>
        <section aria-labelledby="ledger">
          <h2 id="ledger">Ledger</h2>
          <InTurn>
            <Ledger context={context} asked={asked} choices={choices} page={ledger} />
          </InTurn>
        </section>
      </>
    ),
  }
}

function Balance({ context, credits }: { context: SignedInContext; credits: Credits }): Html {
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
          name: sourceName(source),
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
        <a class="button" href={context.href('/credits#top-ups')}>
          Top up
        </a>
      </p>
    </section>
  )
}

function Plan({
  context,
  credits: { plan, tier },
}: {
  context: SignedInContext
  credits: Credits
}): Html {
  return (
    <section class="panel" aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <p class="figure">{plan ? humanize(plan.name) : <span class="quiet">None</span>}</p>
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
        <a class="button quiet" href={context.href('/credits')}>
          {plan ? 'Change plan' : 'See the plans'}
        </a>
        {plan?.renews && context.session.role === 'owner' ? (
          <a class="button quiet" href={context.href('/balance/stop-plan')}>
            Stop it
          </a>
        ) : null}
      </p>
      <p class="note">
        <a href={context.href('/referral')}>Bring somebody</a> and both of you get credits.
      </p>
    </section>
  )
}
