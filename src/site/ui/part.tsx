/** @jsxImportSource hono/jsx */
/** Long pages in parts, each rendered in a turn of the event loop of its own: calls of the API are answered between them. */

import { ownTurn } from '../../turns.ts'
import { type Child, failedMarkup, type Html, markupOf, renderHtml } from '../http/html.ts'
import type { SharedPart } from './shared-part.ts'

interface PartProps {
  /** A function is called in the part's turn, where making the elements takes long as well. */
  children?: Child | (() => Child)
}

/** Renders its children in a turn of their own. Don't use inside `<svg>`: hono tracks the SVG context by call stack. */
export async function Part(props: PartProps): Promise<Html> {
  await ownTurn()
  try {
    return markupOf(await renderHtml(<Whole {...props} />))
  } catch (error) {
    return failedMarkup(error)
  }
}

interface SharedProps<T> {
  part: SharedPart<T>
  /** Renders the reading. It must not depend on the reader. */
  children: (read: T) => Child
}

/** A part that many readers share. Its markup is kept for the next one. */
export function Shared<T>({ part, children }: SharedProps<T>): Html | Promise<Html> {
  return 'markup' in part ? markupOf(part.markup) : rendered(part, children)
}

async function rendered<T>(
  { read, keep }: Exclude<SharedPart<T>, { markup: string }>,
  children: SharedProps<T>['children'],
): Promise<Html> {
  try {
    const markup = await renderHtml(<Whole>{() => children(read)}</Whole>)
    keep(flat(markup))
    return markupOf(markup)
  } catch (error) {
    return failedMarkup(error)
  }
}

/** JavaScriptCore keeps text that was put together as a tree of its pieces, which takes ten times as much memory as the text. */
const flat = (text: string) => Buffer.from(text).toString()

const Whole = (props: PartProps) => <>{partsChildren(props)}</>

/** Returns the children of a part. */
export function partsChildren({ children }: PartProps): Child {
  return typeof children === 'function' ? children() : children
}

/** Rows of a part: so many take about a millisecond. */
const ROWS = 10

interface EachProps<T> {
  of: readonly T[]
  children: (item: T, index: number) => Child
}

/** Renders items; if there are many, a few in each part. */
export function Each<T>({ of, children: made }: EachProps<T>) {
  if (of.length <= ROWS) return <>{of.map(made)}</>
  const starts = Array.from({ length: Math.ceil(of.length / ROWS) }, (_, part) => part * ROWS)
  return (
    <>
      {starts.map((start) => (
        <Part>{() => of.slice(start, start + ROWS).map((it, i) => made(it, start + i))}</Part>
      ))}
    </>
  )
}
