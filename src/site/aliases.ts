/** Addresses that people type by hand, because other services have them, and the page that each leads to. */
import { type Route, redirect } from './http/page.ts'

const ALIASES = {
  '/plans': '/credits',
  '/pricing': '/credits',
  '/usage': '/balance',
  '/login': '/sign-in',
  '/signup': '/sign-up',
} as const satisfies Readonly<Record<`/${string}`, `/${string}`>>

/** Answered 303, because an alias may become a page of its own one day. What is asked for behind the path goes along. */
export const ALIAS_ROUTES: readonly Route[] = Object.entries(ALIASES).map(
  ([path, target]): Route => ({
    path: path as keyof typeof ALIASES,
    get: ({ href, query }) => redirect(href(query === '' ? target : `${target}?${query}`)),
  }),
)
