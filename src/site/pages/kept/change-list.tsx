/** @jsxImportSource hono/jsx */
/** `/lists/rename?id=`, `/lists/delete?id=` and `/lists/remove?list=&ids=`: each asks before it changes a list. */
import {
  deleteList,
  removeFromList,
  removeGone,
  renameList,
} from '../../../people/contacts/record-lists.ts'
import { MAX_NAME } from '../../../people/users/validation.ts'
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
import { Confirmation, QuietLink, Submit } from '../../ui/actions.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { personalPage } from '../../ui/page-parts.tsx'
import { plural } from '../../ui/text.tsx'
import { idsOf, keptList, keptRecords } from './kept-records.ts'
import { RecordNames } from './record-names.tsx'

const asked = ({ query }: SignedInContext, name: string) =>
  new URLSearchParams(query).get(name) ?? ''

export const renameListPage = (context: SignedInContext): Promise<Page> =>
  renameForm(context, asked(context, 'id'))

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
  const id = asked(context, 'id')
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

/** Of the records that boxes name; with `gone`, of those that are not in the directory any more. */
export async function removePage(context: SignedInContext): Promise<Page> {
  const parameters = new URLSearchParams(context.query)
  const list = await keptRecords(context, asked(context, 'list'))
  const kept = new Set(idsOf(list))
  // Boxes that were ticked on other pages may be of records that are not on it.
  const ids = parameters.has('gone')
    ? []
    : selectedIds(parameters, 'These can’t be removed at once').filter((id) => kept.has(id))
  if (ids.length === 0 && !parameters.has('gone')) throw nobodySelected('remove')
  const count = parameters.has('gone') ? list.gone.length : ids.length
  return personalPage(
    { title: 'Remove from a list', heading: `Remove from “${list.name}”?` },
    <>
      <p class="lead">
        {plural(count, 'record goes', 'records go')} off the list. Nothing else changes.
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
  // PostgreSQL says who is gone: this instance may not have heard yet of somebody who is new.
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
