/** @jsxImportSource hono/jsx */
/** `/docs/retries`: which calls to repeat, and how a repeat is charged once. */

import { ENDPOINTS } from '../../contract/endpoints.ts'
import { ERRORS } from '../../contract/errors.ts'
import { Curl } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import { Table } from '../components/table.tsx'
import type { Document } from './document.tsx'

/** Errors after which the same call may be repeated unchanged. */
const PASSING = Object.entries(ERRORS).filter(([, { status }]) => status === 429 || status >= 500)

export const retries: Document = {
  path: '/docs/retries',
  title: 'Retries',
  lead: 'An answer can get lost after it was charged. A key of your own makes the repeat free.',
  body: ({ site, href }) => (
    <>
      <Section id="idempotency" title="Idempotency-Key">
        <Curl
          url={`${site.baseUrl}${ENDPOINTS.people.path}?q=ada`}
          headers={['Idempotency-Key: order-7421']}
        />
        <p>
          1 to 64 characters of <code>A-Z a-z 0-9 . _ -</code>. For 24 hours the same key with the
          same path and query is charged once: a repeat is answered live, with{' '}
          <code>creditsCharged: 0</code> and the header <code>Idempotent-Replayed: true</code>. On
          another path or query it is a{' '}
          <a href={href('/docs/errors#idempotency_key_reused')}>400</a>. Only a call that was
          charged binds its key.
        </p>
      </Section>
      <Section id="when" title="When to repeat">
        <Table
          label="Errors that pass"
          columns={['Status', 'Code', 'What to do']}
          rows={PASSING.map(([code, { status }]) => [
            status,
            <a href={href(`/docs/errors#${code}`)}>
              <code>{code}</code>
            </a>,
            status === 500 ? 'Repeat with growing pauses.' : 'Wait as long as Retry-After says.',
          ])}
        />
        <p>
          Every other 4xx stays what it is however often the call is sent. No answer at all is a
          reason to repeat too: with the key, it can't cost twice.
        </p>
      </Section>
    </>
  ),
}
