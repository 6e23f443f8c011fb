/** @jsxImportSource hono/jsx */
/**
 * `/lists`: the lists and the views that the account keeps, for everybody who acts for it. `/lists/add?ids=` puts records on a list;
 * `/lists/rename`, `/lists/delete` and `/lists/remove` change one. Each asks first.
 */
import type { Parameters } from '../../../contract/query.ts'
import { uuidOf } from '../../../database/uuid.ts'
import {
  addToList,
  deleteList,
  keepList,
  listNamesOf,
  listsOf,
  MAX_ENTRIES,
  MAX_LISTS,
  removeFromList,
  removeGone,
  renameList,
} from '../../../people/contacts/record-lists.ts'
import { type SavedView, viewsOf } from '../../../people/contacts/saved-views.ts'
import { FieldError, MAX_NAME } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  changeAction,
  type FormErrors,
  fieldText,
  notFound,
  withFormErrors,
} from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { nobodySelected, selectedIds } from '../../profiles/selection.tsx'
import { companyPath, nameOf, personPath, personRecord } from '../../profiles/view-models.ts'
import { Confirmation, QuietLink, Submit } from '../../ui/actions.tsx'
import { Field, Form, Select } from '../../ui/form.tsx'
import { knownValuesOf, queryOf } from '../../ui/list-query.ts'
import { Flash, personalPage, Section } from '../../ui/page-parts.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Day, figure, humanize, plural, shortName } from '../../ui/text.tsx'
import { idsOf, keptList, keptRecords } from './list.tsx'

const MESSAGES = {
  deleted: 'The list is deleted.',
  view: 'The view is saved.',
  'view-deleted': 'The view is deleted.',
}

/** Lists and views on a page, to stay below 60 KB with the longest names. */
const SHOWN = 20

/** Lists up to which the form is in sight without a link. */
const FEW = 5

const NUMBER = { kind: 'integer', default: 1, min: 1, max: 1_000 } as const
const PARAMETERS = {
  page: { ...NUMBER, description: 'Page of the lists.' },
  views: { ...NUMBER, description: 'Page of the views.' },
} as const satisfies Parameters

export async function listsPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session, href } = context
  const values = knownValuesOf(PARAMETERS, context.query)
  const pageRequest = { page: values.page, size: SHOWN }
  const { database } = application
  const { id: account } = session.account
  const [{ total, page, lists }, views] = await Promise.all([
    listsOf(database, account, pageRequest),
    viewsOf(database, account),
  ])
  const address = (changes: Partial<typeof values>) =>
    href('/lists') + queryOf(PARAMETERS, { ...values, page, ...changes })
  return personalPage(
    { title: 'Lists' },
    <>
      <p class="lead">
        People and companies that your account keeps. Everybody who acts for it sees and changes the
        same lists.
      </p>
      {lists.length > FEW ? (
        <p class="actions">
          <QuietLink href="#new">New list</QuietLink>
          {views.length > 0 ? <QuietLink href="#views">Views</QuietLink> : null}
        </p>
      ) : null}
      <Flash context={context} messages={MESSAGES} />
      {total === 0 ? (
        <p class="empty">
          No list yet. Make one here, or press “Add to list” on a profile or above selected rows.
        </p>
      ) : (
        <Rows lists={lists} href={href} />
      )}
      <Pager
        page={page}
        totalPages={Math.ceil(total / SHOWN)}
        label="Pages of lists"
        href={(number) => address({ page: number })}
      />
      <Section id="new" title="New list">
        <Form context={context} action="/lists">
          <Field
            name="name"
            label="Name"
            autocomplete="off"
            maxlength={MAX_NAME}
            hint={`An account has at most ${MAX_LISTS} lists, each of ${figure(MAX_ENTRIES)} records.`}
            errors={errors}
          />
          <Submit>Create list</Submit>
        </Form>
      </Section>
      <ViewsSection
        context={context}
        views={views}
        shown={SHOWN}
        page={values.views}
        pageHref={(number) => `${address({ views: number })}#views`}
      />
    </>,
  )
}

interface RowsProps {
  lists: Awaited<ReturnType<typeof listsOf>>['lists']
  href: SignedInContext['href']
}

