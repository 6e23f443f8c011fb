/** @jsxImportSource hono/jsx */
/** `/credits`: how to get credits. A sample's `upgradeUrl` leads here. */
import { CALL_CREDITS, REVEAL_CREDITS } from '../../metering/prices.ts'
import { PLANS, TRIAL_DAYS } from '../../metering/tiers.ts'
import type { Page, Visit } from '../page.ts'
import { Table } from '../parts/table.tsx'
import { figure, words } from '../parts/text.tsx'

export function plansPage({ site, to }: Visit): Page {
  return {
    title: 'Plans and credits',
    description: 'What each plan costs and holds, and the other ways to credits.',
    canonical: '/credits',
    shape: 'wide',
    main: (
      <>
        <h1>Plans and credits</h1>
        <p class="lead">
          The operator of {site.serviceName} puts you on a plan or grants you credits; they count
          from that moment, and nothing changes about your key.
        </p>
        <Table
          label="Plans"
          columns={[
            { label: 'Plan' },
            { label: 'Per month', isNumber: true },
            { label: 'Credits', isNumber: true },
            { label: 'Data calls', isNumber: true },
            { label: 'Reveals', isNumber: true },
            { label: 'Extras' },
          ]}
          rows={Object.entries(PLANS).map(([name, { usdPerMonth, credits, extras }]) => {
            const worth = (price: number) =>
              credits === null ? 'unlimited' : figure(credits / price)
            return [
              words(name),
              usdPerMonth === null ? 'custom' : `$${figure(usdPerMonth)}`,
              worth(1),
              worth(CALL_CREDITS),
              worth(REVEAL_CREDITS),
              extras,
            ]
          })}
        />
        <p>
          Data calls and reveals are what the credits come to if they are spent on nothing else:{' '}
          {CALL_CREDITS} credits a call, {REVEAL_CREDITS} a first reveal.
        </p>
        <section aria-labelledby="other">
          <h2 id="other">Other ways</h2>
          <ul>
            <li>
              <strong>Trial:</strong> credits that last {TRIAL_DAYS} days.
            </li>
            <li>
              <strong>Top-up:</strong> credits beside a plan or without one; they don't end unless
              the operator sets a date.
            </li>
            <li>
              <strong>Referral:</strong> credits for bringing somebody; they last like a top-up.
            </li>
          </ul>
          <p>
            How much is left: <code>GET /v1/me</code>, free of charge. How it is spent:{' '}
            <a href={to('/docs/credits')}>credits and samples</a>.
          </p>
        </section>
      </>
    ),
  }
}
