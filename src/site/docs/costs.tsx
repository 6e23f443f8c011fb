/** @jsxImportSource hono/jsx */
/** What calls cost, and how many an account may make. */
import {
  CALL_CREDITS,
  documentedPath,
  ENDPOINTS,
  REVEAL_CREDITS,
  WEB_OPERATIONS,
} from '../../contract/endpoints.ts'
import { IDEMPOTENT_REPEATS } from '../../contract/headers.ts'
import {
  REJECTED_KEYS_LIMIT,
  REJECTED_KEYS_SECONDS,
  TIER_RULES,
  TRIAL_DAYS,
} from '../../contract/tiers.ts'
import { MAX_LINES } from '../../money/accounts/kept-searches.ts'
import { MAX_THRESHOLDS } from '../../people/users/low-balance.ts'
import { RATE_LIMITS } from '../../people/users/rate-limiter.ts'
import { Curl, numbers, Section, Table } from '../ui/page-parts.tsx'
import { plansWith } from '../ui/paid-feature.tsx'
import { figure, perWindow } from '../ui/text.tsx'
import { type Document, ErrorLink } from './document.tsx'
import { exampleUrl } from './example-call.ts'
import { creditsText } from './price-words.ts'
import { Quote } from './quote.tsx'
import { TierLimits } from './tier-limits.tsx'

const { csvExport, bulkSearch } = WEB_OPERATIONS

/** Prices, samples and where credits come from. Every figure comes from the contract's tables. */
export const credits: Document = {
  path: '/docs/credits',
  title: 'Credits and samples',
  lead: 'A call is charged only when it answers 200 with live data. An empty list is live data.',
  body: (context) => (
    <>
      <Section id="prices" title="Prices">
        <Table
          label="Prices"
          isCards
          columns={['Call', { label: 'What it answers', card: 'line' }, numbers('Credits', 'unit')]}
          rows={Object.values(ENDPOINTS).map(({ method, path, summary, ...price }) => [
            <code>
              {method} {documentedPath(path)}
            </code>,
            summary,
            creditsText(price),
          ])}
        />
        <p>
          <code class="unbroken">GET /v1/me</code> answers the same list. Every 200 says what it
          cost and what is left in <code>meta.creditsCharged</code> and{' '}
          <code>meta.creditsBalance</code>. HEAD, OPTIONS and refused calls cost nothing; each{' '}
          <a href={context.href('/docs/errors')}>error</a> says what was charged.
        </p>
      </Section>
      <Quote {...context} />
      <Section id="application" title="In the application">
        <p>
          Reading pages is free. A button that charges says its price, charges once however often it
          is pressed, and its charge is listed under <a href={context.href('/balance')}>Usage</a>:
        </p>
        <Table
          label="Prices in the application"
          isCards
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
              'different line that finds something',
              plansWith('bulkSearch'),
            ],
          ]}
        />
        <p>
          Exports and bulk searches are charged batch by batch, each before it is sent, and stop
          when credits run out. Sending the form of an export again within a day costs nothing more,
          at most {IDEMPOTENT_REPEATS} times, so you can repeat a broken download; the page of a
          bulk search shows its results for a day.
        </p>
      </Section>
      <Section id="low" title="Before credits run out">
        <p>
          <a href={context.href('/overview')}>Overview</a> says how long the balance lasts at the
          pace of the last days. <a href={context.href('/balance/alerts')}>Low-balance mails</a> go
          to the account’s owner, and to members if the owner says so, when credits fall below one
          of up to {MAX_THRESHOLDS} amounts: once, and again after they have been above it.
        </p>
      </Section>
      <Section id="samples" title="Samples">
        <p>
          A <code>free</code> account with fewer credits than a call costs gets a{' '}
          <strong>sample</strong>: a free 200 with invented records in the shape of the live ones.
          The header <code class="unbroken">Service-Sample: true</code>, <code>sample</code> and{' '}
          <code>meta.sample</code> mark it, and its <code>notice</code> begins with NOT REAL DATA.
          The top-up needed is <code>meta.creditsRequired</code> less{' '}
          <code>meta.creditsBalance</code>.
        </p>
        <p>
          A sample looks nothing up: a wrong id gets the same sample as a right one. Other tiers
          never get samples: a balance that is too low is a{' '}
          <ErrorLink code="insufficient_credits" href={context.href} />.
        </p>
      </Section>
      <Section id="grants" title="Where credits come from">
        <p>
          Credits come from a plan (they expire with its period), a trial (they last {TRIAL_DAYS}{' '}
          days), a top-up or a referral (they expire only if the operator sets a date). Credits that
          expire first are spent first. <a href={context.href('/credits')}>Plans and top-ups</a>.
        </p>
        <p>
          A payment that is refunded or disputed takes back what is left of its credits, in
          proportion to the money; what was spent stays spent. A dispute that is won gives them
          again. Usage shows both.
        </p>
      </Section>
    </>
  ),
}

