/** @jsxImportSource hono/jsx */
/** `/docs/reveals`: how a contact's private channels are unlocked. */
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { TIER_RULES } from '../../contract/tiers.ts'
import { Curl } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import { numbers, Table } from '../components/table.tsx'
import { figure, perWindow } from '../components/text.tsx'
import type { Document } from './document.tsx'
import { ErrorLink } from './error-link.tsx'

const { free, pro } = TIER_RULES

export const reveals: Document = {
  path: '/docs/reveals',
  title: 'Reveals',
  lead: 'A person’s email, phone, Telegram and LinkedIn are locked. A reveal unlocks them for your account for good.',
  body: ({ site, href }) => (
    <>
      <Section id="how" title="Revealing a contact">
        <Curl
          url={`${site.baseUrl}${ENDPOINTS.person.path.replace(':id', '{id}')}?include=private`}
        />
        <p>
          The key needs the scope <code>read:contacts</code>. <code>hasEmail</code>,{' '}
          <code>hasPhone</code>, <code>hasTelegram</code> and <code>hasLinkedin</code> say before
          you pay what a reveal would show, on lists and in search too.
        </p>
      </Section>
      <Section id="costs" title="Price">
        <Table
          label="Price of a read"
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
      </Section>
      <Section id="cap" title="Limit">
        <p>
          A plan allows {figure(pro.revealLimit)} first reveals {perWindow(pro.revealSeconds)},{' '}
          <code>free</code> {figure(free.revealLimit)}; more get a{' '}
          <ErrorLink code="reveal_cap_exceeded" href={href} />. Reads of unlocked contacts do not
          count.
        </p>
      </Section>
    </>
  ),
}
