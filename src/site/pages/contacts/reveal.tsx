/** @jsxImportSource hono/jsx */
/** `/reveal?ids=`: several people revealed at once. The first page says what it costs, the form on it does it. */

import { REVEAL_CREDITS } from '../../../contract/endpoints.ts'
import { unlockedContacts } from '../../../money/accounts/unlocks.ts'
import { BATCH_MAX, type BatchEnd, revealAll } from '../../../money/accounts/web-reveals.ts'
import { runId } from '../../../money/accounts/web-runs.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  isSignedIn,
  type Page,
  type PageContext,
  type Reply,
  redirect,
  type SignedInContext,
} from '../../http/page.ts'
import { withReturnUrl } from '../../http/return-url.ts'
import { rightEnd } from '../../http/rights.ts'
import { hasChannels } from '../../profiles/contact.tsx'
import { ofOneMoment } from '../../profiles/one-moment.ts'
import { PersonRow } from '../../profiles/rows.tsx'
import {
  idsQuery,
  nobodySelected,
  type SelectedPeople,
  selectedIds,
  selectedPeople,
} from '../../profiles/selection.tsx'
import { QuietLink } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Form, IdempotencyField, idempotencyKeyOf, malformedForm } from '../../ui/form.tsx'
import { Notice, personalPage } from '../../ui/page-parts.tsx'
import { PaidSubmit, quoteFacts, quoteOf, Shortfall } from '../../ui/paid-feature.tsx'
import { Each } from '../../ui/part.tsx'
import { refuseSuspended } from '../../ui/suspension.tsx'
import { figure, plural } from '../../ui/text.tsx'
import { messageOf } from './reveal-message.ts'
import { revealOffer } from './reveal-offer.tsx'
import { type RevealedBatch, revealedPath } from './revealed.tsx'

const TITLE = 'Reveal several contacts'
const REFUSAL = 'These can’t be revealed at once'
/** People shown on a page, at most: so many stay below 60 KB of HTML. */
const ROWS = 40

export async function revealPage(context: PageContext): Promise<Page> {
  const selected = await peopleOf(context, new URLSearchParams(context.query))
  if (selected.people.length === 0) throw nobodySelected('reveal')
  refuseSuspended(context)
  return isSignedIn(context) ? pricePage(context, selected) : revealOffer(context, selected.people)
}

async function pricePage(
  context: SignedInContext,
  { people, gone }: SelectedPeople,
): Promise<Page> {
  const { application, session, href } = context
  const ids = people.map(({ id }) => id)
  const known = await unlockedContacts(application.database, session.account.id, ids)
  const bare = people.filter((person) => !known.has(person.id) && !hasChannels(person))
  const locked = people.filter((person) => !known.has(person.id) && hasChannels(person))
  // Those who are paid for first.
  const ordered = [...locked, ...people.filter((person) => !locked.includes(person))]
  const left = ordered.length - ROWS
  const quote = await quoteOf(context, { credits: REVEAL_CREDITS }, locked.length)
  const others = [
    known.size > 0 ? `${figure(known.size)} unlocked already` : '',
    bare.length > 0 ? `${figure(bare.length)} without a channel on file` : '',
    gone > 0 ? `${figure(gone)} no longer in the directory` : '',
  ].filter(Boolean)
  return personalPage(
    {
      title: TITLE,
      heading:
        locked.length > 0
          ? `Reveal ${plural(locked.length, 'person', 'people')}`
          : 'Nothing to reveal',
      balance: quote.balance,
    },
    <>
      <Facts
        facts={[
          {
            name: 'To reveal',
            value: `${figure(locked.length)} not yet unlocked × ${REVEAL_CREDITS} credits`,
          },
          { name: 'Not charged', value: others.join('; ') },
          ...quoteFacts(quote),
        ]}
      />
      {locked.length > 0 ? (
        <>
          <Shortfall
            context={context}
            covered={quote.covered}
            all={locked.length}
            things="people"
            what="the batch"
          />
          <Form context={context} action="/reveal">
            <IdempotencyField />
            <input type="hidden" name="price" value={String(REVEAL_CREDITS)} />
            {/* Those whom the button's price is for. */}
            <Each of={locked}>
              {({ id }, i) => (
                <input type="hidden" name={i < quote.covered ? 'ids' : 'later'} value={id} />
              )}
            </Each>
            <p class="actions">
              <PaidSubmit quote={quote}>Reveal {figure(quote.covered)}</PaidSubmit>
              <QuietLink href={href('/people')}>Cancel</QuietLink>
            </p>
          </Form>
        </>
      ) : (
        <p class="empty">There is nothing to pay for.</p>
      )}
      <ul class="rows compact">
        <Each of={ordered.slice(0, ROWS)}>
          {(person) => (
            <PersonRow person={person} contact={known.get(person.id)} context={context} />
          )}
        </Each>
      </ul>
      {left > 0 ? (
        <p class="note">
          And {figure(left)} more{locked.length <= ROWS ? ', whom you don’t pay for' : null}.
        </p>
      ) : null}
    </>,
  )
}

