/** @jsxImportSource hono/jsx */
/** `/docs/authentication`: keys and scopes. */
import { MAX_GRACE_SECONDS } from '../../accounts/keys.ts'
import { Code } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import { Table } from '../components/table.tsx'
import type { Document } from './document.tsx'
import { ErrorLink } from './error-link.tsx'

export const authentication: Document = {
  path: '/docs/authentication',
  title: 'Authentication',
  lead: 'Each call carries an API key. Credits and limits belong to the account behind it.',
  body: ({ href }) => (
    <>
      <Section id="header" title="The header">
        <Code text="Authorization: Bearer ck_live_…" />
        <p>
          Send it once with every call. The service never reads a key in the URL. A missing,
          malformed, unknown or revoked key gets the same{' '}
          <ErrorLink code="unauthorized" href={href} />.
        </p>
      </Section>
      <Section id="scopes" title="Scopes">
        <Table
          label="Scopes"
          columns={['Scope', 'What it allows']}
          rows={[
            [<code>read:metadata</code>, 'Lists, single reads, search and /v1/me.'],
            [<code>read:contacts</code>, 'Revealing private channels with include=private.'],
          ]}
        />
        <p>
          A call without the scope that it needs gets a{' '}
          <ErrorLink code="missing_scope" href={href} />, which names the scope and costs nothing.
        </p>
      </Section>
      <Section id="keep" title="Managing keys">
        <p>
          You create, rotate and revoke keys on the page <a href={href('/keys')}>API keys</a>.
        </p>
        <ul>
          <li>A key is shown once; the service keeps only its hash.</li>
          <li>All keys of an account share its credits and limits.</li>
          <li>A revoked key stops working at its next request.</li>
          <li>
            A rotated key gets a successor with its label and scopes, and keeps working beside it
            for up to {MAX_GRACE_SECONDS / 86_400} days.
          </li>
          <li>Keep keys on servers: anyone with a key can spend your credits.</li>
        </ul>
      </Section>
    </>
  ),
}
