/** Who asks for a page, from where, with which form; and how often an address may. */
import { countAttempt } from '../../users/rate-limiter.ts'
import type { WebServices } from './app.ts'
import { type Form, readForm } from './form.ts'
import type { PageContext, Route } from './page.ts'
import { PageError } from './page-error.ts'
import type { Asked } from './send-page.ts'
import { pathTo } from './site.ts'

/** A visit, and whether its page came to hold a form: with it, a cookie may have to go along. */
export interface RenderContext extends PageContext {
  formIssued(): { cookie?: string } | undefined
}

/** @throws DatabaseUnavailable */
export async function createContext(
  services: WebServices,
  route: Route,
  { request, path }: Asked,
): Promise<RenderContext> {
  const { directory, openapi, application } = services
  const queryStart = request.url.indexOf('?')
  // Once: a page has hundreds of links.
  const base = pathTo(services, '')
  let issued: { token: string; cookie?: string } | undefined
  return {
    site: services,
    directory,
    openapi,
    application,
    request,
    address: application.addressOf(request),
    query: queryStart < 0 ? '' : request.url.slice(queryStart + 1),
    id: route.path.includes(':') ? path.slice(path.lastIndexOf('/') + 1) : '',
    session: await application.users.session(request),
    href: (target) => base + target,
    formToken() {
      issued ??= application.csrf.token(request)
      return issued.token
    },
    formIssued: () => issued,
  }
}

/** @throws PageError 403 for a form that another site sent, or that is of an older session. */
export async function readVerifiedForm(
  route: Route,
  { request, application }: PageContext,
): Promise<Form> {
  const form = await readForm(request, route.maxFormBytes, route.takesFiles)
  if (application.csrf.check(request, form)) return form
  throw new PageError(
    403,
    'This form is out of date',
    'Nothing was changed. Go back, load the page again and repeat what you did.',
  )
}

export async function limitPageViews({ application, address }: PageContext): Promise<void> {
  const { allowed, retryAfter } = await countAttempt(application.database, {
    kind: 'visit',
    address,
  })
  if (allowed) return
  throw new PageError(
    429,
    'That was a lot of pages',
    `Without signing in, an address may look at so many a minute. Wait ${retryAfter} s, or sign in.`,
    { 'retry-after': String(retryAfter) },
  )
}
