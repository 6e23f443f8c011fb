/** @jsxImportSource hono/jsx */
/** Parts that profiles of people and companies share. */
import type { Static } from '@sinclair/typebox'
import { decode } from '../../contract/query.ts'
import type { twitterRisk } from '../../contract/schemas/companies.ts'
import type { Person } from '../../directory/records/person.ts'
import type { Contacts } from '../../money/accounts/unlocks.ts'
import type { PageContext } from '../http/page.ts'
import { PageError } from '../http/page-error.ts'
import { ExternalLink } from '../ui/badges.tsx'
import { figure } from '../ui/text.tsx'
import { PersonRow } from './rows.tsx'
import { isSelectable, SelectionForm } from './selection.tsx'
import { memberRecord } from './view-models.ts'

/** Returns the id or slug in a profile's path. @throws ApiError for bad encoding */
export function idOf({ id }: PageContext): string {
  return decode(id.replaceAll('+', '%2B'), 'the address').toLowerCase()
}

/** True if the URL has an id or slug of a record that was merged into this one. */
export function isOldAddress(context: PageContext, record: { id: string; slug: string | null }) {
  const requested = idOf(context)
  return requested !== record.id && requested !== record.slug
}

export function recordNotFound(what: string): PageError {
  return new PageError(
    404,
    `There is no such ${what}`,
    'It may have been renamed or merged with another. A search finds it under its new name.',
  )
}

/** Link to a handle on X, without its @ in records. */
export function Handle({ handle }: { handle: string }) {
  return <ExternalLink href={`https://x.com/${encodeURIComponent(handle)}`}>@{handle}</ExternalLink>
}

/** People on a page; the API lists all. */
const PEOPLE_SHOWN = 60
/** People shown before the others are unfolded. */
const PEOPLE_FIRST = 8

interface PeopleProps {
  people: readonly Person[]
  context: PageContext
  contacts: Contacts
}

export function People({ people, context, contacts }: PeopleProps) {
  // Unlocked contacts come first and are all shown.
  const sorted = people.toSorted((a, b) => Number(contacts.has(b.id)) - Number(contacts.has(a.id)))
  const unlocked = people.filter(({ id }) => contacts.has(id)).length
  const shown = sorted.slice(0, Math.max(PEOPLE_SHOWN, unlocked)).map(memberRecord)
  const rest = people.length - shown.length
  // A single hidden row would need as much room as the button.
  const first = Math.max(shown.length <= PEOPLE_FIRST + 1 ? shown.length : PEOPLE_FIRST, unlocked)
  const hidden = shown.slice(first)
  const rows = (of: typeof shown) => (
    <ul class="rows compact">
      {of.map((person) => (
        <PersonRow
          person={person}
          context={context}
          contact={contacts.get(person.id)}
          hasBox={isSelectable(context, person)}
        />
      ))}
    </ul>
  )
  const isAnyoneSelectable = shown.some((person) => isSelectable(context, person))
  return (
    <>
      {isAnyoneSelectable ? <SelectionForm context={context} /> : null}
      {rows(shown.slice(0, first))}
      {hidden.length > 0 ? (
        <details class="others">
          <summary>Show {figure(hidden.length)} more</summary>
          {rows(hidden)}
        </details>
      ) : null}
      {rest > 0 ? <p class="note">And {figure(rest)} more, which the API lists.</p> : null}
    </>
  )
}

export function Risk({ risk }: { risk: Static<typeof twitterRisk> | null }) {
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
