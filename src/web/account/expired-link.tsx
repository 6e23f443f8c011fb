/** @jsxImportSource hono/jsx */
/** The answer to a link of a mail that was used already, is too old or never existed. */
import { Notice } from '../components/notice.tsx'
import { personalPage } from '../components/personal-page.tsx'
import type { Page, PageContext } from '../http/page.ts'

/** @param text how long such links work. @param to where to get another one */
export function expiredLinkPage(
  context: PageContext,
  { text, to, label }: { text: string; to: string; label: string },
): Page {
  return personalPage(
    { title: 'This link has expired or was used already', status: 422 },
    <>
      <Notice tone="bad">Nothing was changed. {text}</Notice>
      <p class="actions">
        <a class="button" href={context.href(to)}>
          {label}
        </a>
      </p>
    </>,
  )
}
