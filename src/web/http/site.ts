/** What every page knows: whose service this is and where it is reached. */
export interface Site {
  /** The operator's choice: text, never markup. */
  serviceName: string
  /** Public addresses, without a trailing slash: the API's and this application's. */
  baseUrl: string
  appUrl: string
}

/** A path of this application as links name it: behind a proxy, `appUrl` may have a path of its own. */
export function pathTo(site: Site, path: string): string {
  return new URL(site.appUrl).pathname.replace(/\/$/, '') + path
}
