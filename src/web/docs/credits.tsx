/** @jsxImportSource hono/jsx */
/** `/docs/credits`: prices, samples and where credits come from. Every figure comes from the contract's tables. */
import {
  CALL_CREDITS,
  documentedPath,
  ENDPOINTS,
  REVEAL_CREDITS,
  WEB_OPERATIONS,
} from '../../contract/endpoints.ts'
import { TRIAL_DAYS } from '../../contract/tiers.ts'
import { plansWith } from '../components/plan-needed.tsx'
import { Section } from '../components/section.tsx'
import { numbers, Table } from '../components/table.tsx'
import { figure } from '../components/text.tsx'
import { MAX_LINES } from '../export/bulk-search.tsx'
import type { Document } from './document.tsx'

const { csvExport, bulkSearch } = WEB_OPERATIONS

export const credits: Document = {
  path: '/docs/credits',
  title: 'Credits and samples',
  lead: 'A call is charged when, and only when, it answers 200 with live data. An empty list is live data.',
  body: ({ href }) => (
    <>
      <Section id="prices" title="Prices">
        <Table
          label="Prices"
          columns={['Call', 'What it answers', numbers('Credits')]}
          rows={Object.values(ENDPOINTS).map(({ method, path, summary, ...price }) => [
            <code>
              {method} {documentedPath(path)}
            </code>,
            summary,
            figure(price.credits) +
              (price.revealCredits > price.credits ? ` or ${figure(price.revealCredits)}` : ''),
          ])}
        />
        <p>
          The list is the one that bills, and <code>GET /v1/me</code> answers it too. Every 200 says
          what it took and what is left in <code>meta.creditsCharged</code> and{' '}
          <code>meta.creditsBalance</code>. HEAD, OPTIONS and every error cost nothing.
        </p>
      </Section>
      <Section id="application" title="In the application">
        <p>
          Looking at pages costs nothing. What is charged is done by a button that says its price,
          counts once however often it is pressed, and stands in the same ledger:
        </p>
        <Table
          label="Prices in the application"
          columns={['What', numbers('Credits'), 'For each', 'Plans']}
          rows={[
            ['Reveal of a contact', figure(REVEAL_CREDITS), 'contact, once', 'all, and none'],
            ['Channels of unlocked contacts', figure(CALL_CREDITS), 'answer', 'all, and none'],
            [
              'CSV export of a list',
              figure(csvExport.credits),
              `started ${figure(csvExport.rows)} rows`,
              plansWith('csvExport'),
            ],
            [
              `Bulk search, up to ${figure(MAX_LINES)} lines`,
              figure(bulkSearch.credits),
              'line',
              plansWith('bulkSearch'),
            ],
          ]}
        />
        <p>
          Exports and bulk searches are charged batch by batch, each before it is sent, and stop
          where credits end. The same form sent again within a day costs nothing more, so a download
          that broke can be repeated.
        </p>
      </Section>
      <Section id="samples" title="Samples">
        <p>
          Where a <code>free</code> account has fewer credits than a call costs, the answer is a{' '}
          <strong>sample</strong>: a 200 with invented records in the shape of the live ones, for 0
          credits. It is marked three times, by the header <code>Service-Sample: true</code>, by{' '}
          <code>sample</code> and by <code>meta.sample</code>, and its <code>notice</code> opens
          with the words NOT REAL DATA. <code>meta.creditsRequired</code> less{' '}
          <code>meta.creditsBalance</code> is the top-up needed.
        </p>
        <p>
          A sample looks nothing up: a wrong id answers the same sample as a right one. It has a few
          records at most. On any other tier a balance that is too low is a{' '}
          <a href={href('/docs/errors#insufficient_credits')}>402</a>, never a sample.
        </p>
      </Section>
      <Section id="grants" title="Where credits come from">
        <p>
          From a plan (they end with its period), a trial (they last {TRIAL_DAYS} days), a top-up or
          a referral (they don't end unless the operator sets a date). What ends first is spent
          first. <a href={href('/credits')}>Plans and other ways to get credits</a>.
        </p>
      </Section>
    </>
  ),
}
