/** A page as its file writes it, and what its function is given. The frame around it is `layout.tsx`. */
import type { Directory } from '../directory/directory.ts'
import type { Tier } from '../metering/tiers.ts'
import type { Form } from './form.ts'
import type { Html } from './html.ts'
import type { Site } from './site.ts'

/** Who is signed in, and the account that is theirs to use. */
export interface Session {
  id: string
  user: { id: string; name: string; email: string; emailVerified: boolean }
  account: {
    id: string
    name: string
    organization: string | null
    tier: Tier
    creditsBalance: number
  }
  role: 'owner' | 'member'
}

/** One request for a page. */
export interface Visit {
  site: Site
  directory: Directory
  /** The OpenAPI document. */
  openapi: object
  request: Request
  /** Query string as it was sent, without its `?`. */
  query: string
  /** The path below the route's own beginning, as it was sent; '' where it has none. */
  id: string
  session: Session | undefined
  /** A path of this application as a link names it. */
  to(path: string): string
}

export interface Page {
  title: string
  main: Html
  /** For search engines and previews. */
  description?: string
  /** Default 200. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** Path of the one address that this page should be known by. */
  canonical?: string
  /** Answers to questions are not for search engines' indexes. */
  isUnlisted?: boolean
  /** `text` (default) is a column for reading, `wide` the whole measure. */
  shape?: 'text' | 'wide'
}

/** A page, or a response of its own: a redirection, a file. The host adds its headers to either. */
export type Reply = Page | Response

export interface Route {
  /** As Elysia writes it; a parameter is the last part. */
  path: `/${string}`
  get(visit: Visit): Reply | Promise<Reply>
  /** What a form of this path does; without it a POST is a 405. */
  post?(visit: Visit, form: Form): Reply | Promise<Reply>
  /** Longest body of a form, in bytes, where it is not the usual one. */
  maxFormBytes?: number
  /** The same for everybody who is not signed in, while the process runs: written once. */
  isFixed?: boolean
  /** Counts against what an address may see without signing in. */
  isCounted?: boolean
}

/** Ends a page with another: `title` heads it, `message` says what to do. Both are shown. */
export class PageError extends Error {
  override name = 'PageError'
  readonly status: number
  readonly title: string
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    title: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.title = title
    this.headers = headers
  }
}

/** Sends the browser on, with a GET. @param to a link of this application. */
export function redirect(to: string, status: 301 | 303 = 303): Response {
  return new Response(null, { status, headers: { location: to } })
}
