/** @jsxImportSource hono/jsx */
/** Pages for what went wrong. They say what to do and what was charged, and no internals. */
import { ApiError } from '../../contract/errors.ts'
import { DatabaseUnavailable } from '../../database/client.ts'
import { TooBusy } from '../../people/users/answers.ts'
import type { Form } from '../http/form.ts'
import type { Child } from '../http/html.ts'
import { type Page, pathTo, type Site } from '../http/page.ts'
import { ADDRESS_MISTAKE, PageError } from '../http/page-error.ts'
import { ButtonLink, QuietLink } from '../ui/actions.tsx'
import { personalPage } from '../ui/page-parts.tsx'

export interface Failure {
  page: Page
  /** `foreseen` is the reader's to repair, `unavailable` passes, `unforeseen` is a fault of the service. */
  cause: 'foreseen' | 'unavailable' | 'unforeseen'
}

/**
 * The page of an error.
 * @param requestId the number of the error in the log
 * @param form what was sent, where the page's function had it: it decides what can be said about a charge
 * @param formPage the page of the form, where one was sent
 */
export function failureOf(
  site: Site,
  error: unknown,
  requestId: string,
  form: Form | undefined,
  formPage?: string,
): Failure {
  if (error instanceof PageError) {
    const actions =
      error.status === 404 ? (
        <SearchLink site={site} />
      ) : formPage === undefined ? null : (
        <ButtonLink href={formPage}>Go back</ButtonLink>
      )
    return { cause: 'foreseen', page: failurePage(error, error.message, actions) }
  }
  if (error instanceof ApiError) return { cause: 'foreseen', page: refusedParameterPage(error) }
  const charge = <Charge site={site} isKnown={isUncharged(error, form)} />
  if (error instanceof TooBusy) {
    const head = {
      status: 503,
      title: 'Very much is being asked at once',
      headers: { 'retry-after': '5' },
    }
    const message = <>Nothing was changed. {charge} Try again in a few seconds.</>
    return { cause: 'unavailable', page: failurePage(head, message) }
  }
  if (error instanceof DatabaseUnavailable) {
    const head = { status: 503, title: 'Service unavailable', headers: { 'retry-after': '2' } }
    const message = <>The service can't answer right now. {charge} Try again in a few seconds.</>
    return { cause: 'unavailable', page: failurePage(head, message) }
  }
  const message = (
    <>
      The fault is ours, not yours. {charge} If it happens again, tell the operator this number:{' '}
      {requestId}.
    </>
  )
  const page = failurePage({ status: 500, title: 'Something went wrong' }, message)
  return { cause: 'unforeseen', page }
}

/** The page of a path that this host doesn't know, `/v1/…` among them. */
export function notFoundPage({ site }: { site: Site }): Page {
  return failurePage(
    { status: 404, title: 'Page not found' },
    <>
      This host serves the directory and the documentation to people. Calls to the API go to{' '}
      <code>{site.baseUrl}</code>.
    </>,
    <>
      <SearchLink site={site} />
      <QuietLink href={pathTo(site, '/docs')}>Read the documentation</QuietLink>
    </>,
  )
}

/** @param allow the methods that the path answers, as the header `Allow` lists them. */
export function methodNotAllowedPage(allow: string): Page {
  const head = { status: 405, title: 'Method not allowed', headers: { allow } }
  return failurePage(head, `This page answers ${allow}.`)
}

/**
 * True if the request certainly charged nothing: only forms with an idempotency key charge, and the
 * database knows which statements it was never sent.
 */
function isUncharged(error: unknown, form: Form | undefined): boolean {
  if (!form?.has('idempotencyKey') || error instanceof TooBusy) return true
  return error instanceof DatabaseUnavailable && !error.isUnknown
}

/** The sentence about the charge. A reload sends the same form, and with it the same idempotency key. */
function Charge({ site, isKnown }: { site: Site; isKnown: boolean }) {
  if (isKnown) return <>Nothing was charged.</>
  return (
    <>
      We don't know whether this was charged: <a href={pathTo(site, '/balance')}>Usage</a> shows it.
      Reload this page to send the same form again; it is charged once at most.
    </>
  )
}

/** Lists take the parameters of the API's lists, and refuse what those refuse. */
function refusedParameterPage({ message, status, fields }: ApiError): Page {
  const { parameter, allowed = '' } = fields
  const values = typeof allowed === 'string' ? allowed : allowed.join(', ')
  return failurePage(
    { status, title: ADDRESS_MISTAKE },
    <>
      {message}
      {parameter && values !== '' && !message.includes(values) ? (
        <>
          {' '}
          Allowed for <code>{parameter}</code>: {values}.
        </>
      ) : null}
    </>,
    <ButtonLink href="?">Start over</ButtonLink>,
  )
}

function SearchLink({ site }: { site: Site }) {
  return <ButtonLink href={pathTo(site, '/search')}>Search the directory</ButtonLink>
}

function failurePage(
  { status, title, headers = {} }: { status: number } & Pick<Page, 'title' | 'headers'>,
  message: Child,
  actions: Child = null,
): Page {
  return personalPage(
    { status, title, headers },
    <>
      <p class="lead">{message}</p>
      {actions ? <p class="actions">{actions}</p> : null}
    </>,
  )
}
