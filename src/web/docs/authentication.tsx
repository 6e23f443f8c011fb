/** @jsxImportSource hono/jsx */
/** `/docs/authentication`: keys and scopes. */
import { MAX_GRACE_SECONDS } from '../../accounts/keys.ts'
import { Code } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import { Table } from '../components/table.tsx'
import type { Document } from './document.tsx'

export const authentication: Document = {
  path: '/docs/authentication',
  title: 'Authentication',
  lead: 'One bearer key per caller. Credits and limits belong to the account behind it.',
  body: ({ href }) => (
    <>
      <Section id="header" title="The header">
        <Code text="Authorization: Bearer ck_live_…" />
        <p>
          Send it once with every call. A key in the address is never read. A key that is missing,
          malformed, unknown or revoked is a <a href={href('/docs/errors#unauthorized')}>401</a>,
          and the four answer alike.
        </p>
      </Section>
      <Section id="scopes" title="Scopes">
        <Table
          label="Scopes"
          columns={['Scope', 'What it opens']}
          rows={[
            [<code>read:metadata</code>, 'Lists, single reads, search and /v1/me.'],
            [
              <code>read:contacts</code>,
              'Beside the other: revealing private channels with include=private.',
            ],
          ]}
        />
        <p>
          A call that needs more than the key has is a{' '}
          <a href={href('/docs/errors#missing_scope')}>403</a> which names the scope, and costs
          nothing.
        </p>
      </Section>
      <Section id="keep" title="Keeping keys">
        <p>
          Keys are made, rotated and revoked in the application, under API keys; an account comes
          with <a href={href('/sign-up')}>signing up</a>.
        </p>
        <ul>
          <li>A key is shown once. What is kept of it here can't be turned back into it.</li>
          <li>A second key is a second label, not a second allowance.</li>
          <li>A revoked key stops at its next request, everywhere.</li>
          <li>
            A rotated key gets a successor with its label and scopes, and keeps working beside it
            for up to {MAX_GRACE_SECONDS / 86_400} days.
          </li>
          <li>Keys belong on servers: whoever has one spends your credits.</li>
        </ul>
      </Section>
    </>
  ),
}
