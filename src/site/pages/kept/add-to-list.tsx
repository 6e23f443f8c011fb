/** @jsxImportSource hono/jsx */
/** `/lists/add?ids=`: puts the selected records on a list, a new one if need be. Each is on it once, however often it is sent. */
import { addToList, keepList, listNamesOf } from '../../../people/contacts/record-lists.ts'
import { FieldError, MAX_NAME } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText, notFound, withFormErrors } from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { nobodySelected, selectedIds } from '../../profiles/selection.tsx'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { Field, Form, Select } from '../../ui/form.tsx'
import { personalPage } from '../../ui/page-parts.tsx'
import { plural } from '../../ui/text.tsx'
import { RecordNames } from './record-names.tsx'

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
  // That of which the boxes were ticked has them already.
  const lists = (await listNamesOf(application.database, session.account.id)).filter(
    ({ id }) => errors || id !== sent.get('list'),
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
    const [chosen, name] = [fieldText(form, 'list'), fieldText(form, 'name')]
    if (chosen === '' && name.trim() === '') {
      throw new FieldError('name', 'Choose a list, or name a new one.')
    }
    if (!ids.some((id) => directory.person(id) ?? directory.company(id))) throw notFound('record')
    const list = name.trim() === '' ? chosen : await keepList(database, accountId, name)
    const added = await addToList(database, accountId, list, ids)
    if (!added) throw notFound('list')
    // Who came from a profile may have others selected, who stay so.
    const said = added.gone > 0 ? 'some' : form.has('from') ? 'one' : 'added'
    return redirect(href(`/lists/${list}?said=${said}`))
  })
}
