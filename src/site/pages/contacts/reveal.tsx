/** @jsxImportSource hono/jsx */
/**
 * `/reveal?ids=`: several people revealed at once. The page shows the price, its form charges, and `/reveal/done` shows the
 * result at an address of its own, which charges nothing when it is loaded again.
 */
import { REVEAL_CREDITS } from '../../../contract/endpoints.ts'
import { TRIAL_DAYS } from '../../../contract/tiers.ts'
import { uuidOf } from '../../../database/uuid.ts'
import { creditsOf } from '../../../money/accounts/credits.ts'
import { type Charged, chargedFor } from '../../../money/accounts/ledger.ts'
import { unlockedContacts } from '../../../money/accounts/unlocks.ts'
import {
  BATCH_MAX,
  type BatchEnd,
  type BatchStop,
  revealAll,
} from '../../../money/accounts/web-reveals.ts'
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
import { addressMistake } from '../../http/page-error.ts'
import { withReturnUrl } from '../../http/return-url.ts'
import { rightEnd } from '../../http/rights.ts'
import { hasChannels } from '../../profiles/contact.tsx'
import { PersonRow } from '../../profiles/rows.tsx'
import {
  idsQuery,
  nobodySelected,
  type SelectedPeople,
  SelectionDone,
  selectedIds,
  selectedPeople,
} from '../../profiles/selection.tsx'
import type { PersonRecord } from '../../profiles/view-models.ts'
import { ButtonLink, QuietLink } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Form, IdempotencyField, idempotencyKeyOf, malformedForm } from '../../ui/form.tsx'
import { Notice, personalPage, Section } from '../../ui/page-parts.tsx'
import { PaidSubmit, quoteFacts, quoteOf, Shortfall } from '../../ui/paid-feature.tsx'
import { refuseSuspended } from '../../ui/suspension.tsx'
import { figure, plural } from '../../ui/text.tsx'

const TITLE = 'Reveal several contacts'
const REFUSAL = 'These can’t be revealed at once'
/** People shown on a page, to stay below 60 KB of HTML. */
const ROWS = 40

