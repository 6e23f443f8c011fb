/** @jsxImportSource hono/jsx */
/**
 * `/contacts`: people whom the account has revealed, with channels, notes and tags, free of charge; `/contacts/contacts.csv`
 * and `/contacts/note?id=`. All members of the account share them.
 */
import type { Parameters } from '../../../contract/query.ts'
import { CHANNELS } from '../../../contract/vocabulary.ts'
import { csvLine } from '../../../csv.ts'
import {
  type ContactFilter,
  type ContactNote,
  contactNoteOf,
  contactsAmong,
  contactsOf,
  idsOf,
  type KeptContact,
  MAX_NOTE,
  MAX_TAG,
  MAX_TAGS,
  type PageChoice,
  setContactNote,
  tagsOf,
} from '../../../people/contacts/contacts.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText, notFound, withFormErrors } from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { ownCsvFile } from '../../http/rights.ts'
import { CHANNEL_NAMES, ContactLines } from '../../profiles/contact.tsx'
import {
  companyPath,
  nameOf,
  type PersonRecord,
  personPath,
  personRecord,
} from '../../profiles/view-models.ts'
import { ButtonLink, QuietLink, Submit } from '../../ui/actions.tsx'
import { Badge, Monogram } from '../../ui/badges.tsx'
import { Field, Form, Labelled, SearchField, Select } from '../../ui/form.tsx'
import { queryOf, valuesOf } from '../../ui/list-query.ts'
import { Flash, personalPage } from '../../ui/page-parts.tsx'
import { Pager } from '../../ui/pager.tsx'
import { isSuspended } from '../../ui/suspension.tsx'
import { Day, figure, plural, shortened } from '../../ui/text.tsx'

/** Contacts on a page: on a phone the pager stays a few screens away. */
const SHOWN = 15
/** All contacts as one page. */
const WHOLE: PageChoice = { page: 1, size: 2 ** 31 - 1 }
/** Contacts that a file reads at once. */
const FILE_PAGE = 500
/** Contacts written to a file in one turn of the event loop. */
const FILE_PIECE = 25

const MESSAGES = { noted: 'Your note and tags are saved.' }

const PARAMETERS = {
  q: { kind: 'text', maxLength: 200, description: 'Words that the contact has.' },
  tag: { kind: 'text', maxLength: MAX_TAG, description: 'One of the account’s tags.' },
  channel: { kind: 'choice', choices: CHANNELS, description: 'A channel that is on file.' },
  said: { kind: 'text', maxLength: 20, description: 'What was done before.' },
  page: {
    kind: 'integer',
    default: 1,
    min: 1,
    max: 1_000_000,
    description: 'Page of the contacts, newest first.',
  },
} as const satisfies Parameters

export async function contactsPage(context: SignedInContext): Promise<Page> {
  const { application, directory, session, href } = context
  const values = valuesOf(PARAMETERS, context.query)
  const filter: ContactFilter = { q: values.q, tag: values.tag, channel: values.channel }
  const query = (changes: object) => queryOf(PARAMETERS, { ...filter, ...changes })
  const { id } = session.account
  const tags = await tagsOffered(context, filter)
  const pageRequest = { page: values.page, size: SHOWN }
  const { total, page, contacts } = await contactsOf(
    application.database,
    directory,
    id,
    filter,
    pageRequest,
  )
  const isFiltered = query({}) !== ''
  return personalPage(
    { title: 'My contacts', shape: 'wide' },
    <>
      <p class="lead">Everybody whom your account has revealed. Seeing them here costs nothing.</p>
      <Flash context={context} messages={MESSAGES} />
      {total === 0 && !isFiltered ? (
        <div class="empty">
          <p>No contacts yet. Contacts that you reveal appear here.</p>
          <p>
            <ButtonLink href={href('/people')}>Browse people</ButtonLink>
          </p>
        </div>
      ) : (
        <>
          <Filters context={context} filter={filter} tags={tags} />
          <p class="count" role="status">
            {total === 0 ? 'Nothing matches.' : <Range total={total} page={page} />}
          </p>
          {total === 0 ? (
            <p>
              <QuietLink href={href('/contacts')}>Clear all</QuietLink>
            </p>
          ) : (
            <>
              <ul class="rows">
                {contacts.map((contact) => (
                  <ContactRow contact={contact} context={context} />
                ))}
              </ul>
              <p class="note">
                <a href={href('/contacts/contacts.csv') + query({})} download>
                  Download {plural(total, 'contact', 'contacts')} as CSV
                </a>
              </p>
              <Pager
                page={page}
                totalPages={Math.ceil(total / SHOWN)}
                href={(number) => href('/contacts') + query({ page: number })}
              />
            </>
          )}
        </>
      )}
    </>,
  )
}

/** Tags to filter by, the selected one included. */
async function tagsOffered({ application, session }: SignedInContext, { tag }: ContactFilter) {
  const tags = await tagsOf(application.database, session.account.id)
  const isThere = tags.some((each) => each.toLowerCase() === tag?.toLowerCase())
  return tag === undefined || isThere ? tags : [...tags, tag]
}

interface FiltersProps {
  context: SignedInContext
  filter: ContactFilter
  tags: readonly string[]
}

