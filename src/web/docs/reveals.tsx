/** @jsxImportSource hono/jsx */
/** `/docs/reveals`: how a contact's private channels are unlocked. */
import { CALL_CREDITS, ENDPOINTS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { TIER_RULES } from '../../contract/tiers.ts'
import { Curl } from '../components/code.tsx'
import { Section } from '../components/section.tsx'
import { numbers, Table } from '../components/table.tsx'
import { figure, perWindow } from '../components/text.tsx'
import type { Document } from './document.tsx'

const { free, pro } = TIER_RULES

export const reveals: Document = {
  path: '/docs/reveals',
  title: 'Reveals',
  lead: 'Email, phone, telegram and LinkedIn of a person are locked at first. A reveal opens them to your account for good.',
  body: ({ site, href }) => (
    <>
      <Section id="how" title="How">
        <Curl
          url={`${site.baseUrl}${ENDPOINTS.person.path.replace(':id', '{id}')}?include=private`}
        />
        <p>
          The key needs the scope <code>read:contacts</code>. Before you pay, <code>hasEmail</code>,{' '}
          <code>hasPhone</code>, <code>hasTelegram</code> and <code>hasLinkedin</code> say what a
          reveal would show, on lists and in search too.
        </p>
      </Section>
      <Section id="costs" title="What it costs">
        <Table
          label="Price of a read"
          columns={['Read', 'Channels', numbers('Credits')]}
          rows={[
            ['Of a locked contact', 'null', CALL_CREDITS],
            ['First one with include=private', 'shown, unlocked for good', REVEAL_CREDITS],
            ['Of an unlocked contact, with or without include', 'shown', CALL_CREDITS],
            ['With include=private, nothing on file', 'null', CALL_CREDITS],
          ]}
        />
        <p>
          Two reveals of one contact at the same moment cost one first reveal and one read. Teams
          and coworkers show the channels of contacts that are already unlocked; lists and search
          never do.
        </p>
      </Section>
      <Section id="cap" title="How many">
        <p>
          First reveals are capped at {figure(pro.revealLimit)} {perWindow(pro.revealSeconds)} on a
          plan and {figure(free.revealLimit)} on <code>free</code>; then the answer is a{' '}
          <a href={href('/docs/errors#reveal_cap_exceeded')}>429</a>. Reading unlocked contacts
          takes nothing from the cap.
        </p>
      </Section>
    </>
  ),
}
