/** @jsxImportSource hono/jsx */
/** A word about what just happened, read out when the page comes. */
import type { Child, Html } from '../http/html.ts'

export function Notice({
  tone,
  children,
}: {
  tone: 'good' | 'warn' | 'bad'
  children?: Child
}): Html {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <p>{children}</p>
    </div>
  )
}
