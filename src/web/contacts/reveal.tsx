/** @jsxImportSource hono/jsx */
/** `/reveal?ids=`: several people revealed at once. The first page says what it costs, the form on it does it (D156). */
import { creditsOf } from '../../accounts/credits.ts'
import { unlockedContacts } from '../../accounts/unlocks.ts'
import { BATCH_MAX, revealAll } from '../../accounts/web-reveals.ts'
import { runId } from '../../accounts/web-runs.ts'
import { REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { DatabaseUnavailable } from '../../database/client.ts'
import { QuietLink } from '../components/actions.tsx'
import { hasChannels } from '../components/contact.tsx'
import { Form, IdempotencyField, idempotencyKeyOf, malformedForm } from '../components/form.tsx'
import { Notice, personalPage, Section } from '../components/page-parts.tsx'
import { PaidSubmit, quoteFacts, quoteOf, Shortfall } from '../components/paid-feature.tsx'
import { Each } from '../components/part.tsx'
import { Facts } from '../components/profile.tsx'
import { PersonRow } from '../components/rows.tsx'
import { SelectionDone } from '../components/selection.tsx'
import { refuseSuspended } from '../components/suspension.tsx'
import { figure, plural } from '../components/text.tsx'
import { ofOneMoment } from '../directory/one-moment.ts'
import {
  idsQuery,
  nobodySelected,
  type SelectedPeople,
  selectedIds,
  selectedPeople,
} from '../directory/selected.ts'
import type { Form as Fields } from '../http/form.ts'
import {
  isSignedIn,
  type Page,
  type PageContext,
  type Reply,
  redirect,
  type SignedInContext,
} from '../http/page.ts'
import { withReturnUrl } from '../http/return-url.ts'
import { rightEnd } from '../http/rights.ts'
import { messageOf } from './reveal-message.ts'
import { revealOffer } from './reveal-offer.tsx'

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
            {/* Those whom the button's price is for (D58). */}
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

/** Reveals those whom the form names. What it can't do without is read before the first charge (D41). */
export async function revealSeveral(context: PageContext, form: Fields): Promise<Reply> {
  const later = selectedIds(form, REFUSAL, 'later')
  if (!isSignedIn(context)) {
    const asked = [...selectedIds(form, REFUSAL), ...later].slice(0, BATCH_MAX)
    return redirect(context.href(withReturnUrl('/sign-in', `/reveal?${idsQuery(asked)}`)))
  }
  refuseSuspended(context)
  const { application, session, href } = context
  if (Number(form.get('price')) !== REVEAL_CREDITS) throw malformedForm()
  const { people, gone } = await peopleOf(context, form)
  if (people.length + gone === 0) throw malformedForm()
  const ids = people.map(({ id }) => id)
  const accountId = session.account.id
  const { database, meter } = application
  const known = await unlockedContacts(database, accountId, ids)
  const before = await creditsOf(database, accountId)
  const batch = runId(accountId, idempotencyKeyOf(form), ids.join())
  // Not those who are unlocked: each would count against the account's rate, and the batch might never get past them.
  const locked = ids.filter((id) => !known.has(id))
  const end = await revealAll(meter, accountId, locked, batch, () => rightEnd(context))
  const hasAccess = end.stopped !== 'access'
  const free = hasAccess ? end.free : []
  const meanwhile = await unlockedContacts(database, accountId, free).catch(unreadOf)
  const revealed = end.revealed.map((one) => [one.id, one] as const)
  const contacts = new Map([...known, ...(meanwhile ?? []), ...revealed])
  const shown = hasAccess ? people.filter(({ id }) => contacts.has(id)) : []
  const done = new Set([...contacts.keys(), ...end.free, ...end.gone])
  // The button's price was not for all of them, or the batch stopped before.
  const left = [...locked.filter((id) => !done.has(id)), ...later].slice(0, BATCH_MAX)
  const balance = locked.length === 0 ? before?.balance : end.balance
  return {
    ...personalPage(
      { title: TITLE, shape: 'wide' },
      <>
        <Notice tone={end.stopped === null ? 'good' : 'warn'}>
          {messageOf(end, {
            before: known.size + (meanwhile?.size ?? end.free.length),
            bare: meanwhile ? end.free.length - meanwhile.size : 0,
            gone: end.gone.length + gone,
          })}{' '}
          {balance === undefined ? null : `${figure(balance)} left.`}
        </Notice>
        <SelectionDone context={context} left={left} />
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
          {end.stopped === 'credits' ? (
            <QuietLink href={href('/credits')}>Get credits</QuietLink>
          ) : null}
        </p>
      </>,
    ),
    ...(balance === undefined ? {} : { balance }),
  }
}

/** What is read after the charges may be missing: My contacts shows it. */
function unreadOf(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailable)) throw error
}

/** @throws PageError 400 */
function peopleOf(
  { directory }: PageContext,
  parameters: URLSearchParams,
): Promise<SelectedPeople> {
  const ids = selectedIds(parameters, REFUSAL)
  return ofOneMoment(directory, () => selectedPeople(directory, ids))
}