/**
 * Reveals those whom the form names, and leads to the page that shows them. What it can't do without is read before the first
 * charge.
 */
export async function revealSeveral(context: PageContext, form: Fields): Promise<Reply> {
  const later = selectedIds(form, REFUSAL, 'later')
  const wanted = selectedIds(form, REFUSAL)
  if (!isSignedIn(context)) {
    const all = [...wanted, ...later].slice(0, BATCH_MAX)
    return redirect(context.href(withReturnUrl('/sign-in', `/reveal?${idsQuery(all)}`)))
  }
  refuseSuspended(context)
  const { application, session, href } = context
  if (Number(form.get('price')) !== REVEAL_CREDITS) throw malformedForm()
  const { people } = await peopleOf(context, form)
  if (wanted.length === 0) throw malformedForm()
  const ids = people.map(({ id }) => id)
  const accountId = session.account.id
  const { database, meter } = application
  const known = await unlockedContacts(database, accountId, ids)
  const batch = runId(accountId, idempotencyKeyOf(form), ids.join())
  // Not those who are unlocked: each would count against the account's rate, and the batch might never get past them.
  const locked = ids.filter((id) => !known.has(id))
  const end = await revealAll(meter, accountId, locked, batch, () => rightEnd(context))
  const done = new Set([...end.revealed.map(({ id }) => id), ...end.free, ...end.gone])
  const open = new Set(locked.filter((id) => !done.has(id)))
  const outcome: RevealedBatch = {
    batch,
    ids: wanted.filter((id) => !open.has(id)),
    // The button's price was not for all of them, or the batch stopped before.
    left: [...open, ...later].slice(0, BATCH_MAX - wanted.length + open.size),
    stopped: end.stopped,
  }
  if (end.stopped === 'access') return accessEndPage(context, end, outcome)
  return redirect(href(`${revealedPath(outcome)}&said=done`))
}

/** The answer to whoever lost access in the middle: nobody is shown. */
function accessEndPage({ href }: SignedInContext, end: BatchEnd, outcome: RevealedBatch): Page {
  const charged = { people: end.revealed.length, credits: end.charged }
  return personalPage(
    { title: TITLE },
    <>
      <Notice tone="warn">
        {messageOf(charged, end.stopped, { before: 0, bare: 0, gone: 0 })}
      </Notice>
      <p class="actions">
        <QuietLink href={href(withReturnUrl('/sign-in', revealedPath(outcome)))}>Sign in</QuietLink>
      </p>
    </>,
  )
}

/** @throws PageError 400 */
function peopleOf(
  { directory }: PageContext,
  parameters: URLSearchParams,
): Promise<SelectedPeople> {
  const ids = selectedIds(parameters, REFUSAL)
  return ofOneMoment(directory, () => selectedPeople(directory, ids))
}
