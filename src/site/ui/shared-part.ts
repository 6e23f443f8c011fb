/** Parts of pages that are the same for many readers: rendered once, and kept until the directory changes. */
import { LRUCache } from 'lru-cache'
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
 * Reads the data of a part in steps (`one-moment.ts`), unless its markup is cached. `Shared` renders it.
 * @param name differs for every part with other content: the part's own name, its record or address, and the kind of reader
 */
export function* sharedPart<T>(
  { directory, href }: SharedContext,
  name: string,
  read: () => Generator<void, T>,
): Generator<void, SharedPart<T>> {
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
  // A directory that changed meanwhile has another moment, and this text would never be read.
  return { read: yield* read(), keep: (rendered) => ofMoment.set(key, rendered) }
}
