/** @jsxImportSource hono/jsx */
/** `/docs/limits`: rate limits and size limits. */
import { REJECTED_KEYS_LIMIT, REJECTED_KEYS_SECONDS, TIER_RULES } from '../../contract/tiers.ts'
import { RATE_LIMITS } from '../../users/rate-limiter.ts'
import { Section } from '../components/section.tsx'
import { numbers, Table } from '../components/table.tsx'
import { figure, perWindow } from '../components/text.tsx'
import type { Document } from './document.tsx'
import { ErrorLink } from './error-link.tsx'

export const limits: Document = {
  path: '/docs/limits',
  title: 'Limits',
  lead: 'All keys of an account share its limits. Each answer says how many requests are left.',
  body: ({ href }) => (
    <>
      <Section id="tiers" title="By tier">
        <Table
          label="Limits"
          columns={['Tier', numbers('Requests'), numbers('First reveals')]}
          rows={Object.values(TIER_RULES).map((rule) => [
            <code>{rule.tier}</code>,
            `${figure(rule.rateLimit)} ${perWindow(rule.rateSeconds)}`,
            `${figure(rule.revealLimit)} ${perWindow(rule.revealSeconds)}`,
          ])}
        />
        <p>
          A window begins at the first call after the last window ended. Calls over the limit get a{' '}
          <ErrorLink code="rate_limited" href={href} />. Refused calls, HEAD and charges in the
          application count too; an export or a bulk search waits for the next window.
        </p>
      </Section>
      <Section id="headers" title="Headers">
        <Table
          label="Headers"
          columns={['Header', 'What it says']}
          rows={[
            [<code>X-RateLimit-Limit</code>, 'Requests that a window allows.'],
            [<code>X-RateLimit-Remaining</code>, 'Requests left in this one.'],
            [<code>X-RateLimit-Reset</code>, 'The epoch second at which it ends.'],
            [<code>Retry-After</code>, 'On every 429 and 503: seconds to wait, at least 1.'],
          ]}
        />
      </Section>
      <Section id="keys" title="Rejected keys">
        <p>
          An IP address that sends more than {REJECTED_KEYS_LIMIT} requests without a valid key{' '}
          {perWindow(REJECTED_KEYS_SECONDS)} gets a{' '}
          <ErrorLink code="too_many_rejected_keys" href={href} /> for the rest. Requests with a
          valid key still pass.
        </p>
      </Section>
      <Section id="pages" title="Pages">
        <p>
          Without signing in, an IP address may read {figure(RATE_LIMITS.visit.address.limit)} pages
          of the directory in {figure(RATE_LIMITS.visit.address.seconds / 60)} minutes.
        </p>
      </Section>
      <Section id="sizes" title="Sizes">
        <p>
          A URL may have 8 KiB (<ErrorLink code="uri_too_long" href={href} />
          ), headers 16 KiB (<ErrorLink code="headers_too_large" href={href} />
          ).
        </p>
      </Section>
    </>
  ),
}
