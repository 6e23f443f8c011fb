/** @jsxImportSource hono/jsx */
/** `/search/suggestions`: what the box of the header shows while one types, as options that the script puts below it. */
import { SEARCH_PARAMETERS } from '../../../contract/parameters.ts'
import { partOf } from '../../frame/send-page.ts'
import type { PageContext, Route } from '../../http/page.ts'
import { FoundOption } from '../../profiles/found.tsx'
import { ofOneMoment } from '../../profiles/one-moment.ts'
import { valuesOf } from '../../ui/list-query.ts'

const PARAMETERS = { q: SEARCH_PARAMETERS.q } as const

/** Six times as many are on a page of a list. */
const SHOWN = 8
/** So long a browser may show them again, in seconds: who takes letters back has seen them. */
const KEPT_S = 60

/** @throws ApiError without `q`, and for other parameters */
async function suggestions(context: PageContext): Promise<Response> {
  const { directory } = context
  const { q } = valuesOf(PARAMETERS, context.query)
  const asked = { q, page: 1, limit: SHOWN }
  const { found, total } = await ofOneMoment(directory, () => directory.find(asked))
  return partOf(
    <div data-total={total}>
      {found.map((it) => (
        <FoundOption found={it} context={context} />
      ))}
    </div>,
    `private, max-age=${KEPT_S}`,
  )
}

export const suggestionsRoute: Route = {
  path: '/search/suggestions',
  get: suggestions,
  isRateLimited: 'suggestions',
}
