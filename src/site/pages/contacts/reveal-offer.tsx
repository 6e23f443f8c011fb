/** @jsxImportSource hono/jsx */
/** What a stranger sees of `/reveal`: the price, and both ways in, which lead back to the same people. */
import { REVEAL_CREDITS } from '../../../contract/endpoints.ts'
import { TRIAL_DAYS } from '../../../contract/tiers.ts'
import type { Page, PageContext } from '../../http/page.ts'
import { withReturnUrl } from '../../http/return-url.ts'
import { hasChannels } from '../../profiles/contact.tsx'
import { PersonRow } from '../../profiles/rows.tsx'
import { idsQuery } from '../../profiles/selection.tsx'
import type { PersonRecord } from '../../profiles/view-models.ts'
import { ButtonLink, QuietLink } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { personalPage } from '../../ui/page-parts.tsx'
import { figure, plural } from '../../ui/text.tsx'

/** People shown, at most. */
const ROWS = 40

/** @param people those who are selected; at least one */
export function revealOffer(context: PageContext, people: readonly PersonRecord[]): Page {
  const locked = people.filter(hasChannels)
  const returnUrl = `/reveal?${idsQuery(people.map(({ id }) => id))}`
  const way = (path: string) => context.href(withReturnUrl(path, returnUrl))
  return personalPage(
    {
      title: 'Reveal several contacts',
      heading:
        locked.length > 0
          ? `Reveal ${plural(locked.length, 'person', 'people')}`
          : 'Nothing to reveal',
    },
    <>
      <Facts
        facts={[
          { name: 'Price', value: plural(locked.length * REVEAL_CREDITS, 'credit', 'credits') },
          {
            name: 'Without a channel on file',
            value: locked.length < people.length ? figure(people.length - locked.length) : null,
          },
        ]}
      />
      <p>
        Sign in, or start a trial of {TRIAL_DAYS} days with credits; no card is needed. You come
        back here, and nothing is charged before you confirm the price.
      </p>
      <p class="actions">
        <ButtonLink href={way('/sign-up')}>Start a trial</ButtonLink>
        <QuietLink href={way('/sign-in')}>Sign in</QuietLink>
      </p>
      <ul class="rows compact">
        {people.slice(0, ROWS).map((person) => (
          <PersonRow person={person} context={context} />
        ))}
      </ul>
      {people.length > ROWS ? <p class="note">And {figure(people.length - ROWS)} more.</p> : null}
    </>,
  )
}
