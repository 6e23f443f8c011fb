/** `/docs/credits`: how calls are charged and limited. Every figure comes from the tables that decide. */
import { html } from 'hono/html'
import { CALL_CREDITS, documentedPath, ENDPOINTS, REVEAL_CREDITS } from '../../metering/prices.ts'
import {
  REJECTED_KEYS_LIMIT,
  REJECTED_KEYS_SECONDS,
  TIER_RULES,
  TRIAL_DAYS,
} from '../../metering/tiers.ts'
import type { Page } from '../layout.ts'
import { figure } from '../prose.ts'
import { pathTo, type Site } from '../site.ts'

const SECTIONS = [
  ['prices', 'Prices'],
  ['samples', 'Samples'],
  ['reveals', 'Reveals'],
  ['retries', 'Retries'],
  ['limits', 'Limits'],
  ['grants', 'Where credits come from'],
] as const

export function creditsPage(site: Site): Page {
  return {
    title: 'Credits and limits',
    main: html`<h1>Credits and limits</h1>
<p class="lead">A call is charged when, and only when, it answers 200 with live data. An empty list is live data.</p>
<nav class="index" aria-label="Sections"><ul>${SECTIONS.map(([id, label]) => html`<li><a href="#${id}">${label}</a></li>`)}</ul></nav>
<section aria-labelledby="prices">
<h2 id="prices">Prices</h2>
${priceTable()}
<p>The list is the one that bills, and <code>GET /v1/me</code> answers it too. Every 200 says what it took and what is left in <code>meta.creditsCharged</code> and <code>meta.creditsBalance</code>. HEAD and OPTIONS cost nothing.</p>
</section>
<section aria-labelledby="samples">
<h2 id="samples">Samples</h2>
<p>Where a <code>free</code> account has fewer credits than a call costs, the answer is a <strong>sample</strong>: a 200 with invented records in the shape of the live ones, for 0 credits. It is marked three times, by the header <code>Service-Sample: true</code>, by <code>sample</code> and by <code>meta.sample</code>, and its <code>notice</code> opens with the words NOT REAL DATA. <code>meta.creditsRequired</code> less <code>meta.creditsBalance</code> is the top-up needed.</p>
<p>A sample looks nothing up: a wrong id answers the same sample as a right one. It has a few records at most. On any other tier a balance that is too low is a <a href="${pathTo(site, '/docs/errors#insufficient_credits')}">402</a>, never a sample.</p>
</section>
<section aria-labelledby="reveals">
<h2 id="reveals">Reveals</h2>
<p>The private channels of a person (email, phone, telegram, LinkedIn) are locked at first; <code>hasEmail</code> and its like tell which of them are on file. <code>GET /v1/people/{id}?include=private</code> reveals them for ${REVEAL_CREDITS} credits and unlocks the contact for your account for good: later reads show the channels for ${CALL_CREDITS} credits and take nothing from the hourly limit. A contact with nothing on file costs ${CALL_CREDITS} and stays locked.</p>
<p>The key needs the scope <code>read:contacts</code> beside <code>read:metadata</code>. Lists and search never show channels.</p>
</section>
<section aria-labelledby="retries">
<h2 id="retries">Retries</h2>
<p>An answer can get lost after it was charged. Send an <code>Idempotency-Key</code> of your own (1 to 64 characters of <code>A-Z a-z 0-9 . _ -</code>) with a call, and the same key again with its repeat: within 24 hours the same path and query is answered live for 0 credits, with <code>Idempotent-Replayed: true</code>. On another path or query the key is a <a href="${pathTo(site, '/docs/errors#idempotency_key_reused')}">400</a>. Only a call that was charged binds its key.</p>
<p>After a 429 or 503, wait as many seconds as <code>Retry-After</code> says.</p>
</section>
<section aria-labelledby="limits">
<h2 id="limits">Limits</h2>
${limitTable()}
<p>Limits and credits belong to the account: a second key is no second allowance. <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code> (epoch seconds) are on every response. A window begins at the first call after the last one ended.</p>
<p>An address that sends more than ${REJECTED_KEYS_LIMIT} requests without a valid key ${perWindow(REJECTED_KEYS_SECONDS)} gets a <a href="${pathTo(site, '/docs/errors#too_many_rejected_keys')}">429</a> for the others. A request with a valid key is not held up by it.</p>
</section>
<section aria-labelledby="grants">
<h2 id="grants">Where credits come from</h2>
<p>From a plan (they end with its period), a trial (they last ${TRIAL_DAYS} days), a top-up or a referral (they don't end unless the operator sets a date). What ends first is spent first. <a href="${pathTo(site, '/credits')}">How to get credits</a>.</p>
</section>`,
  }
}

function priceTable() {
  const rows = Object.values(ENDPOINTS).map(
    ({ method, path, summary, credits, revealCredits }) => html`<tr>
<th scope="row"><code>${method} ${documentedPath(path)}</code></th>
<td>${summary}</td>
<td class="number">${credits}${revealCredits > credits ? ` or ${revealCredits}` : ''}</td>
</tr>`,
  )
  return html`<div class="table" tabindex="0" role="region" aria-label="Prices"><table>
<thead><tr><th scope="col">Call</th><th scope="col">What it answers</th><th scope="col" class="number">Credits</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

function limitTable() {
  const rows = Object.values(TIER_RULES).map(
    ({ tier, rateLimit, rateSeconds, revealLimit, revealSeconds }) => html`<tr>
<th scope="row"><code>${tier}</code></th>
<td class="number">${figure(rateLimit)} ${perWindow(rateSeconds)}</td>
<td class="number">${figure(revealLimit)} ${perWindow(revealSeconds)}</td>
</tr>`,
  )
  return html`<div class="table" tabindex="0" role="region" aria-label="Limits"><table>
<thead><tr><th scope="col">Tier</th><th scope="col" class="number">Requests</th><th scope="col" class="number">First reveals</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

const WINDOWS: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 3600: 'an hour' }

function perWindow(seconds: number): string {
  return WINDOWS[seconds] ?? `in ${figure(seconds)} s`
}
