/** @jsxImportSource hono/jsx */
/** Parts of pages: sections, notices, code, tables, and the page that shows a secret. */
import type { Child, Html } from '../http/html.ts'
import type { Page, PageContext } from '../http/page.ts'
import { QuietLink } from './actions.tsx'
import { figure } from './text.tsx'

/** A page of the account or of signing in, which search engines don't index. @param page its `title` is the heading too, unless there is another one. */
export function personalPage(
  { heading, ...page }: Omit<Page, 'main'> & { heading?: Child },
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

interface SectionProps {
  id: string
  title: Child
  count?: number
  children?: Child
}

/** A part of a page under its heading. @param id the fragment that links name @param count the number of things listed */
export function Section({ id, title, count, children }: SectionProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {count === undefined ? null : <span class="quiet"> {figure(count)}</span>}
      </h2>
      {children}
    </section>
  )
}

/** Says what just happened; screen readers announce it when the page loads. */
export function Notice({ tone, children }: { tone: 'good' | 'warn' | 'bad'; children?: Child }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'good' ? 'status' : 'alert'}>
      <p>{children}</p>
    </div>
  )
}

/** The result of what was done before this page, by the parameter `said` of the redirect. */
export function Flash(of: { context: PageContext; messages: Readonly<Record<string, string>> }) {
  const said = of.messages[new URLSearchParams(of.context.query).get('said') ?? '']
  return said ? <Notice tone="good">{said}</Notice> : null
}

/** The only page that shows a secret: the answer to the form that made it. @param next the path of the page after it */
export function shownOncePage(
  context: PageContext,
  of: Record<'title' | 'heading' | 'warning' | 'secret' | 'next', string>,
  details: Child,
): Page {
  return {
    title: of.title,
    isUnlisted: true,
    main: (
      <div data-shown-once>
        <h1>{of.heading}</h1>
        <Notice tone="warn">{of.warning}</Notice>
        <Code isCommand text={of.secret} />
        {details}
        <p class="actions">
          <QuietLink href={context.href(of.next)}>Done</QuietLink>
        </p>
      </div>
    ),
  }
}

interface CodeProps {
  text: string
  /** Lets the script add a copy button. */
  isCommand?: boolean
  /** The language, as Markdown marks it. */
  language?: string | undefined
  /** The text with places where its lines may break; as it is unless given. */
  children?: Child
}

/** Code to read and to copy. */
export function Code({ text, isCommand = false, language, children }: CodeProps) {
  return (
    <div class="code" data-copy={isCommand || undefined}>
      <pre tabindex={0}>
        <code data-language={language}>{children ?? text}</code>
      </pre>
    </div>
  )
}

/** A curl command for a GET of the API; `$API_KEY` stands for the caller's key. */
export function curlOf(url: string, headers: readonly string[] = []): string {
  const lines = ['Authorization: Bearer $API_KEY', ...headers].map((header) => `-H "${header}" \\`)
  return `curl ${lines.join('\n  ')}\n  "${url}"`
}

/** The same to read and to copy. */
export function Curl({ url, headers }: { url: string; headers?: readonly string[] }) {
  return <Code isCommand text={curlOf(url, headers)} language="sh" />
}

/** A column's label; numbers are aligned to the right. */
export type Column = string | ColumnHead

export interface ColumnHead {
  label: string
  isNumber?: boolean
  /** The address of the table sorted by this column. */
  href?: string
  sorted?: 'ascending' | 'descending' | undefined
  /** Narrower windows leave it out. */
  isExtra?: boolean
  /** Its place on a card; without one its label stands before it. */
  card?: CardPlace
}

/**
 * The place of a cell on a card, without its label: `title` is the card's first words, in the place of its row's name, which
 * then stands small below with the rest; `end` is at the right of the first words; `line` has a line of its own, and `last`
 * one below all others; `unit` is a figure with its label behind it, and `plain` what needs none.
 */
export type CardPlace = 'title' | 'end' | 'line' | 'last' | 'unit' | 'plain'

/** A column of numbers. */
export const numbers = (label: string, card?: CardPlace): ColumnHead => ({
  label,
  isNumber: true,
  ...(card && { card }),
})

interface TableProps {
  label: string
  /** Shows each row as a card on a phone, instead of a line to scroll along. */
  isCards?: boolean
  /** Makes the whole row the link of its name. */
  isRecords?: boolean
  columns: readonly Column[]
  rows?: readonly (readonly Child[])[]
  /** Further rows. */
  children?: Child
}

/** A table, which scrolls sideways where the page is narrow. @param rows cells in the order of the columns; the first cell names its row */
export function Table(table: TableProps) {
  const { label, isRecords = false, isCards = isRecords, columns, rows = [], children } = table
  const heads = columns.map(
    (column): ColumnHead => (typeof column === 'string' ? { label: column } : column),
  )
  const classes = heads.map(
    ({ isNumber, isExtra, card }) =>
      [isNumber && 'number', isExtra && 'extra', card].filter(Boolean).join(' ') || undefined,
  )
  const labels = heads.map(({ label: name, card }) =>
    isCards && (card === undefined || card === 'unit') ? name : undefined,
  )
  const isDense = heads.some(({ card }) => card === 'title')
  const kinds = ['table', isCards && 'cards', isDense && 'dense', isRecords && 'records']
  return (
    <section class={kinds.filter(Boolean).join(' ')} tabindex={0} aria-label={`Table: ${label}`}>
      <table>
        <thead>
          <tr>
            {heads.map((head, i) => (
              <th scope="col" class={classes[i]} aria-sort={head.sorted}>
                {head.href ? <a href={head.href}>{head.label}</a> : head.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells]) => (
            <tr>
              <th scope="row">{head}</th>
              {cells.map((cell, i) => (
                <td class={classes[i + 1]} data-label={labels[i + 1]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
          {children}
        </tbody>
      </table>
    </section>
  )
}