export async function revealPage(context: PageContext): Promise<Page> {
  const selected = peopleOf(context, new URLSearchParams(context.query))
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
  const unlocked = await unlockedContacts(application.database, session.account.id, ids)
  const bare = people.filter((person) => !unlocked.has(person.id) && !hasChannels(person))
  const locked = people.filter((person) => !unlocked.has(person.id) && hasChannels(person))
  // People who cost credits come first.
  const ordered = [...locked, ...people.filter((person) => !locked.includes(person))]
  const left = ordered.length - ROWS
  const quote = await quoteOf(context, { credits: REVEAL_CREDITS }, locked.length)
  const others = [
    unlocked.size > 0 ? `${figure(unlocked.size)} unlocked already` : '',
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
            {/* The button's price covers `ids`. */}
            {locked.map(({ id }, i) => (
              <input type="hidden" name={i < quote.covered ? 'ids' : 'later'} value={id} />
            ))}
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
        {ordered.slice(0, ROWS).map((person) => (
          <PersonRow person={person} contact={unlocked.get(person.id)} context={context} />
        ))}
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
  const requested = selectedIds(form, REFUSAL)
  if (!isSignedIn(context)) {
    const all = [...requested, ...later].slice(0, BATCH_MAX)
    return redirect(context.href(withReturnUrl('/sign-in', `/reveal?${idsQuery(all)}`)))
  }
  refuseSuspended(context)
  const { application, session, href } = context
  if (Number(form.get('price')) !== REVEAL_CREDITS) throw malformedForm()
  const { people } = peopleOf(context, form)
  if (requested.length === 0) throw malformedForm()
  const ids = people.map(({ id }) => id)
  const accountId = session.account.id
  const { database, meter } = application
  const unlocked = await unlockedContacts(database, accountId, ids)
  const batch = runId(accountId, idempotencyKeyOf(form), ids.join())
  // Unlocked people are skipped: each would count against the rate, and a repeated batch might never get past them.
  const locked = ids.filter((id) => !unlocked.has(id))
  const end = await revealAll(meter, accountId, locked, batch, () => rightEnd(context))
  const processed = new Set([...end.revealed.map(({ id }) => id), ...end.free, ...end.gone])
  const open = new Set(locked.filter((id) => !processed.has(id)))
  const outcome: RevealedBatch = {
    batch,
    ids: requested.filter((id) => !open.has(id)),
    // People that the price didn't cover, or that the batch didn't reach.
    left: [...open, ...later].slice(0, BATCH_MAX - requested.length + open.size),
    stopped: end.stopped,
  }
  if (end.stopped === 'access') return accessEndPage(context, end, outcome)
  return redirect(href(`${revealedPath(outcome)}&said=done`))
}

/** Answer after access was lost during the batch: shows no contact. */
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
function peopleOf({ directory }: PageContext, parameters: URLSearchParams): SelectedPeople {
  return selectedPeople(directory, selectedIds(parameters, REFUSAL))
}

/** Page for strangers: the price, with sign-up and sign-in leading back to the same people. */
function revealOffer(context: PageContext, people: readonly PersonRecord[]): Page {
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

const ADDRESS_REFUSAL = 'This address has a mistake in it'

/** A batch, as encoded in the URL of its page. */
interface RevealedBatch {
  /** Request id of its charges in the ledger. */
  batch: string
  /** People who were processed. */
  ids: readonly string[]
  /** People who were not. */
  left: readonly string[]
  stopped: BatchStop | null
}

function revealedPath({ batch, ids, left, stopped }: RevealedBatch): string {
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
  const batch = uuidOf(parameters.get('batch'))
  if (batch === undefined) throw addressMistake('batch', 'the id of a batch')
  const stopped = parameters.get('stopped') ?? ''
  return {
    batch,
    ids: selectedIds(parameters, ADDRESS_REFUSAL),
    left: selectedIds(parameters, ADDRESS_REFUSAL, 'left'),
    stopped: isBatchStop(stopped) ? stopped : null,
  }
}

export async function revealedPage(context: SignedInContext): Promise<Page> {
  const { application, directory, session, href } = context
  const parameters = new URLSearchParams(context.query)
  const { batch, ids, left, stopped } = batchIn(parameters)
  const { database } = application
  const accountId = session.account.id
  const { people, gone } = selectedPeople(directory, ids)
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
      {/* A reader who comes back later may have selected others meanwhile. */}
      {parameters.has('said') ? <SelectionDone context={context} left={left} /> : null}
      {shown.length > 0 ? (
        <Section id="revealed" title="Revealed contacts" count={shown.length}>
          <ul class="rows">
            {shown.slice(0, ROWS).map((person) => (
              <PersonRow person={person} contact={contacts.get(person.id)} context={context} />
            ))}
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

const REASONS: Readonly<Record<BatchStop, string>> = {
  credits: 'Your credits ran out.',
  rate: 'The account is over its request rate: go on in a minute.',
  reveals: 'This hour’s first reveals are used up.',
  suspended: 'Your account was suspended.',
  access: 'You were signed out, or you no longer have access to this account.',
  plan: 'Your plan no longer includes this.',
  unavailable: 'The service can’t continue right now.',
  unknown:
    'The service can’t continue right now. We don’t know whether the next one was charged: Usage shows it. Nobody is charged twice.',
}

const isBatchStop = (text: string): text is BatchStop => Object.hasOwn(REASONS, text)

/** Counts of people in a batch who cost nothing. */
interface Uncharged {
  /** Unlocked earlier or by another member. */
  before: number
  /** Without any channel on file. */
  bare: number
  gone: number
}

/** Sentence about what was revealed and charged. @param stopped reason for an early end */
export function messageOf(
  charged: Charged,
  stopped: BatchStop | null,
  { before, bare, gone }: Uncharged,
): string {
  const parts = [
    charged.credits === 0 && before > 0
      ? 'These were charged before; nothing more was.'
      : `${plural(charged.people, 'person was', 'people were')} revealed: ${plural(charged.credits, 'credit was', 'credits were')} charged.`,
    charged.credits > 0 && before > 0
      ? `${figure(before)} had been unlocked before and cost nothing.`
      : '',
    bare > 0 ? `${figure(bare)} of them, without a channel on file any more, cost nothing.` : '',
    gone > 0 ? `${figure(gone)} of them went from the directory.` : '',
    stopped ? `It stopped there. ${REASONS[stopped]}` : '',
  ]
  return parts.filter(Boolean).join(' ')
}
