/** Where signing in leads: the way is a parameter of the address, so it is checked. */
import { redirect, type Visit } from './page.ts'

/** Leads to the sign-in form, and from there back to this page; what was sent to it is not kept. */
export function signInFirst(visit: Visit): Response {
  return redirect(visit.to(withNext('/sign-in', ownAddress(visit))))
}

/** A path with the way on from there. @param next a path of this application, as `nextOf` gives it. */
export function withNext(path: string, next: string | undefined): string {
  return next === undefined ? path : `${path}?${new URLSearchParams({ next })}`
}

/**
 * The path of this application that `next` names, with its query.
 * @returns undefined for anything else: an address elsewhere must not look like one of ours.
 */
export function nextOf(parameters: URLSearchParams): string | undefined {
  const next = parameters.get('next')
  if (!next?.startsWith('/')) return undefined
  // As a browser reads it: it drops tabs, takes `\` for `/` and resolves dots, so that `/.//x` is another host.
  const here = 'http://here.invalid'
  if (!URL.canParse(next, here)) return undefined
  const { origin, pathname, search } = new URL(next, here)
  return origin === here && !pathname.startsWith('//') ? pathname + search : undefined
}

function ownAddress({ request }: Visit): string {
  const { pathname, search } = new URL(request.url)
  return pathname + search
}
