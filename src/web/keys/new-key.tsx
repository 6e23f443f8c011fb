/** @jsxImportSource hono/jsx */
/** The page that shows a new key, once, and a first call with it. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { Code } from '../components/code.tsx'
import { shownOncePage } from '../components/shown-once.tsx'
import type { Page, SignedInContext } from '../http/page.ts'

/** @param note what happens to the key that this one replaces */
export function newKeyPage(
  context: SignedInContext,
  heading: string,
  key: string,
  note = '',
): Page {
  const url = `${context.site.baseUrl}${ENDPOINTS.search.path}?q=capital&limit=3`
  const warning = `Copy the key now and store it safely: it is not shown again. ${note}`.trim()
  return shownOncePage(
    context,
    { title: 'Your new API key', heading, warning, secret: key, next: '/keys' },
    <>
      <h2>A first call</h2>
      <p>
        Paste this into a terminal. It costs {ENDPOINTS.search.credits} credits, as its answer says.
      </p>
      <Code isCommand text={`curl -H "Authorization: Bearer ${key}" \\\n  "${url}"`} />
    </>,
  )
}
