/** Where signing in leads: the way is a parameter of the address, so it is checked. */
import { type PageContext, redirect } from './page.ts'

/** Leads to the sign-in form, and from there back to this page; what was sent to it is not kept. */
export function redirectToSignIn(context: PageContext): Response {
  return redirect(context.href(withReturnUrl('/sign-in', ownAddress(context))))
}

/** A path with the way on from there. @param returnUrl a path of this application, as `returnUrlOf` gives it. */
export function withReturnUrl(path: string, returnUrl: string | undefined): string {
  return returnUrl === undefined ? path : `${path}?${new URLSearchParams({ returnUrl })}`
}

/**
 * The path of this application that `returnUrl` names, with its query.
 * @returns undefined for anything else: an address elsewhere must not look like one of ours.
 */
export function returnUrlOf(parameters: URLSearchParams): string | undefined {
  const returnUrl = parameters.get('returnUrl')
  if (!returnUrl?.startsWith('/')) return undefined
  // As a browser reads it: it drops tabs, takes `\` for `/` and resolves dots, so that `/.//x` is another host.
  const here = 'http://here.invalid'
  if (!URL.canParse(returnUrl, here)) return undefined
  const { origin, pathname, search } = new URL(returnUrl, here)
  return origin === here && !pathname.startsWith('//') ? pathname + search : undefined
}

function ownAddress({ request }: PageContext): string {
  const { pathname, search } = new URL(request.url)
  return pathname + search
}
