/** @jsxImportSource hono/jsx */
/** What the directory holds about people, in plain words, for somebody who found themselves in it. */

import type { PageContext } from '../../http/page.ts'
import { Section } from '../../ui/page-parts.tsx'

export function PrivacyNotice({ context }: { context: PageContext }) {
  const { site, application, href } = context
  const { contact, sources } = application.privacy
  return (
    <>
      <Section id="what" title="What is held about people">
        <p>
          {site.serviceName} lists people who work in crypto. About a person it may hold: name, job
          title, company, roles, a picture and its address, an X handle with its number of
          followers, and which of four private channels are known. Everybody can read these here,
          search engines too.
        </p>
        <p>
          The private channels themselves (e-mail, phone, Telegram, LinkedIn) are on no page and in
          no search. Accounts that pay for a contact are shown them, and may use them under the law
          that holds for them.
        </p>
      </Section>
      <Section id="where-from" title="Where it comes from, and what for">
        <p>
          {sources ??
            'Records are gathered from sources about the crypto industry, not from you. Ask, and you are told from which yours came.'}
        </p>
        <p>
          {contact
            ? `Who answers for the directory: ${contact}`
            : `The operator of ${site.serviceName} answers for the directory`}
          . It is kept so that people in this industry can find and reach each other at work: a
          legitimate interest of its operator and its readers. You can object to that at any time
          and need no reason: choose “Remove me” in the form.
        </p>
        <p>A record stays until it is corrected, replaced or removed.</p>
      </Section>
      <Section id="rights" title="What you can ask for">
        <p>
          To be shown all that is held about you, where it came from and who was given it; to have
          it corrected; to be removed. A person reads your request and answers within a month. No
          machine decides about it.
        </p>
        <p>
          Once you are removed, keyed hashes of your addresses and handles are all that is kept, so
          that no later import brings you back. If you disagree with an answer you can complain to
          your data protection authority.
        </p>
        <p>
          Do you have an account here? Its name, address and password are under{' '}
          <a href={href('/settings')}>Settings</a>.
        </p>
      </Section>
    </>
  )
}
