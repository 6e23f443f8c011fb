/** `/`: what this is and where to go. */
import { html } from 'hono/html'
import { CALL_CREDITS, REVEAL_CREDITS } from '../../metering/prices.ts'
import type { Page } from '../layout.ts'
import { pathTo, type Site } from '../site.ts'

export function homePage(site: Site): Page {
  const { serviceName, baseUrl } = site
  return {
    title: serviceName,
    main: html`<section class="hero">
<h1>${serviceName}</h1>
<p class="lead">A read-only JSON API over the people of crypto: founders, operators and allocators, the projects, funds and service providers they belong to, and how to reach them.</p>
<p class="actions"><a class="button" href="${pathTo(site, '/docs')}">Open the reference</a> <a class="button quiet" href="${pathTo(site, '/credits')}">Get credits</a></p>
</section>
<section aria-labelledby="first-call">
<h2 id="first-call">A first call</h2>
<p>You need a key, which the operator of this service makes for you. It begins with <code>ck_live_</code>.</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $API_KEY" \\
  "${baseUrl}/v1/search?q=uniswap"</code></pre>
<p>A data call costs ${CALL_CREDITS} credits, the first reveal of a contact ${REVEAL_CREDITS}. What your key is and what is left on the account costs nothing to ask:</p>
<pre tabindex="0"><code>curl -H "Authorization: Bearer $API_KEY" "${baseUrl}/v1/me"</code></pre>
</section>
<section aria-labelledby="where">
<h2 id="where">Where to go</h2>
<ul class="cards">
<li><a href="${pathTo(site, '/docs')}">Reference</a><p>Every endpoint, parameter, answer and header, with examples.</p></li>
<li><a href="${pathTo(site, '/docs/credits')}">Credits and limits</a><p>What is charged, what is not, samples, reveals, retries.</p></li>
<li><a href="${pathTo(site, '/docs/errors')}">Errors</a><p>Each error code: why it happens, what to do.</p></li>
<li><a href="${pathTo(site, '/openapi.json')}">OpenAPI document</a><p>To generate a client, or to import into your tools.</p></li>
</ul>
</section>`,
  }
}