function Rows({ lists, href }: RowsProps) {
  return (
    <ul class="rows">
      {lists.map(({ id, name, createdAt, entries }) => (
        <li class="row">
          <div class="what">
            <a class="name" href={href(`/lists/${id}`)}>
              {name}
            </a>
            <p>
              {plural(entries, 'record', 'records')}, since <Day at={createdAt} />
            </p>
          </div>
          <div class="marks">
            <a href={href(`/lists/rename?id=${id}`)} aria-label={`Rename ${shortName(name)}`}>
              Rename
            </a>{' '}
            <a href={href(`/lists/delete?id=${id}`)} aria-label={`Delete ${shortName(name)}`}>
              Delete
            </a>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Creates a list, or opens the one with this name. */
export function makeList(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  const again = (errors: FormErrors) => listsPage(context, errors)
  return withFormErrors(form, again, async () => {
    const id = await keepList(application.database, session.account.id, fieldText(form, 'name'))
    return redirect(href(`/lists/${id}`))
  })
}

interface ViewsSectionProps {
  context: SignedInContext
  views: readonly SavedView[]
  shown: number
  page: number
  pageHref: (page: number) => string
}

function ViewsSection({ context, views, shown, page, pageHref }: ViewsSectionProps) {
  const { href } = context
  const pages = Math.ceil(views.length / shown)
  const at = Math.min(page, Math.max(pages, 1))
  return (
    <Section id="views" title="Views">
      {views.length === 0 ? (
        <p>
          No view yet. Filter or sort <a href={href('/people')}>people</a> or{' '}
          <a href={href('/projects')}>companies</a>, and press “Save this view” above the list.
        </p>
      ) : (
        <ul class="rows compact">
          {views.slice((at - 1) * shown, at * shown).map(({ id, list, name }) => (
            <li class="row">
              <div class="what">
                <a class="name" href={href(`/views/${id}`)}>
                  {name}
                </a>{' '}
                <span class="quiet">{humanize(list)}</span>
              </div>
              <div class="marks">
                <a
                  href={href(`/views/change?id=${id}`)}
                  aria-label={`Rename or delete ${shortName(name)}`}
                >
                  Rename or delete
                </a>
              </div>
            </li>
          ))}
        </ul>
      )}
      <Pager page={at} totalPages={pages} label="Pages of views" href={pageHref} />
    </Section>
  )
}

const parameterOf = ({ query }: SignedInContext, name: string) =>
  new URLSearchParams(query).get(name) ?? ''

export const renameListPage = (context: SignedInContext): Promise<Page> =>
  renameForm(context, parameterOf(context, 'id'))

async function renameForm(context: SignedInContext, id: string, errors?: FormErrors) {
  const { name } = await keptList(context, id)
  return personalPage(
    { title: 'Rename a list', heading: `Rename “${name}”` },
    <Form context={context} action="/lists/rename">
      <input type="hidden" name="id" value={id} />
      <Field
        name="name"
        label="Name"
        value={name}
        autocomplete="off"
        maxlength={MAX_NAME}
        isFirst
        errors={errors}
      />
      <p class="actions">
        <Submit>Rename</Submit>
        <QuietLink href={context.href(`/lists/${id}`)}>Cancel</QuietLink>
      </p>
    </Form>,
  )
}

export function renameKeptList(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  const id = fieldText(form, 'id')
  const again = (errors: FormErrors) => renameForm(context, id, errors)
  return withFormErrors(form, again, async () => {
    const { database } = application
    if (!(await renameList(database, session.account.id, id, fieldText(form, 'name'))))
      throw notFound('list')
    return redirect(href(`/lists/${id}?said=renamed`))
  })
}

export async function deleteListPage(context: SignedInContext): Promise<Page> {
  const id = parameterOf(context, 'id')
  const { name, entries } = await keptList(context, id)
  return personalPage(
    { title: 'Delete a list', heading: `Delete “${name}”?` },
    <>
      <p class="lead">
        The list of {plural(entries.length, 'record', 'records')} is deleted for everybody who acts
        for your account, and can’t be restored. Its records stay in the directory, and contacts
        that you have revealed stay in My contacts.
      </p>
      <Confirmation context={context} action="/lists/delete" id={id} label="Delete the list" />
    </>,
  )
}

export const deleteKeptList = changeAction(
  (database, { account }, id) => deleteList(database, account.id, id),
  { what: 'list', next: '/lists?said=deleted' },
)

/** Removes the selected records, or with `gone` those that the directory no longer has. */
export async function removePage(context: SignedInContext): Promise<Page> {
  const parameters = new URLSearchParams(context.query)
  const list = await keptRecords(context, parameterOf(context, 'list'))
  const listed = new Set(idsOf(list))
  // Boxes ticked on other pages may belong to records that are not on this list.
  const ids = parameters.has('gone')
    ? []
    : selectedIds(parameters, 'These can’t be removed at once').filter((id) => listed.has(id))
  if (ids.length === 0 && !parameters.has('gone')) throw nobodySelected('remove')
  const count = parameters.has('gone') ? list.gone.length : ids.length
  return personalPage(
    { title: 'Remove from a list', heading: `Remove from “${list.name}”?` },
    <>
      <p class="lead">
        {plural(count, 'record is', 'records are')} removed from the list. Nothing else changes.
      </p>
      <RecordNames ids={ids} context={context} />
      <Form context={context} action="/lists/remove">
        <input type="hidden" name="list" value={list.id} />
        {parameters.has('gone') ? <input type="hidden" name="gone" value="yes" /> : null}
        {ids.map((id) => (
          <input type="hidden" name="ids" value={id} />
        ))}
        <p class="actions">
          <Submit>Remove</Submit>
          <QuietLink href={context.href(`/lists/${list.id}`)}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}

export async function removeRecords(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  const id = fieldText(form, 'list')
  const [database, accountId] = [application.database, session.account.id] as const
  // PostgreSQL decides which records are gone: this instance may not know a new record yet.
  const isDone = form.has('gone')
    ? await removeGone(database, accountId, id)
    : await removeFromList(
        database,
        accountId,
        id,
        selectedIds(form, 'These can’t be removed at once'),
      )
  if (!isDone) throw notFound('list')
  return redirect(href(`/lists/${id}?said=removed`))
}

const REFUSAL = 'These can’t be added at once'

export const addPage = (context: SignedInContext): Promise<Page> =>
  addForm(context, new URLSearchParams(context.query))

async function addForm(
  context: SignedInContext,
  sent: URLSearchParams,
  errors?: FormErrors,
): Promise<Page> {
  const ids = selectedIds(sent, REFUSAL)
  if (ids.length === 0) throw nobodySelected('add')
  const { application, session, href } = context
  // The list whose boxes were ticked contains them already.
  const lists = (await listNamesOf(application.database, session.account.id)).filter(
    ({ id }) => errors || id !== uuidOf(sent.get('list')),
  )
  return personalPage(
    { title: 'Add to a list', heading: `Add ${plural(ids.length, 'record', 'records')} to a list` },
    <>
      <RecordNames ids={ids} context={context} />
      <Form context={context} action="/lists/add">
        {ids.map((id) => (
          <input type="hidden" name="ids" value={id} />
        ))}
        {sent.has('from') ? <input type="hidden" name="from" value="profile" /> : null}
        {lists.length > 0 ? (
          <Select
            name="list"
            label="List"
            none="A new one"
            options={lists.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={errors?.form.get('list') ?? lists[0]?.id}
            errors={errors}
          />
        ) : null}
        <Field
          name="name"
          label="Name of a new list"
          autocomplete="off"
          maxlength={MAX_NAME}
          isOptional={lists.length > 0}
          hint={
            lists.length > 0 ? 'Fill this in to make a list, instead of the one above.' : undefined
          }
          errors={errors}
        />
        <p class="actions">
          <Submit>Add</Submit>
          <QuietLink href={href('/lists')}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}

export function addRecords(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, directory, href } = context
  const again = (errors: FormErrors) => addForm(context, form, errors)
  return withFormErrors(form, again, async () => {
    const ids = selectedIds(form, REFUSAL)
    if (ids.length === 0) throw nobodySelected('add')
    const { database } = application
    const accountId = session.account.id
    const [listId, name] = [fieldText(form, 'list'), fieldText(form, 'name')]
    if (listId === '' && name.trim() === '') {
      throw new FieldError('name', 'Choose a list, or name a new one.')
    }
    if (!ids.some((id) => directory.person(id) ?? directory.company(id))) throw notFound('record')
    const list = name.trim() === '' ? listId : await keepList(database, accountId, name)
    const added = await addToList(database, accountId, list, ids)
    if (!added) throw notFound('list')
    // Adding from a profile must not clear a selection made elsewhere.
    const notice = added.gone > 0 ? 'some' : form.has('from') ? 'one' : 'added'
    return redirect(href(`/lists/${list}?said=${notice}`))
  })
}

/** Records named; the others are counted. */
const NAMED = 20

function RecordNames({ ids, context }: { ids: readonly string[]; context: SignedInContext }) {
  if (ids.length === 0) return null
  return (
    <ul>
      {ids.slice(0, NAMED).map((id) => (
        <li>
          <RecordName id={id} context={context} />
        </li>
      ))}
      {ids.length > NAMED ? <li>and {figure(ids.length - NAMED)} more</li> : null}
    </ul>
  )
}

function RecordName({ id, context }: { id: string; context: SignedInContext }) {
  const { directory, href } = context
  const record = directory.person(id)
  if (record) {
    const person = personRecord(record)
    return <a href={href(personPath(person))}>{nameOf(person)}</a>
  }
  const company = directory.company(id)
  if (!company) return <span class="quiet">No longer in the directory</span>
  return <a href={href(companyPath(company))}>{company.name}</a>
}
