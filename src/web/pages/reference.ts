/** `/docs`: the reference, drawn by Swagger UI from `/openapi.json`. */
import { html } from 'hono/html'
import { ASSETS } from '../assets.ts'
import type { Page } from '../layout.ts'
import { pathTo, type Site } from '../site.ts'

export function referencePage(site: Site): Page {
  const document = pathTo(site, '/openapi.json')
  return {
    title: 'API reference',
    bare: true,
    styles: [ASSETS.uiStyles, ASSETS.referenceStyles],
    scripts: [ASSETS.uiScript, ASSETS.referenceScript],
    main: html`<div id="reference" data-document="${document}"></div>
<noscript><h1>API reference</h1><p>The reference is drawn by a script. Without one, read the <a href="${document}">OpenAPI document</a>.</p></noscript>`,
  }
}
