/** @jsxImportSource hono/jsx */
/** `/docs/reference`: every endpoint, drawn by Swagger UI from `/openapi.json`. */
import { ASSETS } from '../assets.ts'
import type { Page, Visit } from '../page.ts'
import { REFERENCE_POLICY } from '../responses.ts'

export function referencePage({ to }: Visit): Page {
  const document = to('/openapi.json')
  return {
    title: 'API reference',
    description: 'Every endpoint with its parameters, answers, headers and examples.',
    canonical: '/docs/reference',
    shape: 'bare',
    styles: [ASSETS.uiStyles, ASSETS.referenceStyles],
    scripts: [ASSETS.uiScript, ASSETS.referenceScript],
    policy: REFERENCE_POLICY,
    main: (
      <>
        <p class="back">
          <a href={to('/docs')}>Documentation</a>
        </p>
        <div id="reference" data-document={document}></div>
        <noscript>
          <h1>API reference</h1>
          <p>
            The reference is drawn by a script. Without one, read the{' '}
            <a href={document}>OpenAPI document</a>.
          </p>
        </noscript>
      </>
    ),
  }
}
