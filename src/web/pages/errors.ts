/** `/docs/errors`: every code; `error.docs` points at a code's own section (D7). */
import { html } from 'hono/html'
import { ERRORS, type ErrorCode, type ErrorEntry } from '../../api/errors.ts'
import type { Page } from '../layout.ts'
import { prose } from '../prose.ts'

const ENTRIES = Object.entries(ERRORS) as [ErrorCode, ErrorEntry][]

export function errorsPage(): Page {
  return {
    title: 'Errors',
    main: html`<h1>Errors</h1>
<p class="lead">Nothing but a 200 with live data is ever charged: an error costs nothing.</p>
<p>A body that is an error holds <code>error.code</code> for programs, <code>error.message</code> for people and <code>error.docs</code>, which leads here. Where they help, <code>parameter</code>, <code>allowed</code>, <code>creditsRequired</code>, <code>creditsBalance</code> and <code>retryAfter</code> (seconds) stand beside them.</p>
<nav class="index" aria-label="Codes"><ul>${ENTRIES.map(([code, { status }]) => html`<li><a href="#${code}"><span>${status}</span> ${code}</a></li>`)}</ul></nav>
${ENTRIES.map(
  ([
    code,
    { status, cause, cure },
  ]) => html`<section class="entry" id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title"><code>${code}</code> <span class="status">${status}</span></h2>
<p>${prose(cause)}</p>
<p><strong>What to do.</strong> ${prose(cure)}</p>
</section>`,
)}`,
  }
}
