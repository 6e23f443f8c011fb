/** Parts of pages that are the same for many readers: rendered once, and kept until the directory changes. */
import { LRUCache } from 'lru-cache'
import { type Html, markupOf, renderHtml } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'

/** Characters of markup that are kept, of one or two bytes each: some five hundred lists of fifty rows. */
const KEPT_CHARACTERS = 16 * 2 ** 20
/** The overhead of a part beside its text, in characters. */
const PART_SIZE = 300

/** Added to the names of parts: the directory's moment and the application's address. */
export type SharedContext = Pick<PageContext, 'directory' | 'href'>

/** Cached markup, or a reading to render with a function that caches the result. */
export type SharedPart<T> =
  | { readonly markup: string }
  | { readonly read: T; keep(markup: string): void }

/** Markup by name, for each moment of the directory. */
const cache = new WeakMap<object, LRUCache<string, string>>()

/**
 * Reads the data of a part unless its markup is cached. `Shared` renders it.
 * @param name differs for every part with other content: the part's own name, its record or address, and the kind of reader
 */
export function sharedPart<T>(
  { directory, href }: SharedContext,
  name: string,
  read: () => T,
): SharedPart<T> {
  const moment = directory.moment()
  const ofMoment =
    cache.get(moment) ??
    new LRUCache({
      maxSize: KEPT_CHARACTERS,
      sizeCalculation: (markup: string, name: string) => markup.length + name.length + PART_SIZE,
    })
  cache.set(moment, ofMoment)
  const key = `${href('/')} ${name}`
  const markup = ofMoment.get(key)
  if (markup !== undefined) return { markup }
  // The text is kept for the moment of the reading, whatever the directory is when it is rendered.
  return { read: read(), keep: (rendered) => ofMoment.set(key, rendered) }
}

interface SharedProps<T> {
  part: SharedPart<T>
  /** Renders the reading. It must not depend on the reader. */
  children: (read: T) => Html
}

/** A part that many readers share. Its markup is kept for the next one. */
export function Shared<T>({ part, children }: SharedProps<T>): Html {
  if ('markup' in part) return markupOf(part.markup)
  // JavaScriptCore keeps text that was put together as a tree of its pieces, which takes ten times as much memory as the text.
  const markup = Buffer.from(renderHtml(children(part.read))).toString()
  part.keep(markup)
  return markupOf(markup)
}
