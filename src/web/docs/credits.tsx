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
import { ErrorLink } from './error-link.tsx'

const { csvExport, bulkSearch } = WEB_OPERATIONS

export const credits: Document = {
  path: '/docs/credits',
  title: 'Credits and samples',
  lead: 'A call is charged only when it answers 200 with live data. An empty list is live data.',
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
          <code>GET /v1/me</code> answers the same list. Every 200 says what it cost and what is
          left in <code>meta.creditsCharged</code> and <code>meta.creditsBalance</code>. HEAD,
          OPTIONS and refused calls cost nothing; each <a href={href('/docs/errors')}>error</a> says
          what was charged.
        </p>
      </Section>
      <Section id="application" title="In the application">
        <p>
          Reading pages is free. A button that charges says its price, charges once however often it
          is pressed, and its charge is listed under <a href={href('/balance')}>Usage</a>:
        </p>
        <Table
          label="Prices in the application"
          columns={['What', numbers('Credits'), 'For each', 'Plans']}
          rows={[
            ['Reveal of a contact', figure(REVEAL_CREDITS), 'contact, once', 'any or none'],
            ['Channels of unlocked contacts', figure(CALL_CREDITS), 'answer', 'any or none'],
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
          when credits run out. Sending the same form again within a day costs nothing more, so you
          can repeat a broken download.
        </p>
      </Section>
      <Section id="samples" title="Samples">
        <p>
          A <code>free</code> account with fewer credits than a call costs gets a{' '}
          <strong>sample</strong>: a free 200 with invented records in the shape of the live ones.
          The header <code>Service-Sample: true</code>, <code>sample</code> and{' '}
          <code>meta.sample</code> mark it, and its <code>notice</code> begins with NOT REAL DATA.
          The top-up needed is <code>meta.creditsRequired</code> less{' '}
          <code>meta.creditsBalance</code>.
        </p>
        <p>
          A sample looks nothing up: a wrong id gets the same sample as a right one. Other tiers
          never get samples: a balance that is too low is a{' '}
          <ErrorLink code="insufficient_credits" href={href} />.
        </p>
      </Section>
      <Section id="grants" title="Where credits come from">
        <p>
          Credits come from a plan (they expire with its period), a trial (they last {TRIAL_DAYS}{' '}
          days), a top-up or a referral (they expire only if the operator sets a date). Credits that
          expire first are spent first. <a href={href('/credits')}>Plans and top-ups</a>.
        </p>
      </Section>
    </>
  ),
}
