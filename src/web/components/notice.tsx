/** @jsxImportSource hono/jsx */
/** Says what just happened; screen readers announce it when the page loads. */
import type { Child, Html } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'

interface NoticeProps {
  tone: 'good' | 'warn' | 'bad'
  children?: Child
}

export function Notice({ tone, children }: NoticeProps): Html {
  return (
    <div class={`notice ${tone}`} role={tone === 'good' ? 'status' : 'alert'}>
      <p>{children}</p>
    </div>
  )
}

/** The result of what was done before this page, by the parameter `said` of the redirect. */
export function Flash({
  context,
  messages,
}: {
  context: PageContext
  messages: Readonly<Record<string, string>>
}): Html | null {
  const said = messages[new URLSearchParams(context.query).get('said') ?? '']
  return said ? <Notice tone="good">{said}</Notice> : null
}
