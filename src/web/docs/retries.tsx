/** @jsxImportSource hono/jsx */
/** `/docs/retries`: which calls to repeat, and how a repeat is charged once. */

import { ENDPOINTS } from '../../contract/endpoints.ts'
import { ERRORS } from '../../contract/errors.ts'
import { Curl } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import { Table } from '../components/table.tsx'
import type { Document } from './document.tsx'
import { ErrorLink } from './error-link.tsx'

/** Errors after which the same call may be repeated unchanged. */
const PASSING = Object.entries(ERRORS).filter(([, { status }]) => status === 429 || status >= 500)

export const retries: Document = {
  path: '/docs/retries',
  title: 'Retries',
  lead: 'An answer can get lost after its charge. With an idempotency key, the repeat is free.',
  body: ({ site, href }) => (
    <>
      <Section id="idempotency" title="Idempotency-Key">
        <Curl
          url={`${site.baseUrl}${ENDPOINTS.people.path}?q=ada`}
          headers={['Idempotency-Key: order-7421']}
        />
        <p>
          A key has 1 to 64 characters of <code>A-Z a-z 0-9 . _ -</code>. For 24 hours, calls with
          the same key, path and query are charged once: a repeat gets live data with{' '}
          <code>creditsCharged: 0</code> and the header <code>Idempotent-Replayed: true</code>. The
          key on another path or query is a <ErrorLink code="idempotency_key_reused" href={href} />.
          Only a charged call binds its key.
        </p>
      </Section>
      <Section id="when" title="When to repeat">
        <Table
          label="Errors to repeat"
          columns={['Status', 'Code', 'What to do']}
          rows={PASSING.map(([code, { status }]) => [
            status,
            <a href={href(`/docs/errors#${code}`)}>
              <code>{code}</code>
            </a>,
            status === 500 ? 'Repeat with growing pauses.' : 'Wait for Retry-After seconds.',
          ])}
        />
        <p>
          Any other 4xx stays the same however often you repeat the call. Where an error says{' '}
          <code>charged: null</code>, or no answer comes, repeat with the same key: it is charged
          once at most.
        </p>
      </Section>
    </>
  ),
}
