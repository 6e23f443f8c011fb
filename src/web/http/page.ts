/** A page as its file writes it, and what its function is given. The frame around it is `layout.tsx`. */

import type { Directory } from '../../directory/directory.ts'
import type { Session } from '../../users/sessions.ts'
import type { Application } from './application.ts'
import type { Form } from './form.ts'
import type { Html } from './html.ts'
import type { Site } from './site.ts'
import type { StreamedParts } from './streaming-slot.tsx'

/** One request for a page. */
export interface PageContext {
  site: Site
  directory: Directory
  /** The OpenAPI document. */
  openapi: object
  request: Request
  /** Query string as it was sent, without its `?`. */
  query: string
  /** The path below the route's own beginning, as it was sent; '' where it has none. */
  id: string
  /** Who is signed in, and the account that is theirs to use. */
  session: Session | undefined
  /** What pages act through: people, keys, money, limits. */
  application: Application
  /** Whose request this is, for limits per address. */
  address: string
  /** A path of this application as a link names it. */
  href(path: string): string
  /** The hidden value by which a form of this page is known as ours. The page is this visitor's alone then. */
  formToken(): string
}

/** A visit of somebody who is signed in. */
export interface SignedInContext extends PageContext {
  session: Session
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
  /** The account's credits after what this page did, where it charged. */
  balance?: number
  /** What is made while the page is being sent: goes where `main` has a `<StreamingSlot />`. */
  streamed?: StreamedParts
}

/** A page, or a response of its own: a redirection, a file. The host adds its headers to either. */
export type Reply = Page | Response

interface RouteOf<V extends PageContext> {
  /** As Elysia writes it; a parameter is the last part. */
  path: `/${string}`
  get: (context: V) => Reply | Promise<Reply>
  /** What a form of this path does; without it a POST is a 405. */
  post?: (context: V, form: Form) => Reply | Promise<Reply>
  /** Longest body of a form, in bytes, where it is not the usual one. */
  maxFormBytes?: number
  /** Whether the form has a field for a file of text. */
  takesFiles?: boolean
}

/** A page for everybody. */
export interface OpenRoute extends RouteOf<PageContext> {
  needsSignIn?: false
  /**
   * For whom its main is the same while the process runs, so that it is written once: for everybody,
   * whose frames differ, or for those who are not signed in.
   */
  cachedFor?: 'everyone' | 'signed-out'
  /** Counts against what an address may see without signing in. */
  isRateLimited?: boolean
}

/** A page of somebody's own: whoever is not signed in is asked to, and led back. */
export interface PersonalRoute extends RouteOf<SignedInContext> {
  needsSignIn: true
}

export type Route = OpenRoute | PersonalRoute

/** Sends the browser on, with a GET. @param to a link of this application. @param cookies values of `Set-Cookie`. */
export function redirect(
  to: string,
  status: 301 | 303 = 303,
  cookies: readonly string[] = [],
): Response {
  const headers = new Headers({ location: to })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status, headers })
}
