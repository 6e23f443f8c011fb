/** @jsxImportSource hono/jsx */
/** Text of the code's tables and of records, as pages write it. */
import type { Html } from '../http/html.ts'

/** Text in which `backticks` set code, as the tables of errors, prices and parameters write it. */
export function Prose({ text }: { text: string }): Html {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>
}

const numbers = new Intl.NumberFormat('en-US')
const shortNumbers = new Intl.NumberFormat('en-US', { notation: 'compact' })
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** 3,000 for 3000. */
export function figure(value: number): string {
  return numbers.format(value)
}

/** 12K for 12345: where the order of magnitude is what matters. */
export function shortFigure(value: number): string {
  return shortNumbers.format(value)
}

/** $2.5M for 2500000. */
export function dollars(value: number): string {
  return `$${shortFigure(value)}`
}

/** A day in UTC. @param at ISO 8601 */
export function Day({ at }: { at: string }): Html {
  return <time datetime={at}>{formatDay(at)}</time>
}

/** A day in UTC as text. @param at ISO 8601 */
export function formatDay(at: string): string {
  return days.format(new Date(at))
}

const moments = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
})

/** A moment, to the second, in UTC. @param at ISO 8601 */
export function Moment({ at }: { at: string }): Html {
  return <time datetime={at}>{moments.format(new Date(at))}</time>
}

/** `one` of one, else `many`: "1 person", "1,000 people". */
export function plural(count: number, one: string, many: string): string {
  return `${figure(count)} ${count === 1 ? one : many}`
}

/** A value of a closed set as people read it: "Business development" for `business-development`. */
export function humanize(value: string): string {
  const text = value.replaceAll('-', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const WINDOWS: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 3600: 'an hour' }

/** A limit's window: "a minute" for 60. */
export function perWindow(seconds: number): string {
  return WINDOWS[seconds] ?? `in ${figure(seconds)} s`
}
