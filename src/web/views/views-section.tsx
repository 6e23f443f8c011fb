/** @jsxImportSource hono/jsx */
/** All views of the account, on the page of its lists. */
import { viewsOf } from '../../contacts/saved-views.ts'
import { Section } from '../components/page-parts.tsx'
import { humanize } from '../components/text.tsx'
import type { SignedInContext } from '../http/page.ts'

export async function ViewsSection({ context }: { context: SignedInContext }) {
  const { application, session, href } = context
  const views = await viewsOf(application.database, session.account.id)
  return (
    <Section id="views" title="Views">
      {views.length === 0 ? (
        <p>
          No view yet. Filter or sort <a href={href('/people')}>people</a> or{' '}
          <a href={href('/projects')}>companies</a>, and press “Save this view” above the list.
        </p>
      ) : (
        <ul class="rows compact">
          {views.map(({ id, list, name }) => (
            <li class="row">
              <div class="what">
                <a class="name" href={href(`/views/${id}`)}>
                  {name}
                </a>{' '}
                <span class="quiet">{humanize(list)}</span>
              </div>
              <div class="marks">
                <a href={href(`/views/change?id=${id}`)} aria-label={`Rename or delete ${name}`}>
                  Rename or delete
                </a>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
