/** @jsxImportSource hono/jsx */
/** `/lists`: the lists and the views that the account keeps, for everybody who acts for it. */
import type { Parameters } from '../../../contract/query.ts'
import { keepList, listsOf, MAX_ENTRIES, MAX_LISTS } from '../../../people/contacts/record-lists.ts'
import { type SavedView, viewsOf } from '../../../people/contacts/saved-views.ts'
import { MAX_NAME } from '../../../people/users/validation.ts'
import type { Form as Fields } from '../../http/form.ts'
import { type FormErrors, fieldText, withFormErrors } from '../../http/form-errors.ts'
import { type Page, type Reply, redirect, type SignedInContext } from '../../http/page.ts'
import { QuietLink, Submit } from '../../ui/actions.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { knownValuesOf, queryOf } from '../../ui/list-query.ts'
import { Flash, personalPage, Section } from '../../ui/page-parts.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Day, figure, humanize, plural, shortName } from '../../ui/text.tsx'

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
