/** @jsxImportSource hono/jsx */
/** Pages for what went wrong. They say what to do, and no internals. */
import { ApiError } from '../../contract/errors.ts'
import type { Child } from './html.ts'
import type { Page } from './page.ts'
import { PageError } from './page-error.ts'
import { pathTo, type Site } from './site.ts'

/** Paths that this host doesn't know, `/v1/…` among them (D39). */
export function notFoundPage(site: Site): Page {
  return failurePage(
    404,
    'There is no such page',
    <>
      This host serves the directory and the documentation to people. Calls to the API go to{' '}
      <code>{site.baseUrl}</code>.
    </>,
    <>
      <a class="button" href={pathTo(site, '/search')}>
        Search the directory
      </a>
      <a class="button quiet" href={pathTo(site, '/docs')}>
        Read the documentation
      </a>
    </>,
  )
}

/** @param allow the methods that the path answers, as the header of that name says them. */
export function methodNotAllowedPage(allow: string): Page {
  return {
    ...failurePage(405, 'This page does not take that', `It answers ${allow}.`),
    headers: { allow },
  }
}

/** What was thrown, as a page; undefined where nobody foresaw it. */
export function pageOfError(site: Site, thrown: unknown): Page | undefined {
  if (thrown instanceof PageError) {
    const { status, title, message, headers } = thrown
    const search = (
      <a class="button" href={pathTo(site, '/search')}>
        Search the directory
      </a>
    )
    return { ...failurePage(status, title, message, status === 404 ? search : null), headers }
  }
  return thrown instanceof ApiError ? refusedParameterPage(thrown) : undefined
}

/** What nobody foresaw. @param requestId what the log knows it by. */
export function serverErrorPage(requestId: string): Page {
  return failurePage(
    500,
    'Something went wrong here',
    `It is not your doing, and nothing was charged. Try again; if it stays, tell the operator this number: ${requestId}.`,
  )
}

/** The database can't be asked, or more passwords wait to be checked than can be. */
export function unavailablePage(): Page {
  return {
    ...failurePage(
      503,
      'One moment, please',
      'The service cannot answer this right now. Nothing was charged. Try again in a few seconds.',
    ),
    headers: { 'retry-after': '2' },
  }
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
