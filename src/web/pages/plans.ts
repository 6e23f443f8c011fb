/** `/credits`: how to get credits. A sample's `upgradeUrl` leads here. */
import { html } from 'hono/html'
import { CALL_CREDITS, REVEAL_CREDITS } from '../../metering/prices.ts'
import { PLANS, TRIAL_DAYS } from '../../metering/tiers.ts'
import type { Page } from '../layout.ts'
import { figure } from '../prose.ts'
import { pathTo, type Site } from '../site.ts'

export function plansPage(site: Site): Page {
  return {
    title: 'Get credits',
    main: html`<h1>Get credits</h1>
<p class="lead">The operator of ${site.serviceName} puts you on a plan or grants you credits; they count from that moment, and nothing changes about your key.</p>
<div class="table" tabindex="0" role="region" aria-label="Plans"><table>
<thead><tr><th scope="col">Plan</th><th scope="col" class="number">Per month</th><th scope="col" class="number">Credits</th><th scope="col" class="number">Data calls</th><th scope="col" class="number">Reveals</th><th scope="col">Extras</th></tr></thead>
<tbody>${Object.entries(PLANS).map(planRow)}</tbody>
</table></div>
<p>Data calls and reveals are what the credits come to if they are spent on nothing else: ${CALL_CREDITS} credits a call, ${REVEAL_CREDITS} a first reveal.</p>
<h2 id="other">Other ways</h2>
<ul>
<li><strong>Trial:</strong> credits that last ${TRIAL_DAYS} days.</li>
<li><strong>Top-up:</strong> credits beside a plan or without one; they don't end unless the operator sets a date.</li>
<li><strong>Referral:</strong> credits for bringing somebody; they last like a top-up.</li>
</ul>
<p>How much is left: <code>GET /v1/me</code>, free of charge. How it is spent: <a href="${pathTo(site, '/docs/credits')}">credits and limits</a>.</p>`,
  }
}

function planRow([name, plan]: [string, (typeof PLANS)[keyof typeof PLANS]]) {
  const { usdPerMonth, credits, extras } = plan
  const of = (price: number) => (credits === null ? 'unlimited' : figure(credits / price))
  return html`<tr>
<th scope="row">${name.charAt(0).toUpperCase() + name.slice(1)}</th>
<td class="number">${usdPerMonth === null ? 'custom' : `$${figure(usdPerMonth)}`}</td>
<td class="number">${of(1)}</td>
<td class="number">${of(CALL_CREDITS)}</td>
<td class="number">${of(REVEAL_CREDITS)}</td>
<td>${extras}</td>
</tr>`
}
