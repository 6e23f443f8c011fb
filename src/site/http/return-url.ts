/** The pages that a request names to lead back to: the return URL of signing in, and the page of a form. Both are checked. */
import { type PageContext, pathTo, redirect, type Site } from './page.ts'

/** Redirects to the sign-in form, which says why, and from there back. @param returnUrl this page, or that of the form that was sent, unless given */
export async function redirectToSignIn(
  { request, href, site, application }: PageContext,
  returnUrl = ownPage(site, request),
  cookies: readonly string[] = [],
): Promise<Response> {
  const end = await application.users.sessionEnd(request)
  const path = end === undefined ? '/sign-in' : `/sign-in?said=${end}`
  return redirect(href(withReturnUrl(path, returnUrl)), 303, cookies)
}

/** The page to return to after a request: its own, or that of its form. */
function ownPage(site: Site, request: Request): string {
  if (request.method !== 'POST') {
    const { pathname, search } = new URL(request.url)
    return pathname + search
  }
  const { pathname, search } = new URL(formPageOf(site, request), site.appUrl)
  return pathname.slice(pathTo(site, '').length) + search
}

/** Adds the return URL to a path. @param returnUrl a path of this application, from `returnUrlOf` */
export function withReturnUrl(path: string, returnUrl: string | undefined): string {
  if (returnUrl === undefined) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ returnUrl })}`
}

/**
 * Returns the path of this application that `returnUrl` names, with its query; undefined for any other address,
 * so that no link of this application leads elsewhere.
 */
export function returnUrlOf(parameters: URLSearchParams): string | undefined {
  const returnUrl = parameters.get('returnUrl')
  if (!returnUrl?.startsWith('/')) return undefined
  // Parsed as browsers do: they drop tabs, read `\` as `/` and resolve dots, so that `/.//x` is another host.
  const here = 'http://here.invalid'
  if (!URL.canParse(returnUrl, here)) return undefined
  const { origin, pathname, search } = new URL(returnUrl, here)
  return origin === here && !pathname.startsWith('//') ? pathname + search : undefined
}

/** The page that a form was sent from, as the browser says; of a browser that says nothing, the page that the form was sent to. */
export function formPageOf(site: Site, request: Request): string {
  const referrer = request.headers.get('referer') ?? ''
  const here = new URL(site.appUrl).origin
  const from = URL.canParse(referrer) ? new URL(referrer) : undefined
  // A `blob:` URL has the page's origin, but a whole address as its path.
  if (from?.origin === here && from.protocol !== 'blob:') return here + from.pathname + from.search
  const { pathname, search } = new URL(request.url)
  return pathTo(site, pathname + search)
}
