/** Creates the context that a page's function gets. */
import type { Directory } from '../../directory/directory.ts'
import type { Log } from '../../log.ts'
import type { Application } from './application.ts'
import { type PageContext, pathTo, type Site } from './page.ts'

/** The services that the application host is built of. */
export interface WebServices extends Site {
  /** The OpenAPI document. */
  openapi: object
  directory: Directory
  application: Application
  log: Log
}

/** @param hasId whether the last part of the path is a parameter. @throws DatabaseUnavailable */
export async function createContext(
  services: WebServices,
  request: Request,
  path: string,
  hasId: boolean,
): Promise<PageContext> {
  const { directory, openapi, application } = services
  const queryStart = request.url.indexOf('?')
  // Worked out once, because a page has hundreds of links.
  const base = pathTo(services, '')
  let issued: ReturnType<typeof application.csrf.token> | undefined
  return {
    site: services,
    directory,
    openapi,
    application,
    request,
    path,
    address: application.addressOf(request),
    query: queryStart < 0 ? '' : request.url.slice(queryStart + 1),
    id: hasId ? path.slice(path.lastIndexOf('/') + 1) : '',
    session: await application.users.session(request),
    href: (target) => base + target,
    formToken() {
      issued ??= application.csrf.token(request)
      return issued.token
    },
    issuedToken: () => issued,
  }
}
