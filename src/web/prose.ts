/** Text of the code's tables as HTML. */
import { html } from 'hono/html'

/** Markup that is safe to send: everything put into it was escaped. */
export type Html = ReturnType<typeof html>

/** Escaped text in which `backticks` set code, as the tables of errors and prices write it. */
export function prose(text: string): Html[] {
  return text
    .split('`')
    .map((part, position) => (position % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

const format = new Intl.NumberFormat('en-US')

/** 3,000 for 3000. */
export function figure(value: number): string {
  return format.format(value)
}
