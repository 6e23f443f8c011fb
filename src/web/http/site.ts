/** The service's name and addresses, which every page knows. */
export interface Site {
  /** Chosen by the operator: text, never markup. */
  serviceName: string
  /** Public addresses, without a trailing slash: the API's and this application's. */
  baseUrl: string
  appUrl: string
}

/** Returns the link to a path: behind a proxy, `appUrl` may have a path of its own. */
export function pathTo(site: Site, path: string): string {
  return new URL(site.appUrl).pathname.replace(/\/$/, '') + path
}
