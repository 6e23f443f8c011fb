/** A page as its file returns it, the context that its function is given, and the route that names both. */

import type { Directory } from '../../directory/records/directory.ts'
import type { Log } from '../../log.ts'
import type { ResolvedKey } from '../../money/accounts/key-cache.ts'
import type { Session } from '../../people/users/sessions.ts'
import type { IncomingRequest } from '../../runtime.ts'
import type { Application } from './application.ts'
import type { Form } from './form.ts'
import type { Readiness } from './health-state.ts'
import type { Html } from './html.ts'
import type { Upload } from './upload.ts'

/** The service's name and addresses, which every page knows. */
export interface Site {
  /** Chosen by the operator: text, never markup. */
  serviceName: string
  /** Public addresses, without a trailing slash: the API's and this application's. */
  baseUrl: string
  appUrl: string
}

/** Services that the application host is built of. */
export interface WebServices extends Site {
  directory: Directory
  /** The OpenAPI document. */
  openapi: object
  /** Actions of pages: people, keys, money, limits. */
  application: Application
  /** Sends a call through the API's own pipeline, with a key of the account that is signed in. Never throws. */
  callApi: (key: ResolvedKey, request: IncomingRequest) => Promise<Response>
  /** Returns the server's readiness. Never throws. */
  readiness: () => Promise<Readiness>
  log: Log
}

/** A request for a page. */
export interface PageContext
  extends Pick<
    WebServices,
    'directory' | 'openapi' | 'application' | 'callApi' | 'readiness' | 'log'
  > {
  site: Site
  request: Request
  path: string
  /** Query string as it was sent, without its `?`. */
  query: string
  /** The last part of the path, as it was sent, where the route has a parameter; else ''. */
  id: string
  /** The user who is signed in, with the account that they use. */
  session: Session | undefined
  /** The client's IP address, by which limits count. */
  address: string
  /** The form that was sent, once it is read and known as ours. */
  form?: Form
  /** The file of that form, on a path that takes large ones. */
  file?: Upload
  /** Returns a link to a path of this application. */
  href(path: string): string
  /** Returns the link to a record's picture; undefined where it has none. */
  picture(record: { id: string }): string | undefined
  /** Returns the CSRF token for a form of this page. A page that asks for one is sent to this visitor alone. */
  formToken(): string
  /** Returns the CSRF token that the page asked for, with the cookie that goes along where the browser has none. */
  issuedToken(): { cookie?: string } | undefined
}

/** The context of a user who is signed in. */
export interface SignedInContext extends PageContext {
  session: Session
}

/** JSON-LD; what is undefined is left out. */
export type LinkedData = Readonly<Record<string, unknown>> & { '@type': string }

export interface Page {
  title: string
  /** A description for search engines and previews. */
  description?: string
  /** Default 200. */
  status?: number
  headers?: Readonly<Record<string, string>>
  /** Path of the one address that search engines should list. */
  canonical?: string
  /** Keeps search engines from listing the page. */
  isUnlisted?: boolean
  /** Link to the record's picture, for previews. */
  picture?: string | undefined
  /** The page's record in the words of schema.org, for search engines. */
  linkedData?: LinkedData
  /** After so many seconds browsers without script ask for the page again. */
  refreshSeconds?: number
  /** The account's credits after what this page did, where it charged. */
  balance?: number
  main: Html
  /** `text` (default) is a column for reading, `wide` takes the whole width. */
  shape?: 'text' | 'wide'
}

/** A page, or a response of its own (a redirection, a file), to which the host adds its headers. */
export type Reply = Page | Response

export interface RouteOf<C extends PageContext> {
  /** A path of Elysia; a parameter is the last part. */
  path: `/${string}`
  get: (context: C) => Reply | Promise<Reply>
  /** Does what a form of this path asks for; a path without it answers a POST with 405. */
  post?: (context: C, form: Form) => Reply | Promise<Reply>
  /** Longest body of a form, in bytes; default `MAX_FORM_BYTES`. */
  maxFormBytes?: number
  /** Allows a text file in the form. */
  takesFiles?: boolean
  /** The most bytes of a file that `post` reads as it arrives, by `context.file`. */
  largeFile?: number
  /** The page that signed-in visitors are sent to instead. */
  signedInPath?: string
  /** Counts against the pages of the directory that one may read, or against the suggestions that go with them. */
  isRateLimited?: boolean | 'suggestions'
  /** Who may know that there is such a page. Everybody else gets what an unknown path gives, whatever they send. */
  admits?: (context: PageContext) => boolean | Promise<boolean>
}

/** A page that anybody may read, or one that asks to sign in first and leads back afterwards. */
export type Route =
  | (RouteOf<PageContext> & { needsSignIn?: false })
  | (RouteOf<SignedInContext> & { needsSignIn: true })

/** Redirects to a link of this application; the browser follows with a GET. @param cookies values of `Set-Cookie` */
export function redirect(
  to: string,
  status: 301 | 303 = 303,
  cookies: readonly string[] = [],
): Response {
  const headers = new Headers({ location: to })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status, headers })
}

export function isSignedIn(context: PageContext): context is SignedInContext {
  return context.session !== undefined
}

/** Returns the link to a path: behind a proxy, `appUrl` may have a path of its own. */
export function pathTo(site: Site, path: string): string {
  return new URL(site.appUrl).pathname.replace(/\/$/, '') + path
}

/** Creates what returns links to paths, for a page with hundreds: the address is taken apart once. */
export function createHref(site: Site): (path: string) => string {
  const base = pathTo(site, '')
  return (path) => base + path
}
