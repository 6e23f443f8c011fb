/** @jsxImportSource hono/jsx */
/** `/views/new/{list}`, which keeps a list's filters and order; `/views/change?id=`, which renames or deletes; `/views/{id}`, which opens. */

import type { ListName } from '../../../contract/vocabulary.ts'
import {
  deleteView,
  keepView,
  MAX_VIEWS,
  viewOf,
  viewsOf,
} from '../../../people/contacts/saved-views.ts'
import { MAX_NAME } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import {
  type FormErrors,
  fieldText,
  notFound,
  runAction,
  withFormErrors,
} from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { filterFacts } from '../../profiles/filter-facts.ts'
import { LIST_PARAMETERS } from '../../profiles/listed.ts'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field, Form, Select } from '../../ui/form.tsx'
import { valuesOf } from '../../ui/list-query.ts'
import { personalPage, Section } from '../../ui/page-parts.tsx'
import { humanize } from '../../ui/text.tsx'
import { isListName, openedView, viewPath, viewQuery } from './opened-view.ts'

/** The list of the path. @throws PageError 404 */
function listIn({ id }: SignedInContext): ListName {
  if (!isListName(id)) throw notFound('list')
  return id
}

export async function openView(context: SignedInContext): Promise<Reply> {
  const { application, session, id, href } = context
  const view = await viewOf(application.database, session.account.id, id)
  if (!view || !isListName(view.list)) throw notFound('view')
  return redirect(href(viewPath(view.list, view)))
}

export async function newViewPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session, href, query } = context
  const list = listIn(context)
  const values = valuesOf(LIST_PARAMETERS[list], query)
  const views = await viewsOf(application.database, session.account.id, list)
  const open = views.find(({ id }) => id === values.view)
  const kept = viewQuery(list, values)
  return personalPage(
    { title: 'Save a view', heading: `Save a view of ${list}` },
    <>
      <p class="lead">
        It keeps these filters and this order, for everybody who acts for your account.
      </p>
      <ViewFacts context={context} list={list} query={kept} />
      <Form context={context} action={`/views/new/${list}`}>
        <input type="hidden" name="query" value={kept} />
        <Field
          name="name"
          label="Name"
          value={open?.name}
          autocomplete="off"
          maxlength={MAX_NAME}
          hint={`An account has at most ${MAX_VIEWS} views.`}
          isFirst
          errors={errors}
        />
        {views.length > 0 ? (
          <Select
            name="replaced"
            label="Save as"
            none="A new view"
            options={views.map(({ id, name }) => ({ value: id, label: `Instead of ${name}` }))}
            chosen={errors ? fieldText(errors.form, 'replaced') : open?.id}
          />
        ) : null}
        <p class="actions">
          <Submit>Save the view</Submit>
          <QuietLink href={href(kept === '' ? `/${list}` : `/${list}?${kept}`)}>Cancel</QuietLink>
        </p>
      </Form>
    </>,
  )
}

export function saveView(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  const list = listIn(context)
  // As the list's page would read it, so that nothing else is kept.
  const query = viewQuery(list, openedView(list, { query: fieldText(form, 'query') }).values)
  const again = (errors: FormErrors) => newViewPage({ ...context, query }, errors)
  return withFormErrors(form, again, async () => {
    const view = { list, name: fieldText(form, 'name'), query }
    const { database } = application
    const id = await keepView(database, session.account.id, view, fieldText(form, 'replaced'))
    if (id === undefined) throw notFound('view')
    return redirect(href(viewPath(list, { id, query })))
  })
}

interface ViewFactsProps {
  context: SignedInContext
  list: ListName
  query: string
}

/** What a view says, in words. */
function ViewFacts({ context, list, query }: ViewFactsProps) {
  const facts = filterFacts(openedView(list, { query }).values, context.directory)
  return <Facts facts={[{ name: 'List', value: humanize(list) }, ...facts]} />
}

export async function changeViewPage(context: SignedInContext, errors?: FormErrors): Promise<Page> {
  const { application, session, href, query } = context
  const id = errors?.form.get('id') ?? new URLSearchParams(query).get('id') ?? ''
  const view = await viewOf(application.database, session.account.id, id)
  if (!view || !isListName(view.list)) throw notFound('view')
  return personalPage(
    { title: 'Change a view', heading: view.name },
    <>
      <ViewFacts context={context} list={view.list} query={view.query} />
      <Form context={context} action="/views/change">
        <input type="hidden" name="id" value={id} />
        <Field
          name="name"
          label="Name"
          value={view.name}
          autocomplete="off"
          maxlength={MAX_NAME}
          errors={errors}
        />
        <p class="actions">
          <Submit action="rename">Rename</Submit>
          <QuietLink href={href(`/views/${id}`)}>Open the view</QuietLink>
        </p>
      </Form>
      <Section id="delete" title="Delete this view">
        <Form context={context} action="/views/change">
          <input type="hidden" name="id" value={id} />
          <p>It is deleted for everybody who acts for your account. The list stays as it is.</p>
          <Submit action="delete" tone="danger">
            Delete the view
          </Submit>
        </Form>
      </Section>
    </>,
  )
}

export function changeView(context: SignedInContext, form: Fields): Promise<Reply> {
  const { database } = context.application
  const accountId = context.session.account.id
  const id = fieldText(form, 'id')
  const actions = {
    async rename() {
      const view = await viewOf(database, accountId, id)
      const name = fieldText(form, 'name')
      if (!view || !(await keepView(database, accountId, { ...view, name }, id)))
        throw notFound('view')
      return redirect(context.href('/lists?said=view#views'))
    },
    async delete() {
      if (!(await deleteView(database, accountId, id))) throw notFound('view')
      return redirect(context.href('/lists?said=view-deleted#views'))
    },
  }
  return runAction(actions, context, form, changeViewPage)
}
