/** @jsxImportSource hono/jsx */
/** Pages for what went wrong. They say what to do and what was charged, and no internals. */
import { ApiError } from '../../contract/errors.ts'
import { DatabaseUnavailable } from '../../database/client.ts'
import { PasswordsBusy } from '../../users/passwords.ts'
import type { Form } from './form.ts'
import type { Child } from './html.ts'
import { type Page, pathTo, type Site } from './page.ts'
import { PageError } from './page-error.ts'

export interface Failure {
  page: Page
  /** `foreseen` is the reader's to repair, `unavailable` passes, `unforeseen` is a fault of the service. */
  cause: 'foreseen' | 'unavailable' | 'unforeseen'
}

/**
 * The page of an error.
 * @param requestId the number of the error in the log
 * @param form what was sent, where the page's function had it: it decides what can be said about a charge
 */
export function failureOf(
  site: Site,
  error: unknown,
  requestId: string,
  form: Form | undefined,
): Failure {
  if (error instanceof PageError) return { page: pageOf(site, error), cause: 'foreseen' }
  if (error instanceof ApiError) return { page: refusedParameterPage(error), cause: 'foreseen' }
  const charge = <Charge site={site} isKnown={isUncharged(error, form)} />
  if (error instanceof DatabaseUnavailable || error instanceof PasswordsBusy) {
    return { page: unavailablePage(charge), cause: 'unavailable' }
  }
  return { page: serverErrorPage(requestId, charge), cause: 'unforeseen' }
}

/** The page of a path that this host doesn't know, `/v1/…` among them (D39). */
export function notFoundPage({ site }: { site: Site }): Page {
  return failurePage(
    404,
    'Page not found',
    <>
      This host serves the directory and the documentation to people. Calls to the API go to{' '}
      <code>{site.baseUrl}</code>.
    </>,
    <>
      <SearchLink site={site} />
      <a class="button quiet" href={pathTo(site, '/docs')}>
        Read the documentation
      </a>
    </>,
  )
}

/** @param allow the methods that the path answers, as the header `Allow` lists them. */
export function methodNotAllowedPage(allow: string): Page {
  const page = failurePage(405, 'Method not allowed', `This page answers ${allow}.`)
  return { ...page, headers: { allow } }
}

/**
 * Whether it is certain that the request charged nothing: only forms with an idempotency key charge, and the
 * database knows which statements it was never sent (D42).
 */
function isUncharged(error: unknown, form: Form | undefined): boolean {
  if (!form?.has('idempotencyKey') || error instanceof PasswordsBusy) return true
  return error instanceof DatabaseUnavailable && !error.isUnknown
}

/** What is known about the charge. A reload sends the same form, and with it the same idempotency key. */
function Charge({ site, isKnown }: { site: Site; isKnown: boolean }) {
  if (isKnown) return <>Nothing was charged.</>
  return (
    <>
      We don't know whether this was charged: <a href={pathTo(site, '/balance')}>Usage</a> shows it.
      Reload this page to send the same form again; it is charged once at most.
    </>
  )
}

function pageOf(site: Site, { status, title, message, headers }: PageError): Page {
  const actions = status === 404 ? <SearchLink site={site} /> : null
  return { ...failurePage(status, title, message, actions), headers }
}

function serverErrorPage(requestId: string, charge: Child): Page {
  return failurePage(
    500,
    'Something went wrong',
    <>
      The fault is ours, not yours. {charge} If it happens again, tell the operator this number:{' '}
      {requestId}.
    </>,
  )
}

function unavailablePage(charge: Child): Page {
  const page = failurePage(
    503,
    'Service unavailable',
    <>The service can't answer right now. {charge} Try again in a few seconds.</>,
  )
  return { ...page, headers: { 'retry-after': '2' } }
}

/** Lists take the parameters of the API's lists, and refuse what those refuse (D10, D11). */
function refusedParameterPage({ message, status, fields }: ApiError): Page {
  const { parameter, allowed = '' } = fields
  const values = typeof allowed === 'string' ? allowed : allowed.join(', ')
  return failurePage(
    status,
    'That address has a mistake in it',
    <>
      {message}
      {parameter && values !== '' ? (
        <>
          {' '}
          Allowed for <code>{parameter}</code>: {values}.
        </>
      ) : null}
    </>,
    <a class="button" href="?">
      Start over
    </a>,
  )
}

function SearchLink({ site }: { site: Site }) {
  return (
    <a class="button" href={pathTo(site, '/search')}>
      Search the directory
    </a>
  )
}

function failurePage(status: number, title: string, message: Child, actions: Child = null): Page {
  return {
    title,
    status,
    isUnlisted: true,
    main: (
      <>
        <h1>{title}</h1>
        <p class="lead">{message}</p>
        {actions ? <p class="actions">{actions}</p> : null}
      </>
    ),
  }
}
