/** @jsxImportSource hono/jsx */
/** All views of the account, on the page of its lists. */
import type { SavedView } from '../../../people/contacts/saved-views.ts'
import type { SignedInContext } from '../../http/page.ts'
import { Section } from '../../ui/page-parts.tsx'
import { Pager } from '../../ui/pager.tsx'
import { humanize, shortName } from '../../ui/text.tsx'

interface ViewsSectionProps {
  context: SignedInContext
  views: readonly SavedView[]
  /** Views on a page. */
  shown: number
  page: number
  pageHref: (page: number) => string
}

export function ViewsSection({ context, views, shown, page, pageHref }: ViewsSectionProps) {
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
