/** @jsxImportSource hono/jsx */
/** `/reveal/done`: what a batch of reveals came to, at an address of its own, so that one comes back to it. It charges nothing. */

import { isUuid } from '../../../database/uuid.ts'
import { creditsOf } from '../../../money/accounts/credits.ts'
import { chargedFor } from '../../../money/accounts/ledger.ts'
import { unlockedContacts } from '../../../money/accounts/unlocks.ts'
import type { BatchStop } from '../../../money/accounts/web-reveals.ts'
import type { Page, SignedInContext } from '../../http/page.ts'
import { addressMistake } from '../../http/page-error.ts'
import { ofOneMoment } from '../../profiles/one-moment.ts'
import { PersonRow } from '../../profiles/rows.tsx'
import { idsQuery, SelectionDone, selectedIds, selectedPeople } from '../../profiles/selection.tsx'
import { QuietLink } from '../../ui/actions.tsx'
import { Notice, personalPage, Section } from '../../ui/page-parts.tsx'
import { Each } from '../../ui/part.tsx'
import { figure, plural } from '../../ui/text.tsx'
import { isBatchStop, messageOf } from './reveal-message.ts'

const REFUSAL = 'This address has a mistake in it'
/** People shown on the page, at most: so many stay below 60 KB of HTML. */
const ROWS = 40

/** A batch as its page's address names it. */
export interface RevealedBatch {
  /** The ledger's request id of its charges. */
  batch: string
  /** People whom it came to. */
  ids: readonly string[]
  /** People whom it did not come to. */
  left: readonly string[]
  stopped: BatchStop | null
}

export function revealedPath({ batch, ids, left, stopped }: RevealedBatch): string {
  const query = new URLSearchParams([
    ['batch', batch],
    ...(stopped ? [['stopped', stopped]] : []),
    ...ids.map((id) => ['ids', id]),
    ...left.map((id) => ['left', id]),
  ])
  return `/reveal/done?${query}`
}

/** @throws PageError 400 */
function batchIn(parameters: URLSearchParams): RevealedBatch {
  const batch = parameters.get('batch') ?? ''
  if (!isUuid(batch)) throw addressMistake('batch', 'the id of a batch')
  const stopped = parameters.get('stopped') ?? ''
  return {
    batch: batch.toLowerCase(),
    ids: selectedIds(parameters, REFUSAL),
    left: selectedIds(parameters, REFUSAL, 'left'),
    stopped: isBatchStop(stopped) ? stopped : null,
  }
}

export async function revealedPage(context: SignedInContext): Promise<Page> {
  const { application, directory, session, href } = context
  const parameters = new URLSearchParams(context.query)
  const { batch, ids, left, stopped } = batchIn(parameters)
  const { database } = application
  const accountId = session.account.id
  const { people, gone } = await ofOneMoment(directory, () => selectedPeople(directory, ids))
  const [contacts, charged, credits] = await Promise.all([
    unlockedContacts(
      database,
      accountId,
      people.map(({ id }) => id),
    ),
    chargedFor(database, accountId, batch),
    creditsOf(database, accountId),
  ])
  const shown = people.filter(({ id }) => contacts.has(id))
  const message = messageOf(charged, stopped, {
    before: Math.max(0, shown.length - charged.people),
    bare: people.length - shown.length,
    gone,
  })
  return personalPage(
    { title: 'Reveal several contacts', shape: 'wide' },
    <>
      <Notice tone={stopped === null ? 'good' : 'warn'}>
        {message} {credits ? `${figure(credits.balance)} left.` : null}
      </Notice>
      {/* Who comes back to the page may have selected others meanwhile. */}
      {parameters.has('said') ? <SelectionDone context={context} left={left} /> : null}
      {shown.length > 0 ? (
        <Section id="revealed" title="Revealed contacts" count={shown.length}>
          <ul class="rows">
            <Each of={shown.slice(0, ROWS)}>
              {(person) => (
                <PersonRow person={person} contact={contacts.get(person.id)} context={context} />
              )}
            </Each>
          </ul>
          {shown.length > ROWS ? (
            <p class="note">{figure(shown.length - ROWS)} more are among My contacts.</p>
          ) : null}
        </Section>
      ) : null}
      <p class="actions">
        {left.length > 0 ? (
          <QuietLink href={href(`/reveal?${idsQuery(left)}`)}>
            Go on with {plural(left.length, 'person', 'people')}
          </QuietLink>
        ) : null}
        <QuietLink href={href('/contacts')}>My contacts</QuietLink>
        <QuietLink href={href('/contacts/contacts.csv')}>Download all contacts as CSV</QuietLink>
        <QuietLink href={href(`/balance?request=${batch}#ledger`)}>View charges</QuietLink>
        {stopped === 'credits' ? <QuietLink href={href('/credits')}>Get credits</QuietLink> : null}
      </p>
    </>,
  )
}
