/** @jsxImportSource hono/jsx */
/** Pages of the account and of signing in: a heading and a body that search engines don't index. */
import type { Html } from '../http/html.ts'
import type { Page } from '../http/page.ts'

/** @param page its `title` is the heading too, unless there is another one. */
export function personalPage(
  { heading, ...page }: Omit<Page, 'main'> & { heading?: string },
  body: Html,
): Page {
  return {
    ...page,
    isUnlisted: true,
    main: (
      <>
        <h1>{heading ?? page.title}</h1>
        {body}
      </>
    ),
  }
}
