/** @jsxImportSource hono/jsx */
/** The account's views above one of the directory's lists, and what keeps the one that is shown. */

import type { ListName } from '../../../contract/vocabulary.ts'
import { type SavedView, viewsOf } from '../../../people/contacts/saved-views.ts'
import type { Child } from '../../http/html.ts'
import { isSignedIn, type PageContext } from '../../http/page.ts'
import { LIST_PARAMETERS } from '../../profiles/listed.ts'
import { parameterLabel, queryOf } from '../../ui/list-query.ts'
import { Notice } from '../../ui/page-parts.tsx'
import { figure, shortName } from '../../ui/text.tsx'
import { openedView, viewQuery } from './opened-view.ts'

/** Named above a list, at most: the page of lists has all. */
const NAMED = 12

/**
 * What stands above a list; null for a stranger.
 * @param values what the list's address says @throws DatabaseUnavailable
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
  const open = views.find(({ id }) => id === values.view)
  // The open one is named even where there are too many for all.
  const named = [...new Set([...(open ? [open] : []), ...views])].slice(0, NAMED)
  const isAsSaved = open !== undefined && open.query === query
  if (views.length === 0 && query === '') return null
  const sent = queryOf(LIST_PARAMETERS[list], {
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
          <a class="save" href={href(`/views/new/${list}`) + sent}>
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

/** Says what of the view the list doesn't take any more. */
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
