/** @jsxImportSource hono/jsx */
/** The only page that shows a secret: the answer to the form that made it. */
import type { Child } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { Code } from './code.tsx'
import { Notice } from './notice.tsx'

/** @param next the path of the page after it */
export function shownOncePage(
  context: PageContext,
  {
    title,
    heading,
    warning,
    secret,
    next,
  }: Record<'title' | 'heading' | 'warning' | 'secret' | 'next', string>,
  details: Child,
): Page {
  return {
    title,
    isUnlisted: true,
    main: (
      <div data-shown-once>
        <h1>{heading}</h1>
        <Notice tone="warn">{warning}</Notice>
        <Code isCommand text={secret} />
        {details}
        <p class="actions">
          <a class="button quiet" href={context.href(next)}>
            Done
          </a>
        </p>
      </div>
    ),
  }
}