const { free, pro } = TIER_RULES

/** How a contact's private channels are unlocked. */
export const reveals: Document = {
  path: '/docs/reveals',
  title: 'Reveals',
  lead: 'A person’s email, phone, Telegram and LinkedIn are locked. A reveal unlocks them for your account for good.',
  body: ({ site, href, examples }) => (
    <>
      <Section id="how" title="Revealing a contact">
        <Curl url={`${exampleUrl('person', site.baseUrl, examples)}?include=private`} />
        <p>
          The key needs the scope <code>read:contacts</code>. <code>hasEmail</code>,{' '}
          <code>hasPhone</code>, <code>hasTelegram</code> and <code>hasLinkedin</code> say before
          you pay what a reveal would show, on lists and in search too.
        </p>
      </Section>
      <Section id="costs" title="Price of a reveal">
        <Table
          label="Price of a read"
          isCards
          columns={['Read', 'Channels', numbers('Credits')]}
          rows={[
            ['Locked contact', 'null', CALL_CREDITS],
            ['First read with include=private', 'shown, unlocked for good', REVEAL_CREDITS],
            ['Unlocked contact, with or without include', 'shown', CALL_CREDITS],
            ['include=private, nothing on file', 'null', CALL_CREDITS],
          ]}
        />
        <p>
          Two reveals of one contact at the same moment cost one first reveal and one read. Teams
          and coworkers show the channels of contacts that are already unlocked; lists and search
          never do.
        </p>
        <p>
          In the application a reveal costs the same, and seeing what your account has revealed
          costs nothing: on profiles and in <a href={href('/contacts')}>My contacts</a>, with notes,
          tags and a CSV file.
        </p>
      </Section>
      <Section id="cap" title="Limit of reveals">
        <p>
          A plan allows {figure(pro.revealLimit)} first reveals {perWindow(pro.revealSeconds)}, the
          tier <code>free</code> {figure(free.revealLimit)}. A first reveal above the limit gets a{' '}
          <ErrorLink code="reveal_cap_exceeded" href={href} />. Reads of unlocked contacts do not
          count.
        </p>
      </Section>
    </>
  ),
}

/** Rate limits and size limits. */
export const limits: Document = {
  path: '/docs/limits',
  title: 'Limits',
  lead: 'All keys of an account share its limits. Each answer says how many requests are left.',
  body: ({ href }) => (
    <>
      <Section id="tiers" title="By tier">
        <TierLimits hasReveals />
        <p>
          A window begins at the first call after the last window ended. Calls over the limit get a{' '}
          <ErrorLink code="rate_limited" href={href} />. Refused calls, HEAD and charges in the
          application count too; an export or a bulk search waits for the next window.
        </p>
      </Section>
      <Section id="headers" title="Headers">
        <Table
          label="Headers"
          isCards
          columns={['Header', { label: 'What it says', card: 'line' }]}
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
          of the directory in {figure(RATE_LIMITS.visit.address.seconds / 60)} minutes. Signed in,
          an account has a limit per minute and per day, above what a person reads. To take many
          records, export a list or use the API.
        </p>
      </Section>
      <Section id="sizes" title="Sizes">
        <p>
          A URL may have 8 KiB (<ErrorLink code="uri_too_long" href={href} />
          ), headers 16 KiB (<ErrorLink code="headers_too_large" href={href} />
          ).
        </p>
      </Section>
      <Section id="connections" title="Connections">
        <p>
          Send the next call on a connection when the last one was answered. For several calls at
          once, use several connections.
        </p>
      </Section>
    </>
  ),
}