function Filters({ context, filter, tags }: FiltersProps) {
  const used = tags.find((tag) => tag.toLowerCase() === filter.tag?.toLowerCase())
  return (
    <form class="filters" action={context.href('/contacts')}>
      <SearchField id="contacts-q" label="Name, company, note or tag" value={filter.q} />
      {tags.length === 0 ? null : (
        <Select
          name="tag"
          label="Tag"
          none="Any"
          options={tags.map((tag) => ({ value: tag, label: tag }))}
          chosen={used}
        />
      )}
      <Select
        name="channel"
        label="Channel"
        none="Any"
        options={CHANNELS.map((value) => ({ value, label: CHANNEL_NAMES[value].label }))}
        chosen={filter.channel}
      />
      <Submit>Show</Submit>
    </form>
  )
}

function Range({ total, page }: { total: number; page: number }) {
  const first = (page - 1) * SHOWN + 1
  return (
    <>
      {figure(first)} to {figure(Math.min(first + SHOWN - 1, total))} of{' '}
      <strong>{figure(total)}</strong>
    </>
  )
}

const COLUMNS = [
  ...['id', 'slug', 'firstName', 'lastName', 'jobTitle', 'company', 'companyName'],
  ...['twitterHandle', 'email', 'phone', 'telegram', 'linkedinUrl'],
  ...['note', 'tags', 'revealedAt'],
]

/** All matching contacts. People revealed while the file is sent are in the next file. */
export function contactsFile(context: SignedInContext): Reply {
  const { application, directory, session } = context
  const { database } = application
  const { id } = session.account
  const { q, tag, channel } = valuesOf(PARAMETERS, context.query)

  async function* lines() {
    yield csvLine(COLUMNS)
    // Finding all ids takes as long as finding a page of them.
    const { ids } = await idsOf(database, directory, id, { q, tag, channel }, WHOLE)
    for (let first = 0; first < ids.length; first += FILE_PAGE) {
      const contacts = await contactsAmong(database, id, ids.slice(first, first + FILE_PAGE))
      for (let from = 0; from < contacts.length; from += FILE_PIECE) {
        const piece = contacts.slice(from, from + FILE_PIECE)
        yield piece.map((contact) => lineOf(context, contact)).join('')
      }
    }
  }
  return ownCsvFile(context, 'contacts', lines())
}

function lineOf(context: SignedInContext, contact: KeptContact): string {
  const { id, at, channels, note, tags } = contact
  const person = recordOf(context, contact)
  // An erased person's channels must not be shown.
  const visible = person ? channels : null
  return csvLine([
    ...[id, person?.slug, person?.firstName, person?.lastName, person?.jobTitle],
    ...[person?.company?.slug, person?.company?.name, person?.twitterHandle],
    ...[visible?.email, visible?.phone, visible?.telegram, visible?.linkedinUrl],
    ...[note, tags.join('|'), at],
  ])
}

/** Characters of a note and number of tags in a row; the note's page shows all. */
const NOTE_SHOWN = 300
const TAGS_SHOWN = 5

/** Record of a contact; null if it was deleted. Null channels alone don't mean that: suspended accounts get none. */
export function recordOf(context: SignedInContext, contact: KeptContact): PersonRecord | null {
  const isThere = contact.channels !== null || isSuspended(context)
  const person = isThere ? context.directory.person(contact.id) : undefined
  return person ? personRecord(person) : null
}

function ContactRow({ contact, context }: { contact: KeptContact; context: SignedInContext }) {
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

export async function notePage(context: SignedInContext): Promise<Page> {
  return noteForm(context, new URLSearchParams(context.query).get('id') ?? '')
}

export function saveNote(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  const id = fieldText(form, 'id')
  const again = (errors: FormErrors) => noteForm(context, id, errors)
  return withFormErrors(form, again, async () => {
    const noted = { note: fieldText(form, 'note'), tags: fieldText(form, 'tags') }
    const isSaved = await setContactNote(application.database, session.account.id, id, noted)
    if (!isSaved) throw notFound('contact')
    return redirect(href('/contacts?said=noted'))
  })
}

async function noteForm(context: SignedInContext, id: string, errors?: FormErrors): Promise<Page> {
  const { application, session, directory } = context
  const noted = await contactNoteOf(application.database, session.account.id, id)
  if (!noted) throw notFound('contact')
  const person = directory.person(id)
  const name = person ? nameOf(personRecord(person)) : 'a deleted contact'
  return personalPage(
    { title: 'Note and tags', heading: `Note and tags: ${name}` },
    <>
      <p class="lead">Visible to everybody who acts for your account, and to nobody else.</p>
      <Form context={context} action="/contacts/note">
        <input type="hidden" name="id" value={id} />
        <NoteField noted={noted} errors={errors} />
        <Field
          name="tags"
          label="Tags"
          value={noted.tags.join(', ')}
          autocomplete="off"
          hint={`Up to ${MAX_TAGS} tags of ${MAX_TAG} characters, separated by commas.`}
          isOptional
          errors={errors}
        />
        <p class="actions">
          <Submit>Save</Submit>
          <QuietLink href={context.href('/contacts')}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}

function NoteField({ noted, errors }: { noted: ContactNote; errors: FormErrors | undefined }) {
  return (
    <Labelled
      name="note"
      label="Note"
      hint={`At most ${figure(MAX_NOTE)} characters.`}
      errors={errors}
    >
      {({ id, described }) => (
        <textarea id={id} name="note" rows={6} {...described}>
          {errors?.form.get('note') ?? noted.note}
        </textarea>
      )}
    </Labelled>
  )
}
