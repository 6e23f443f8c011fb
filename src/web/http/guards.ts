/** Checks before a page's function runs: the form's CSRF token, and the rate limit of readers. */
import { countAttempt } from '../../users/rate-limiter.ts'
import { type Form, readForm } from './form.ts'
import type { PageContext, RouteOf } from './page.ts'
import { PageError } from './page-error.ts'

/** @throws PageError 403 for a form that another site sent, or that belongs to an older session. */
export async function readVerifiedForm<C extends PageContext>(
  { maxFormBytes, takesFiles }: RouteOf<C>,
  { request, application }: C,
): Promise<Form> {
  const form = await readForm(request, maxFormBytes, takesFiles)
  if (application.csrf.check(request, form)) return form
  throw new PageError(
    403,
    'This form is out of date',
    'Nothing was changed. Go back, load the page again and repeat what you did.',
  )
}

/** Counts a page that is read without signing in. @throws PageError 429 */
export async function limitPageViews({ application, address }: PageContext): Promise<void> {
  const { allowed, retryAfter } = await countAttempt(application.database, {
    kind: 'visit',
    address,
  })
  if (allowed) return
  throw new PageError(
    429,
    'Too many pages',
    `The number of pages that an address may read without signing in is limited. Wait ${retryAfter} s, or sign in.`,
    { 'retry-after': String(retryAfter) },
  )
}
