/** What is answered for paths that this host doesn't know, and for methods it doesn't take (D39). */
import { html } from 'hono/html'
import type { Page } from '../layout.ts'
import { pathTo, type Site } from '../site.ts'

export function missingPage(site: Site): Page {
  return {
    title: 'Not found',
    main: html`<h1>There is no such page</h1>
<p class="lead">This host serves the documentation. Calls to the API go to <code>${site.baseUrl}</code>.</p>
<p><a class="button" href="${pathTo(site, '/docs')}">Open the reference</a></p>`,
  }
}

export function methodPage(allowed: string): Page {
  return {
    title: 'Method not allowed',
    main: html`<h1>This page is for reading</h1>
<p class="lead">It answers ${allowed}.</p>`,
  }
}
