/** @jsxImportSource hono/jsx */
/** `/docs/limits`: how often, how much, how large. */
import { REJECTED_KEYS_LIMIT, REJECTED_KEYS_SECONDS, TIER_RULES } from '../../contract/tiers.ts'
import { RATE_LIMITS } from '../../users/rate-limiter.ts'
import { Table } from '../components/table.tsx'
import { figure, perWindow } from '../components/text.tsx'
import type { Document } from './document.tsx'

export const limits: Document = {
  path: '/docs/limits',
  label: 'Limits',
  title: 'Limits',
  lead: 'Limits belong to the account, whatever key it calls with. Each answer says how much is left.',
  body: ({ href }) => (
    <>
      <section aria-labelledby="tiers">
        <h2 id="tiers">By tier</h2>
        <Table
          label="Limits"
          columns={[
            { label: 'Tier' },
            { label: 'Requests', isNumber: true },
            { label: 'First reveals', isNumber: true },
          ]}
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
      </section>
      <section aria-labelledby="headers">
        <h2 id="headers">Headers</h2>
        <Table
          label="Headers"
          columns={[{ label: 'Header' }, { label: 'What it says' }]}
          rows={[
            [<code>X-RateLimit-Limit</code>, 'Requests that a window allows.'],
            [<code>X-RateLimit-Remaining</code>, 'Requests left in this one.'],
            [<code>X-RateLimit-Reset</code>, 'The epoch second at which it ends.'],
            [<code>Retry-After</code>, 'On every 429 and 503: seconds to wait, at least 1.'],
          ]}
        />
      </section>
      <section aria-labelledby="keys">
        <h2 id="keys">Rejected keys</h2>
        <p>
          An address that sends more than {REJECTED_KEYS_LIMIT} requests without a valid key{' '}
          {perWindow(REJECTED_KEYS_SECONDS)} gets a{' '}
          <a href={href('/docs/errors#too_many_rejected_keys')}>429</a> for the others. A request
          with a valid key is not held up by it.
        </p>
      </section>
      <section aria-labelledby="pages">
        <h2 id="pages">Pages</h2>
        <p>
          Without signing in, an address may look at {figure(RATE_LIMITS.visit.address.limit)} pages
          of the directory in {figure(RATE_LIMITS.visit.address.seconds / 60)} minutes.
        </p>
      </section>
      <section aria-labelledby="sizes">
        <h2 id="sizes">Sizes</h2>
        <p>
          An address may have 8 KiB (<a href={href('/docs/errors#uri_too_long')}>414</a>), the
          headers 16 KiB (<a href={href('/docs/errors#headers_too_large')}>431</a>).
        </p>
      </section>
    </>
  ),
}
