/** @jsxImportSource hono/jsx */
/** What profiles are made of. */
import type { Static } from '@sinclair/typebox'
import type { WebOutcome } from '../../accounts/web-calls.ts'
import { decode } from '../../contract/query.ts'
import type { twitterRisk } from '../../contract/schemas/companies.ts'
import type { UnlockedContact } from '../../metering/meter.ts'
import { type Member, memberRecord } from '../directory/view-models.ts'
import type { Child, Html } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { ExternalLink } from './badges.tsx'
import { PersonRow } from './rows.tsx'
import { figure } from './text.tsx'

/** The id or slug of a profile's path. @throws ApiError for bad encoding */
export function idOf({ id }: PageContext): string {
  return decode(id.replaceAll('+', '%2B'), 'the address').toLowerCase()
}

/** What a profile throws where there is no such record. */
export function recordNotFound(what: string): PageError {
  return new PageError(
    404,
    `There is no such ${what} here`,
    'It may have been renamed or merged with another. A search finds it under its new name.',
  )
}

export interface Fact {
  name: string
  /** Nothing is shown of a fact whose value is null or empty. */
  value: Child
}

export function Facts({ facts }: { facts: readonly Fact[] }): Html {
  const known = facts.filter(({ value }) => value !== null && value !== undefined && value !== '')
  return (
    <dl class="facts">
      {known.map(({ name, value }) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A handle on X, which records hold without its @. */
export function Handle({ handle }: { handle: string }): Html {
  return <ExternalLink href={`https://x.com/${encodeURIComponent(handle)}`}>@{handle}</ExternalLink>
}

/** People shown on a page; the API has them all. */
const PEOPLE_SHOWN = 60

/** The contacts that an answer shows the channels of, by their ids. */
export type Contacts = ReadonlyMap<string, UnlockedContact>

/** Of a call that was charged; undefined where nothing was bought. */
export function contactsOf(outcome: WebOutcome | undefined): Contacts | undefined {
  if (outcome?.outcome !== 'charged') return undefined
  return new Map(outcome.unlocked.map((contact) => [contact.id, contact]))
}

interface PeopleProps {
  people: readonly Member[]
  context: PageContext
  contacts?: Contacts | undefined
}

/** Team members or coworkers. */
export function People({ people, context, contacts }: PeopleProps): Html {
  // Whose channels were paid for comes first, so that nobody pays for what is cut off.
  const sorted = contacts
    ? people.toSorted((a, b) => Number(contacts.has(b.id)) - Number(contacts.has(a.id)))
    : people
  const most = Math.max(PEOPLE_SHOWN, contacts?.size ?? 0)
  const shown = sorted.slice(0, most).map(memberRecord)
  const rest = people.length - shown.length
  return (
    <>
      <ul class="rows compact">
        {shown.map((person) => (
          <PersonRow person={person} context={context} contact={contacts?.get(person.id)} />
        ))}
      </ul>
      {rest > 0 ? <p class="note">And {figure(rest)} more, which the API lists.</p> : null}
    </>
  )
}

/** What speaks against trusting an X account. */
export function Risk({ risk }: { risk: Static<typeof twitterRisk> | null }): Html | null {
  if (!risk || risk.level === 'low') return null
  return (
    <aside class={`notice ${risk.level === 'high' ? 'bad' : 'warn'}`}>
      <p>
        <strong>Its X account carries a {risk.level} risk</strong>
        {risk.reasons.length > 0 ? `: ${risk.reasons.join(', ')}.` : '.'}
      </p>
    </aside>
  )
}
