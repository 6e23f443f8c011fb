/** @jsxImportSource hono/jsx */
/** Recovery codes, on the only page that shows them: the answer to the form that made them. */

import type { Page, SignedInContext } from '../../http/page.ts'
import { QuietLink } from '../../ui/actions.tsx'
import { Code, Notice, personalPage } from '../../ui/page-parts.tsx'

export function recoveryCodesPage(
  context: SignedInContext,
  title: string,
  codes: readonly string[],
): Page {
  const { serviceName, appUrl } = context.site
  const text = `Recovery codes of ${context.session.user.email} at ${serviceName} (${appUrl})\nEach works once.\n\n${codes.join('\n')}\n`
  return personalPage(
    { title },
    <div data-shown-once>
      <Notice tone="warn">
        These are your recovery codes. This page shows them once: copy, download or print them now,
        and keep them where you don’t keep your phone.
      </Notice>
      <Code isCommand text={codes.join('\n')} />
      <p>Each of them works once in place of a code of your app.</p>
      <p class="actions">
        {/* The file is in the link itself, so that nothing keeps the codes and no script is needed. */}
        <a
          class="button"
          download="recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
        >
          Download as text
        </a>
        <QuietLink href={context.href('/settings/two-step')}>Done</QuietLink>
      </p>
    </div>,
  )
}
