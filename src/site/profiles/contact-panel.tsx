/** @jsxImportSource hono/jsx */
/** A person's channels on their profile, and the button that reveals them. */
import { ENDPOINTS, REVEAL_CREDITS } from '../../contract/endpoints.ts'
import { TRIAL_DAYS } from '../../contract/tiers.ts'
import type { UnlockedContact } from '../../money/charge/call.ts'
import type { PageContext } from '../http/page.ts'
import { withReturnUrl } from '../http/return-url.ts'
import { Form, IdempotencyField } from '../ui/form.tsx'
import { Outcome, type RevealOutcome } from '../ui/outcome.tsx'
import { Curl } from '../ui/page-parts.tsx'
import { isSuspended } from '../ui/suspension.tsx'
import { CHANNEL_NAMES, ContactList, hasChannels } from './contact.tsx'
import { type PersonDetail, personPath } from './view-models.ts'

interface PanelProps {
  context: PageContext
  person: PersonDetail
  /** The channels, where the account has unlocked them. */
  contact: UnlockedContact | undefined
  /** What the button came to. */
  outcome: RevealOutcome | undefined
}

/** The channels: what they say where they are unlocked, else which are on file. */
export function ContactPanel({ context, person, contact, outcome }: PanelProps) {
  return (
    <aside class="panel" aria-labelledby="channels">
      <h2 id="channels">Contact</h2>
      {outcome ? <Outcome outcome={outcome} context={context} /> : null}
      {contact ? (
        <>
          <ContactList contact={contact} />
          <p class="note">
            Your account has unlocked this contact: seeing it again here is free.{' '}
            <a href={context.href('/contacts')}>My contacts</a>
          </p>
        </>
      ) : (
        <Locked context={context} person={person} />
      )}
      <p class="note">
        <a href={context.href(`/privacy?person=${person.slug ?? person.id}`)}>Is this you?</a> See
        what is held about you, have it corrected, or have yourself removed.
      </p>
    </aside>
  )
}

function Locked({ context, person }: Pick<PanelProps, 'context' | 'person'>) {
  const call = ENDPOINTS.person.path.replace(':id', person.slug ?? person.id)
  return (
    <>
      <ul class="channels">
        {Object.values(CHANNEL_NAMES).map(({ flag, label }) => (
          <li class={person[flag] ? 'known' : 'unknown'}>
            {label} <span>{person[flag] ? 'on file' : 'not on file'}</span>
          </li>
        ))}
      </ul>
      {isSuspended(context) ? (
        <p class="note">
          The account is suspended: nothing is revealed, and what it has unlocked is shown again
          afterwards.
        </p>
      ) : hasChannels(person) ? (
        <>
          <p class="note">
            {context.session
              ? 'Once revealed, a contact stays unlocked for your account.'
              : `A new account gets credits for a trial of ${TRIAL_DAYS} days; no card is needed.`}
          </p>
          <h3>By API</h3>
          <Curl url={`${context.site.baseUrl}${call}?include=private`} />
        </>
      ) : (
        <p class="note">There is nothing to reveal.</p>
      )}
    </>
  )
}

/** Reveals the contact at the price that it names. A stranger is led to the trial first, and back. Nothing where no channel is on file, and for a suspended account. */
export function RevealButton({ context, person }: Pick<PanelProps, 'context' | 'person'>) {
  if (!hasChannels(person) || isSuspended(context)) return null
  const path = personPath(person)
  const label = (
    <>
      Reveal contact <span class="price">{REVEAL_CREDITS} credits</span>
    </>
  )
  if (!context.session) {
    return (
      <a class="button" href={context.href(withReturnUrl('/sign-up', path))}>
        {label}
      </a>
    )
  }
  return (
    <Form context={context} action={path} class="inline">
      <IdempotencyField />
      <input type="hidden" name="price" value={String(REVEAL_CREDITS)} />
      <button class="button" type="submit">
        {label}
      </button>
    </Form>
  )
}
