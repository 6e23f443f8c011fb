/** A page of the documentation, and the form of the placeholders in its text. */
import type { EndpointName } from '../../contract/endpoints.ts'
import type { Directory } from '../../directory/records/directory.ts'
import type { PageContext } from '../http/page.ts'
import type { ExampleValues } from './example-values.ts'

export interface Document {
  path: '/docs' | `/docs/${string}`
  title: string
  /** One or two sentences about the page. */
  lead: string
  /** Markdown below the lead, with placeholders. */
  text: string
  /** The endpoint that the page describes, which can be called from it. */
  endpoint?: EndpointName
  /** True if the text changes with the directory; other texts change with the examples alone. */
  isLive?: boolean
}

/** Values that the text of a page depends on. None is of the reader, so the text is the same for everybody. */
export interface DocumentContext extends Pick<PageContext, 'site' | 'openapi' | 'href'> {
  examples: ExampleValues
  /** Read by live pages alone. */
  directory: Pick<Directory, 'values' | 'moment'>
}

/** A page, its Markdown, the file of all pages, or the index of the search. */
export type Purpose = 'page' | 'markdown' | 'whole' | 'search'

export interface PlaceholderContext extends DocumentContext {
  purpose: Purpose
  /** The endpoint of the page, if it describes one. */
  endpoint: EndpointName | undefined
}

/** Returns the Markdown in place of `{{name argument}}`. @throws Error for an unknown argument */
export type Placeholder = (context: PlaceholderContext, argument: string) => string | number

const exceptFor =
  (purposes: readonly Purpose[], make: Placeholder): Placeholder =>
  (context, argument) =>
    purposes.includes(context.purpose) ? '' : make(context, argument)

/** Leaves a text out of the search, because many pages have one like it. */
export const unsearched = (make: Placeholder) => exceptFor(['search'], make)

/** Leaves a text that another page has as well out of the search and the file of all pages. */
export const repeated = (make: Placeholder) => exceptFor(['search', 'whole'], make)

/** Keeps a text that only a reader of the page can use. */
export const pageOnly = (make: Placeholder) => exceptFor(['markdown', 'search', 'whole'], make)

/** Returns an object that is another one when the text of a page is another one. */
export function ageOf(
  { isLive = false }: Pick<Document, 'isLive'>,
  { examples, directory }: DocumentContext,
): object {
  return isLive ? directory.moment() : examples
}
