/** @jsxImportSource hono/jsx */
/** Saved views: filters and order of a list under a name. `/views/new/{list}` saves one, `/views/change?id=` renames or deletes it, `/views/{id}` opens it. */

import { ApiError } from '../../../contract/errors.ts'
import type { ListName } from '../../../contract/vocabulary.ts'
import { uuidOf } from '../../../database/uuid.ts'
import {
  deleteView,
  keepView,
  MAX_VIEWS,
  type SavedView,
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
import type { Child } from '../../http/html.ts'
import {
  isSignedIn,
  type Page,
  type PageContext,
  type Reply,
  redirect,
  type SignedInContext,
} from '../../http/page.ts'
import { LIST_PARAMETERS } from '../../profiles/directory-lists.ts'
import { filterFacts } from '../../profiles/filter-facts.ts'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field, Form, Select } from '../../ui/form.tsx'
import { parameterLabel, queryOf, valuesOf } from '../../ui/list-query.ts'
import { Notice, personalPage, Section } from '../../ui/page-parts.tsx'
import { figure, humanize, shortName } from '../../ui/text.tsx'

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
  const open = views.find(({ id }) => id === uuidOf(values.view))
  const filters = viewQuery(list, values)
  return personalPage(
    { title: 'Save a view', heading: `Save a view of ${list}` },
    <>
      <p class="lead">
        It keeps these filters and this order, for everybody who acts for your account.
      </p>
      <ViewFacts context={context} list={list} query={filters} />
      <Form context={context} action={`/views/new/${list}`}>
        <input type="hidden" name="query" value={filters} />
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
          <QuietLink href={href(filters === '' ? `/${list}` : `/${list}?${filters}`)}>
            Cancel
          </QuietLink>
        </p>
      </Form>
    </>,
  )
}

export function saveView(context: SignedInContext, form: Fields): Promise<Reply> {
  const { application, session, href } = context
  const list = listIn(context)
  // Parsed as by the list's page, so that nothing else is stored.
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

/** Views named above a list. */
const NAMED = 12

/**
 * Links to the account's views, above a list; null for strangers.
 * @param values parameters of the list's URL @throws DatabaseUnavailable
 */
export async function viewLinks(
  context: PageContext,
  list: ListName,
  values: Readonly<Record<string, unknown>>,
): Promise<Child> {
  if (!isSignedIn(context)) return null
  const { application, session } = context
  const views = await viewsOf(application.database, session.account.id, list)
  return <ViewLinks context={context} list={list} values={values} views={views} />
}

interface ViewLinksProps {
  context: PageContext
  list: ListName
  values: Readonly<Record<string, unknown>>
  views: readonly SavedView[]
}

function ViewLinks({ context: { href }, list, values, views }: ViewLinksProps) {
  const query = viewQuery(list, values)
  const open = views.find(({ id }) => id === uuidOf(String(values.view)))
  // The open view is always named.
  const named = [...new Set([...(open ? [open] : []), ...views])].slice(0, NAMED)
  const isAsSaved = open !== undefined && open.query === query
  if (views.length === 0 && query === '') return null
  const address = queryOf(LIST_PARAMETERS[list], {
    ...openedView(list, { query }).values,
    view: open?.id,
  })
  return (
    <>
      <nav class="views" aria-label="Views">
        {views.length > 0 ? <span class="quiet">Views</span> : null}
        {named.map(({ id, name }) => (
          <a href={href(`/views/${id}`)} aria-current={id === open?.id ? 'true' : undefined}>
            {shortName(name)}
          </a>
        ))}
        {views.length > NAMED ? (
          <a class="all" href={href('/lists#views')}>
            All {figure(views.length)} views
          </a>
        ) : null}
        {query === '' || isAsSaved ? null : (
          <a class="save" href={href(`/views/new/${list}`) + address}>
            Save this view
          </a>
        )}
        {isAsSaved ? (
          <a class="save" href={href(`/views/change?id=${open.id}`)}>
            Rename or delete this view
          </a>
        ) : null}
      </nav>
      {open ? <Refused list={list} view={open} /> : null}
    </>
  )
}

/** Warning about values of the view that the list no longer accepts. */
function Refused({ list, view }: { list: ListName; view: SavedView }) {
  const { refused } = openedView(list, view)
  if (refused.length === 0) return null
  const words = refused.map(({ name, value }) => `${parameterLabel(name)}: ${value}`)
  return (
    <Notice tone="warn">
      The view “{view.name}” also asks for what this list doesn’t know any more, which is left out:{' '}
      {words.join('; ')}.
    </Notice>
  )
}

function isListName(name: string): name is ListName {
  return Object.hasOwn(LIST_PARAMETERS, name)
}

interface OpenedView {
  values: Readonly<Record<string, unknown>>
  /** Parameters with values that the list no longer accepts. */
  refused: { name: string; value: string }[]
}

/** Filters and order, without what only concerns paging. */
const filtersOf = (values: Readonly<Record<string, unknown>>) => ({
  ...values,
  page: undefined,
  limit: undefined,
  more: undefined,
  within: undefined,
  view: undefined,
})

/** Query string that a view stores; '' without filters and order. */
const viewQuery = (list: ListName, values: Readonly<Record<string, unknown>>): string =>
  queryOf(LIST_PARAMETERS[list], filtersOf(values)).slice(1)

function openedView(list: ListName, { query }: Pick<SavedView, 'query'>): OpenedView {
  const parameters = LIST_PARAMETERS[list]
  const pairs: string[] = []
  const refused: OpenedView['refused'] = []
  for (const [name, text] of new URLSearchParams(query)) {
    const isList = Object.entries(parameters).some(
      ([it, { kind }]) => it === name && kind === 'list',
    )
    for (const value of isList ? text.split(',') : [text]) {
      const pair = String(new URLSearchParams([[name, value]]))
      try {
        valuesOf(parameters, pair)
        pairs.push(pair)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        refused.push({ name, value })
      }
    }
  }
  return { values: filtersOf(valuesOf(parameters, pairs.join('&'))), refused }
}

/** Path of the list with the view's filters. */
function viewPath(list: ListName, { id, query }: Pick<SavedView, 'id' | 'query'>): string {
  const { values } = openedView(list, { query })
  return `/${list}${queryOf(LIST_PARAMETERS[list], { ...values, view: id })}`
}
