/** @jsxImportSource hono/jsx */
/** A contact that the account has revealed, as My contacts shows it. */
import type { KeptContact } from '../../../people/contacts/contacts.ts'
import type { SignedInContext } from '../../http/page.ts'
import { ContactLines } from '../../profiles/contact.tsx'
import {
  companyPath,
  nameOf,
  type PersonRecord,
  personPath,
  personRecord,
} from '../../profiles/view-models.ts'
import { Badge, Monogram } from '../../ui/badges.tsx'
import { isSuspended } from '../../ui/suspension.tsx'
import { Day, plural, shortened } from '../../ui/text.tsx'

/** Characters of a note, and tags, that a row shows: the note's page has all. */
const NOTE_SHOWN = 300
const TAGS_SHOWN = 5

/** The record of a contact; null where it is gone, for PostgreSQL or already for this instance. A suspended account has no channel of anybody. */
export function recordOf(context: SignedInContext, contact: KeptContact): PersonRecord | null {
  const isThere = contact.channels !== null || isSuspended(context)
  const person = isThere ? context.directory.person(contact.id) : undefined
  return person ? personRecord(person) : null
}

export function ContactRow({
  contact,
  context,
}: {
  contact: KeptContact
  context: SignedInContext
}) {
  const { href } = context
  const { id, at, channels, note, tags } = contact
  const person = recordOf(context, contact)
  const name = person ? nameOf(person) : 'No longer in the directory'
  return (
    <li class="row kept">
      <Monogram name={person ? name : '?'} picture={person ? context.picture(person) : undefined} />
      <div class="what">
        {person ? (
          <a class="name" href={href(personPath(person))}>
            {name}
          </a>
        ) : (
          <span class="quiet">{name}</span>
        )}
        {person && (person.jobTitle || person.company) ? (
          <p class="position">
            <bdi>{person.jobTitle}</bdi>
            {person.jobTitle && person.company ? ' · ' : ''}
            {person.company ? (
              <a href={href(companyPath(person.company))}>{person.company.name}</a>
            ) : null}
          </p>
        ) : null}
        {person && channels ? <ContactLines contact={channels} /> : null}
        {note === '' ? null : <p class="kept-note">{shortened(note, NOTE_SHOWN)}</p>}
      </div>
      <div class="marks">
        {tags.slice(0, TAGS_SHOWN).map((tag) => (
          <a href={href(`/contacts?${new URLSearchParams({ tag })}`)} aria-label={`Tag: ${tag}`}>
            <Badge tone="accent">{tag}</Badge>
          </a>
        ))}
        {tags.length > TAGS_SHOWN ? (
          <span class="quiet">{plural(tags.length - TAGS_SHOWN, 'more tag', 'more tags')}</span>
        ) : null}
        <span class="quiet">
          Revealed <Day at={at} />
        </span>
        <a href={href(`/contacts/note?id=${id}`)} aria-label={`Note and tags: ${name}`}>
          Note and tags
        </a>
      </div>
    </li>
  )
}
