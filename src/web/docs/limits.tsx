/** @jsxImportSource hono/jsx */
/** `/docs/limits`: rate limits and size limits. */
import { REJECTED_KEYS_LIMIT, REJECTED_KEYS_SECONDS, TIER_RULES } from '../../contract/tiers.ts'
import { RATE_LIMITS } from '../../users/rate-limiter.ts'
import { Section } from '../components/section.tsx'
import { numbers, Table } from '../components/table.tsx'
import { figure, perWindow } from '../components/text.tsx'
import type { Document } from './document.tsx'

export const limits: Document = {
  path: '/docs/limits',
  title: 'Limits',
  lead: 'Limits belong to the account, whatever key it calls with. Each answer says how much is left.',
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
          A window begins at the first call after the last one ended. Calls over the limit are a{' '}
          <a href={href('/docs/errors#rate_limited')}>429</a>. Refused calls count, so does HEAD. So
          does each charge in the application; an export or a bulk search waits for the next window.
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
          An address that sends more than {REJECTED_KEYS_LIMIT} requests without a valid key{' '}
          {perWindow(REJECTED_KEYS_SECONDS)} gets a{' '}
          <a href={href('/docs/errors#too_many_rejected_keys')}>429</a> for the others. A request
          with a valid key is not held up by it.
        </p>
      </Section>
      <Section id="pages" title="Pages">
        <p>
          Without signing in, an address may look at {figure(RATE_LIMITS.visit.address.limit)} pages
          of the directory in {figure(RATE_LIMITS.visit.address.seconds / 60)} minutes.
        </p>
      </Section>
      <Section id="sizes" title="Sizes">
        <p>
          An address may have 8 KiB (<a href={href('/docs/errors#uri_too_long')}>414</a>), the
          headers 16 KiB (<a href={href('/docs/errors#headers_too_large')}>431</a>).
        </p>
      </Section>
    </>
  ),
}
