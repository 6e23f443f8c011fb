/** @jsxImportSource hono/jsx */
/** What a page of the documentation is, and the link that its texts share. */
import type { EndpointName } from '../../contract/endpoints.ts'
import { ERRORS, type ErrorCode } from '../../contract/errors.ts'
import type { Directory } from '../../directory/records/directory.ts'
import type { Child, Html } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import type { ExampleValues } from './example-values.ts'

/** What the text of a page depends on: it is the same for everybody. */
export interface DocumentContext extends Pick<PageContext, 'site' | 'openapi' | 'href'> {
  examples: ExampleValues
  /** Read by pages that are live alone. */
  directory: Pick<Directory, 'values' | 'moment'>
}

export interface Document {
  path: '/docs' | `/docs/${string}`
  title: string
  /** One or two sentences that say what the page is about. */
  lead: string
  /** The endpoint that the page describes, which can be called from it. */
  endpoint?: EndpointName
  /** Whether the text changes with the directory. Others change with the examples alone. */
  isLive?: boolean
  /** @param console what stands after an endpoint's example for whoever uses the page */
  body(context: DocumentContext, console?: Child): Html
}

/** The status of an error, linked to its section. */
export function ErrorLink({ code, href }: { code: ErrorCode } & Pick<PageContext, 'href'>) {
  return <a href={href(`/docs/errors#${code}`)}>{ERRORS[code].status}</a>
}

/** What many sections say alike: it is read on their page, and the search leaves it out. */
export function Unsearched({ children }: { children?: Child }) {
  return <>{children}</>
}

/** What stands on another page as well: the search finds it there, and the file of all pages has it once. */
export function Repeated({ children }: { children?: Child }) {
  return <>{children}</>
}

/** Another object where the text of a page is another one. */
export function ageOf(
  { isLive = false }: Pick<Document, 'isLive'>,
  { examples, directory }: DocumentContext,
): object {
  return isLive ? directory.moment() : examples
}
