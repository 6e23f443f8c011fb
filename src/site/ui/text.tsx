/** @jsxImportSource hono/jsx */
/** Formats numbers, dates and words for pages. */

/** Text in which `backticks` mark code. */
export function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <InlineCode text={part} /> : part))}</>
}

/** Characters of code that fit in a line wherever they stand. */
const UNBROKEN_CHARACTERS = 26

/** Code within a line. What is short stays in one piece where a line could break: at hyphens, blanks and slashes. */
export function InlineCode({ text }: { text: string }) {
  const isUnbroken = text.length <= UNBROKEN_CHARACTERS && /[-\s/?]/.test(text)
  return <code class={isUnbroken ? 'unbroken' : undefined}>{text}</code>
}

const figures = new Intl.NumberFormat('en-US')

/** Formats 3000 as 3,000; what is below zero has a minus sign, not a hyphen. */
export const figure = (value: number): string => figures.format(value).replace('-', '−')

/** Formats 12345 as 12K. */
export const shortFigure: typeof figure = new Intl.NumberFormat('en-US', { notation: 'compact' })
  .format

const amounts = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** Formats 12500000 as $12.5M. */
export function dollars(value: number): string {
  return `$${amounts.format(value)}`
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** A day in UTC. @param at ISO 8601 */
export function Day({ at }: { at: string }) {
  return <time datetime={at}>{formatDay(at)}</time>
}

/** Formats a day in UTC. @param at ISO 8601, or milliseconds since the epoch */
export function formatDay(at: string | number): string {
  return days.format(new Date(at))
}

const months = new Intl.DateTimeFormat('en-GB', {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** Formats a month in UTC: "Mar 2024". @param at ISO 8601, or milliseconds since the epoch */
export function formatMonth(at: string | number): string {
  return months.format(new Date(at))
}

const moments = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
})

/** A moment, to the second, in UTC. @param at ISO 8601 */
export function Moment({ at }: { at: string }) {
  return <time datetime={at}>{moments.format(new Date(at))}</time>
}

/** Formats a count with its noun: "1 person", "1,000 people". */
export function plural(count: number, one: string, many: string): string {
  return `${figure(count)} ${count === 1 ? one : many}`
}

const lists = new Intl.ListFormat('en-GB')

/** Formats words as "a, b and c", at most so many of them: "a, b and 3 more". */
export function wordList(words: readonly string[], most: number): string {
  const rest = words.length - most
  return lists.format(rest > 0 ? [...words.slice(0, most), `${figure(rest)} more`] : words)
}

/** Formats a value of a closed set: `business-development` as "Business development". */
export function humanize(value: string): string {
  const text = value.replaceAll('-', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Formats a field's name: `operatorSince` as "Operator since". */
export const fieldWords = (field: string): string =>
  humanize(field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))

const WINDOWS: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 3600: 'an hour' }

/** Formats a limit's window: 60 as "a minute". */
export function perWindow(seconds: number): string {
  return WINDOWS[seconds] ?? `in ${figure(seconds)} s`
}

/** Characters of a name that an account gave, where many of them stand on a page or a screen reader tells them. */
const NAME_CHARACTERS = 40

/** A list's or a view's name, short enough for a link or a label. */
export const shortName = (name: string): string => shortened(name, NAME_CHARACTERS)

/** The text's beginning, whole words, and no half of a character. @param most characters, with the ellipsis */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const words = text.slice(0, most).replace(/\s+\S*$/, '')
  const beginning = words.length < most ? words : words.slice(0, most - 1)
  return `${beginning.replace(/[\ud800-\udbff]$/, '')}…`
}

/** A reason as a sentence. */
export const sentence = (reason: string): string => {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** When a referral is rewarded. @param holdDays after which a payment can't be taken back @param payment "your first payment" */
export const rewardTime = (holdDays: number, payment: string): string =>
  holdDays > 0 ? `${plural(holdDays, 'day', 'days')} after ${payment}` : `after ${payment}`
