/** @jsxImportSource hono/jsx */
import { ERRORS, type ErrorCode } from '../../contract/errors.ts'
import type { Html } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'

interface ErrorLinkProps extends Pick<PageContext, 'href'> {
  code: ErrorCode
}

/** The status of an error, linked to its section. */
export function ErrorLink({ code, href }: ErrorLinkProps): Html {
  return <a href={href(`/docs/errors#${code}`)}>{ERRORS[code].status}</a>
}
