/** Parts of pages that are the same for many readers: rendered once, and kept until the directory changes. */
import { LRUCache } from 'lru-cache'
import type { PageContext } from '../http/page.ts'

/** Characters of markup that are kept, of one or two bytes each: some five hundred lists of fifty rows. */
const KEPT_CHARACTERS = 16 * 2 ** 20
/** What a part takes beside its text, in characters. */
const PART_SIZE = 300

/** What the names of parts are completed by. */
export type SharedContext = Pick<PageContext, 'directory' | 'href'>

/** Markup that was kept, or what it is made of and what keeps it. */
export type SharedPart<T> =
  | { readonly markup: string }
  | { readonly read: T; keep(markup: string): void }

/** Markup by names, by the moment of the directory that it shows. */
const kept = new WeakMap<object, LRUCache<string, string>>()

/**
 * Reads in steps (`one-moment.ts`) what a part shows, unless its markup is kept. The part is rendered by `Shared`.
 * @param name tells it from every part that shows something else: which part it is, of which record or address, and what it
 * shows to some readers only. The directory's moment and the application's address are added.
 */
export function* sharedPart<T>(
  { directory, href }: SharedContext,
  name: string,
  read: () => Generator<void, T>,
): Generator<void, SharedPart<T>> {
  const moment = directory.moment()
  const ofMoment =
    kept.get(moment) ??
    new LRUCache({
      maxSize: KEPT_CHARACTERS,
      sizeCalculation: (markup: string, name: string) => markup.length + name.length + PART_SIZE,
    })
  kept.set(moment, ofMoment)
  const key = `${href('/')} ${name}`
  const markup = ofMoment.get(key)
  if (markup !== undefined) return { markup }
  // Where the directory changes meanwhile, nobody asks for this moment any more.
  return { read: yield* read(), keep: (rendered) => ofMoment.set(key, rendered) }
}
